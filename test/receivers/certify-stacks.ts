import type { RunFinished } from "../../src/engine/events.ts";
import { RULES } from "../../suites/index.ts";
import { type Ran, rulesWith, runAgainst } from "../support/run-against.ts";
import type { Care } from "./plain-api.ts";
import type { Stack } from "./stacks.ts";
import { BUNDLED } from "./world.ts";

/** The result of a run against a stack. */
export interface StackResult {
  readonly stack: string;
  readonly care: Care;
  readonly verdict: RunFinished["verdict"];
  /** Ids of rules. */
  readonly failed: readonly string[];
  readonly behaves: readonly string[];
}

/** The rules about what a stack and its library decide, on a read and a write, because all operations share that. */
export const OF_THE_STACK: readonly string[] = [
  "receiver.{token-required,signature,issuer,audience,scope,scope-sufficient,binding,binding-accepted,required-claims}/*@{viewOrganization,editOrganization}",
  "errors.*",
];

/**
 * Runs the suite against a stack.
 * @param patterns globs over rule ids; default: every rule
 */
export async function certifyStack(
  { start }: Stack,
  care: Care,
  patterns: readonly string[] = [],
): Promise<Pick<Ran, "finished" | "results">> {
  const receiver = await start(BUNDLED, care);
  try {
    return await runAgainst(receiver.profile, { patterns });
  } finally {
    await receiver.close();
  }
}

export function stackResult(
  { name }: Stack,
  care: Care,
  { finished, results }: Pick<Ran, "finished" | "results">,
): StackResult {
  return {
    stack: name,
    care,
    verdict: finished.verdict,
    failed: rulesWith(results, "fail"),
    behaves: finished.diagnoses.map(({ behaves }) => behaves),
  };
}

function list(items: readonly string[]): string {
  return items.join("; ").replaceAll("|", "\\|") || "–";
}

/** The line of the page that says which rules judged: a new rule outdates the page. */
export function rulesOfThePage(): string {
  return `Judged by ${RULES.length} rules.`;
}

/** `docs/stacks/measured.md`, before it is formatted. */
export function stacksPage(results: readonly StackResult[]): string {
  const rows = results.map(({ stack, care, verdict, failed, behaves }) => {
    return `| ${stack} | ${care} | ${verdict} | ${list(failed)} | ${list(behaves)} |`;
  });
  return [
    "# Stacks",
    "",
    "What the suite says of receivers that are built with well-known libraries, each twice: as the quick start of its",
    "documentation has it, and with all that a careful reader adds. The receivers are in `test/receivers/stacks.ts`;",
    "`npm run stacks` writes this page.",
    "",
    rulesOfThePage(),
    "",
    "| stack | set up | verdict | rules that fail | looks like a receiver that |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}
