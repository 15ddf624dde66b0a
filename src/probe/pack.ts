import { addRequirements, type PackRequirement } from "../contract/requirements.ts";
import { SuiteError } from "../lib/errors.ts";
import type { Rule } from "./rule.ts";

/**
 * Requirements beside those of the contract, with the rules that judge them. A pack has a verdict of its own, and changes nothing
 * of the contract's.
 */
export interface Pack {
  /** A word in lower case: the first word in the ids of its rules and requirements. */
  readonly id: string;
  /** Of what it judges. */
  readonly version: string;
  /** Its name for people. Default: `id` and `version`. */
  readonly title: string;
  readonly requirements: readonly PackRequirement[];
  /** Each after the rules that it depends on. */
  readonly rules: readonly Rule[];
}

/** Accepted writes of each operation that a pack may have, beside those of the contract's rules. */
export const MOST_WRITES_OF_A_PACK = 40;

/** A pack as its author writes it. */
export type PackDefinition = Omit<Pack, "title"> & Partial<Pick<Pack, "title">>;

const NAME = /^[a-z][a-z0-9-]*$/;
/** The first words of the ids of the contract's own rules. */
const OF_CONTRACT: ReadonlySet<string> = new Set([
  "authorization-server",
  "document",
  "errors",
  "pagination",
  "receiver",
  "resources",
  "routes",
  "shared",
]);

/**
 * Defines a pack, for `certify({ packs: [mine] })` and `run --pack ./mine.js`. It checks that ids begin with the name of the
 * pack, and that each requirement has a rule or a reason why it has none.
 * @throws SuiteError when the pack is not usable, with all that is wrong
 */
export function definePack(definition: PackDefinition): Pack {
  const { id, version, title = `${id} ${version}`, requirements, rules } = definition;
  const problems = problemsOf(definition);
  if (problems.length > 0) {
    throw new SuiteError("ERR_PACK", `The pack \`${id}\` cannot be used`, {
      problems,
      hint: "docs/packs.md has a whole pack.",
    });
  }
  addRequirements(requirements);
  return {
    id,
    version,
    title,
    requirements,
    rules: rules.map((rule) => ({ ...rule, pack: title })),
  };
}

function problemsOf({ id, requirements, rules }: PackDefinition): string[] {
  if (!NAME.test(id)) return [`its id \`${id}\` is not a word in lower case, such as \`house\``];
  if (OF_CONTRACT.has(id)) return [`its id \`${id}\` is that of the contract's own rules`];
  const known = new Set(requirements.map((one) => one.id));
  const ruleIds = new Set(rules.map((rule) => rule.id));
  const verified = new Set(rules.flatMap(({ verifies = [] }) => verifies));
  return [
    ...[...known, ...ruleIds]
      .filter((one) => !one.startsWith(`${id}.`))
      .map((one) => `the id \`${one}\` does not begin with \`${id}.\``),
    ...twice(requirements).map((one) => `two requirements have the id \`${one}\``),
    ...twice(rules).map((one) => `two rules have the id \`${one}\``),
    ...[...verified]
      .filter((one) => !known.has(one))
      .map((one) => `a rule verifies \`${one}\`, which is no requirement of the pack`),
    ...requirements.flatMap(({ id: one, observedBy = [], untestable }) =>
      verified.has(one) || observedBy.length > 0 || untestable !== undefined
        ? []
        : [`no rule verifies \`${one}\`; give it a rule, or say in \`untestable\` why it has none`],
    ),
    ...requirements.flatMap(({ id: one, observedBy = [] }) =>
      observedBy
        .filter((rule) => !ruleIds.has(rule))
        .map((rule) => `\`${one}\` is observed by \`${rule}\`, which is no rule of the pack`),
    ),
  ];
}

function twice(all: readonly { readonly id: string }[]): string[] {
  const seen = new Set<string>();
  return all.flatMap(({ id }) => (seen.has(id) || !seen.add(id) ? [id] : []));
}
