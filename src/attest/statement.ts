import { LEVELS } from "../contract/levels.ts";
import { SuiteError } from "../lib/errors.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Report } from "../report/report.ts";

/** The type of an in-toto Statement v1. The suite makes one type of predicate only. */
export const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
export const PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1";

/**
 * The predicate test-result v0.1. Its tests are the rules of the contract, and so is its result. Packs have their verdicts in
 * `configuration`.
 */
export interface TestResult {
  readonly result: "PASSED" | "WARNED" | "FAILED";
  /** In-toto ResourceDescriptors: what was tested, by what, and under which conditions. */
  readonly configuration: readonly JsonObject[];
  readonly passedTests: readonly string[];
  readonly warnedTests: readonly string[];
  readonly failedTests: readonly string[];
}

/** Name of the entry of `configuration` that stands for the suite as it is installed. */
export const SUITE = "suite";

/**
 * Makes the predicate that an attestation of a report contains.
 * @param installed SHA-256 of the installed files, in hexadecimal; see `digestOfFiles`
 * @throws SuiteError when the report is partial, interrupted, compared with a baseline, or spoilt by a fault of
 * the suite
 */
export function testResult(report: Report, installed: string): TestResult {
  refuseLess(report);
  const { suite, plan, target, scope, coverage, verdict, seed, startedAt } = report;
  const { excluded: leftOut, leftBehind = [], packs = [] } = report;
  const named = (outcome: string): string[] =>
    report.rules.filter((rule) => rule.outcome === outcome).map(({ id }) => id);
  return {
    result: resultOf(report),
    configuration: [
      {
        name: SUITE,
        uri: `pkg:npm/${suite.name}@${suite.version}`,
        digest: { sha256: installed },
        annotations: { version: suite.version },
      },
      {
        name: "rules",
        digest: { sha256: plan.rules },
        annotations: { version: suite.requirements },
      },
      {
        name: "deployment",
        uri: target.baseUrl,
        annotations: {
          ...(target.deployment && { deployment: target.deployment }),
          audience: target.audience,
          issuer: target.issuer,
          ...(target.profile !== undefined && { profile: target.profile }),
        },
      },
      {
        name: "run",
        annotations: { verdict, scope, coverage, seed, startedAt, leftOut, leftBehind },
      },
      ...packs.map((pack) => ({
        name: `pack ${pack.id}`,
        digest: { sha256: pack.plan.rules },
        annotations: {
          title: pack.title,
          version: pack.version,
          verdict: pack.verdict,
          scope: pack.scope,
          coverage: pack.coverage,
        },
      })),
    ],
    passedTests: named("pass"),
    warnedTests: named("warn"),
    failedTests: named("fail"),
  };
}

/** @throws SuiteError when the report must not be attested */
function refuseLess(report: Report): void {
  const { partial, partialBecause, baseline, packs = [] } = report;
  const hint =
    "Attest the report of a whole run on all six operations, without --rule, --read-only and --baseline.";
  if (partial) {
    const because = partialBecause.join("; ");
    throw new SuiteError("ERR_REPORT", `A partial report cannot be attested: ${because}`, { hint });
  }
  if (baseline) {
    throw new SuiteError("ERR_REPORT", "A run with a baseline cannot be attested", { hint });
  }
  if ([report, ...packs].some(isUnfinished)) {
    throw new SuiteError("ERR_REPORT", "A run that did not finish cannot be attested", { hint });
  }
}

function isUnfinished({
  interrupted,
  suiteErrors,
}: Pick<Report, "interrupted" | "suiteErrors">): boolean {
  return interrupted || suiteErrors.length > 0;
}

/**
 * A run that could not judge every MUST is FAILED, not WARNED, because consumers may accept warnings. The
 * verdict in the predicate gives the reason.
 */
function resultOf({ verdict, counts }: Pick<Report, "verdict" | "counts">): TestResult["result"] {
  if (verdict !== "conformant") return "FAILED";
  return LEVELS.some((level) => counts[level].warn > 0) ? "WARNED" : "PASSED";
}

/** Makes the statement that binds a predicate to a report with this SHA-256, in hexadecimal. */
export function statementOf(predicate: TestResult, sha256: string): JsonObject {
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name: "report.json", digest: { sha256 } }],
    predicateType: PREDICATE_TYPE,
    predicate,
  };
}
