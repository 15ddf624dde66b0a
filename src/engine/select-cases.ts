import picomatch from "picomatch";

import { didYouMean } from "../lib/did-you-mean.ts";
import { SuiteError } from "../lib/errors.ts";
import type { AnyCase, Rule } from "../probe/rule.ts";
import { shortId, wholeId } from "./short-ids.ts";

/** A case of a rule, before it is known whether it is selected. */
export interface NamedCase {
  /** `<rule id>/<case id>` */
  readonly caseId: string;
  readonly rule: Rule;
  readonly testCase: AnyCase;
}

/** Cases selected by exact name. */
export interface NamedCases {
  /** Each is exactly `<rule id>/<case id>`. */
  readonly names: readonly string[];
  /** A phrase for the verdict: "what failed last time". */
  readonly what: string;
}

/**
 * A predicate for ids that match a pattern, complete or without `receiver.`. A leading `!` does not
 * negate, because no id has one.
 */
function matcher(pattern: string): (id: string) => boolean {
  if (pattern === "") return () => false;
  const matches = picomatch(pattern, { nonegate: true });
  return (id) => matches(id) || matches(shortId(id));
}

/**
 * The cases that a pattern matches.
 * @param patterns globs over rule ids and case names; an empty list selects all
 * @throws SuiteError when a pattern matches nothing
 */
export function selectMatching(
  all: readonly NamedCase[],
  rules: readonly Rule[],
  patterns: readonly string[],
): readonly NamedCase[] {
  if (patterns.length === 0) return all;
  const selected = new Set<NamedCase>();
  for (const pattern of patterns) {
    const matches = matcher(pattern);
    const whole = new Set(rules.filter(({ id }) => matches(id)));
    const found = all.filter(({ caseId, rule }) => whole.has(rule) || matches(caseId));
    if (found.length === 0) {
      throw new SuiteError("ERR_NO_MATCH", `--rule ${pattern} matches no rule and no case`, {
        hint: `${likelyPatterns(all, rules, pattern)}A pattern is a glob over ids such as ${rules[0]?.id} or ${all[0]?.caseId}; 'orgsync-conformance rules' lists them.`,
      });
    }
    for (const one of found) selected.add(one);
  }
  return all.filter((one) => selected.has(one));
}

/** Whether a pattern matches one of the rules, or a case of one. */
export function matchesSome(
  all: readonly NamedCase[],
  rules: readonly Rule[],
  pattern: string,
): boolean {
  const matches = matcher(pattern);
  return rules.some(({ id }) => matches(id)) || all.some(({ caseId }) => matches(caseId));
}

/**
 * "Did you mean …?" with rules and cases that exist: those of an operation where the pattern names one, else those of all
 * operations. For a case that a rule does not have, where the cases of that rule are listed.
 */
function likelyPatterns(
  all: readonly NamedCase[],
  rules: readonly Rule[],
  pattern: string,
): string {
  const [rule = ""] = wholeId(pattern).split("/");
  const cases = all.map(({ caseId }) =>
    pattern.includes("@") ? caseId : caseId.replace(/@\w+$/, "@*"),
  );
  const own = new Set(cases.filter((id) => id.startsWith(`${rule}/`)));
  const known = own.size > 0 ? own : new Set([...rules.map(({ id }) => id), ...cases]);
  const question = didYouMean(pattern, [...known]);
  const list =
    own.size > 0 ? `'orgsync-conformance rules ${rule}' lists the cases of that rule. ` : "";
  return `${question}${question && " "}${list}`;
}

/**
 * The cases that are named and match.
 * @throws SuiteError when there is no case of a name, or none of them is left
 */
export function selectNamed(
  all: readonly NamedCase[],
  matching: readonly NamedCase[],
  { names, what }: NamedCases,
): readonly NamedCase[] {
  const known = new Set(all.map(({ caseId }) => caseId));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new SuiteError(
      "ERR_NO_MATCH",
      `There is no case ${unknown.slice(0, 3).join(", ")} for this target`,
      {
        hint: "Another version of the suite had it, or another profile; 'orgsync-conformance run --dry-run' lists the cases.",
      },
    );
  }
  const wanted = new Set(names);
  const selected = matching.filter(({ caseId }) => wanted.has(caseId));
  if (selected.length > 0 || names.length === 0) return selected;
  throw new SuiteError("ERR_NO_MATCH", `There is nothing to run: no --rule matches any of ${what}`);
}
