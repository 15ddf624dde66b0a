import { gistOf, inWords, type Phrase, phrase } from "../../../probe/phrase.ts";
import type { CaseResult, SeenFact } from "../../events.ts";
import { brokenBy } from "../seen.ts";

/** Fewer violated cases than these show nothing together. */
const FEWEST = 2;

/**
 * What all violated cases of a rule saw, where it is the same in each, such as an error of the server in place of a 4xx.
 * @param results of a whole run
 * @param isExplained whether something else is said of a rule, which then says more
 */
export function alikeFacts(
  results: readonly CaseResult[],
  isExplained: (rule: string) => boolean,
): SeenFact[] {
  const broken = results.filter((one) => brokenBy(one) !== undefined);
  const rules = [...new Set(broken.map(({ rule }) => rule))].filter((rule) => !isExplained(rule));
  return rules.flatMap((rule) => {
    const says = sameIn(broken.filter((one) => one.rule === rule));
    return says ? [{ rule, says }] : [];
  });
}

function sameIn(violated: readonly CaseResult[]): Phrase | undefined {
  const [first, ...others] = violated.map(({ actual }) => actual);
  // That all were accepted says nothing of what they have in common.
  if (!first || violated.length < FEWEST || gistOf(first) === "2xx") return undefined;
  if (!others.every((one) => one && gistOf(one) === gistOf(first))) return undefined;
  const isSame = others.every((one) => one && inWords(one) === inWords(first));
  // Names and values of the deployment may differ.
  const saw = isSame ? "saw the same" : "are alike, for example";
  return phrase`All ${violated.length} violated cases ${saw}: ${first}`;
}
