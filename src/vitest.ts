/**
 * The suite inside somebody's own vitest: `orgsync-conformance/vitest`.
 *
 * ```ts
 * import { conformance } from "orgsync-conformance/vitest";
 *
 * await conformance("orgsync.yaml");
 * ```
 * @module
 */
import { randomInt } from "node:crypto";

import { beforeAll, describe, test, type TestContext } from "vitest";

import { RULES } from "../suites/index.ts";
import { authorizationServerSide } from "./authorization-server/index.ts";
import { withDocument } from "./document/with-document.ts";
import type { CaseResult, RunFinished } from "./engine/events.ts";
import { planRun } from "./engine/plan.ts";
import { run } from "./engine/run.ts";
import { inWords } from "./probe/phrase.ts";
import { findTarget } from "./profile/resolve.ts";
import { differenceTexts } from "./report/text/differences.ts";

/** The options of `conformance`. */
export interface ConformanceOptions {
  /** Overrides the profile's base URL. */
  readonly baseUrl?: string | undefined;
  /** Let a MUST that could not be judged skip instead of fail; default false. */
  readonly acceptIncomplete?: boolean | undefined;
  /**
   * The test `verdict` passes only for this verdict, whatever `acceptIncomplete` says: a partial run fails it too. Default: a
   * partial run skips it.
   */
  readonly require?: "conformant" | undefined;
  /** Send no PATCH and no POST; default false. */
  readonly readOnly?: boolean | undefined;
  /** Use the bundled keys, whose private halves are public, against other machines; default false. */
  readonly allowBundledKeys?: boolean | undefined;
  /** Seed of every generated input; default: drawn. */
  readonly seed?: number | undefined;
  /** Requests in flight at once, exactly; default: 16 at most, fewer where the deployment slows down or refuses. */
  readonly concurrency?: number | undefined;
  /** Milliseconds that the whole run may take; default ten minutes. */
  readonly timeoutMs?: number | undefined;
}

const TEN_MINUTES_MS = 600_000;

/**
 * Registers every rule as a `describe` and every case as a concurrent `test`. The selected cases run
 * together, by the engine of the command, and each test then shows its outcome: a failed MUST fails, a MUST
 * that could not be judged fails unless incompleteness is accepted, a warning or an observation annotates,
 * a case that does not apply is skipped. The test `verdict` shows the verdict of all cases: it passes if
 * that is conformant, and is skipped, with the reason, if it is partial; with `require`, it then fails.
 * @param profile a profile's file, or a profile as an object
 * @returns once everything is registered: immediately, or when the OpenAPI document of the profile has been
 * read
 * @throws SuiteError when the profile or the document cannot be used
 */
export async function conformance(
  profile: string | Record<string, unknown>,
  options: ConformanceOptions = {},
): Promise<void> {
  const { acceptIncomplete = false, require } = options;
  const resolved = findTarget({ ...options, profile });
  // Without a document there is nothing to await, so that callers who do not await miss nothing either.
  const target = resolved.openapi === undefined ? resolved : await withDocument(resolved);
  const plan = planRun(target, RULES, []);
  const results = new Map<string, CaseResult>();
  let finished: RunFinished | undefined;

  describe(`conformance of ${target.baseUrl}`, () => {
    // oxlint-disable-next-line no-empty-pattern -- vitest reads fixtures from the pattern; there are none
    beforeAll(async ({}, suite) => {
      const names = selectedCases(suite);
      if (names.length === 0) return;
      const isWhole = names.length === plan.cases.length;
      finished = await run({
        target,
        rules: RULES,
        sides: [authorizationServerSide()],
        only: isWhole ? undefined : { names, what: "what vitest selected" },
        seed: options.seed ?? randomInt(2 ** 32),
        concurrency: options.concurrency,
        emit(event) {
          if (event.type === "case-judged") results.set(event.result.id, event.result);
        },
      });
      if (finished.suiteErrors.length > 0) {
        throw new Error(`faults of the suite itself: ${finished.suiteErrors.join("; ")}`);
      }
    }, options.timeoutMs ?? TEN_MINUTES_MS);

    for (const head of plan.heads) {
      describe(head.id, () => {
        for (const { caseId, rule, testCase } of plan.cases) {
          if (rule.id !== head.id) continue;
          test.concurrent(testCase.id, (context) =>
            tell(context, results.get(caseId), acceptIncomplete),
          );
        }
      });
    }

    test("verdict", (context) => tellVerdict(context, finished, { acceptIncomplete, require }));
  });
}

interface TaskNode {
  readonly type: string;
  readonly name: string;
  readonly mode: string;
  readonly tasks?: readonly TaskNode[];
}

/** Names of the cases that vitest's filters select. */
function selectedCases(suite: { readonly tasks: readonly unknown[] }): string[] {
  return (suite.tasks as readonly TaskNode[]).flatMap((rule) =>
    (rule.tasks ?? [])
      .filter(({ mode }) => mode === "run" || mode === "queued")
      .map(({ name }) => `${rule.name}/${name}`),
  );
}

async function tell(
  context: TestContext,
  result: CaseResult | undefined,
  acceptIncomplete: boolean,
): Promise<void> {
  if (!result) return context.skip("the case was not run");
  const { outcome, level } = result;
  const reason = result.reason ? inWords(result.reason) : outcome;
  switch (outcome) {
    case "pass":
      return;
    case "fail":
      throw new Error(explanation(result));
    case "warn":
      await context.annotate(explanation(result), "warning");
      return;
    case "observed":
      await context.annotate(result.actual ? inWords(result.actual) : reason, "notice");
      return;
    case "not-applicable":
      return context.skip(reason);
    case "inconclusive":
    case "not-provisioned":
      if (level === "MUST" && !acceptIncomplete) throw new Error(`${outcome}: ${reason}`);
      return context.skip(reason);
  }
}

function tellVerdict(
  context: TestContext,
  finished: RunFinished | undefined,
  { acceptIncomplete, require }: Pick<ConformanceOptions, "acceptIncomplete" | "require">,
): void {
  if (!finished) {
    if (require !== undefined) throw new Error("no case was run, so there is no verdict");
    return context.skip("no case was run");
  }
  const { verdict, verdictText } = finished;
  if (verdict === "conformant") return;
  const isAccepted = verdict === "partial" || (verdict === "incomplete" && acceptIncomplete);
  if (isAccepted && require === undefined) return context.skip(verdictText);
  throw new Error(verdictText);
}

function explanation({ title, expected, actual, evidence }: CaseResult): string {
  return [
    `about: ${title}`,
    expected && `expected: ${inWords(expected)}`,
    actual && `actual: ${inWords(actual)}`,
    ...differenceTexts(evidence?.differences).map(
      (line) => `differs from the accepted control: ${line}`,
    ),
  ]
    .filter((line) => line !== undefined)
    .join("\n");
}
