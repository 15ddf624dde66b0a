import type * as FastCheck from "fast-check";

import { Finding, ofAll } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";

type Fc = typeof FastCheck;

/** The values to test a property with. */
export interface Values<T> {
  /** Values that are always tried, in this order. */
  readonly edges: readonly T[];
  /** Generates further values, and shrinks counterexamples. */
  readonly arbitrary: (fc: Fc) => FastCheck.Arbitrary<T>;
  /** The number of values generated in addition to the edges. */
  readonly drawn: number;
}

/** The most requests for shrinking a counterexample. */
const MOST_SHRINKS = 12;

/**
 * Judges a property by judging each of several values. The run's seed determines the generated
 * values.
 * @param judge judges one value; `not-applicable` where it shows nothing
 * @returns the finding for the smallest value that violates the property, a MUST before a SHOULD;
 * otherwise the first inconclusive finding; otherwise a pass
 * @throws the errors of `judge`
 */
export async function forAll<T>(
  probe: Probe,
  values: Values<T>,
  judge: (value: T) => Promise<Finding>,
): Promise<Finding> {
  // Imported late, so that the first request of a run does not wait for it.
  const fc = await import("fast-check");
  const judged = new Map<string, Finding>();
  const once = async (value: T): Promise<Finding> => {
    const key = JSON.stringify(value);
    const finding = judged.get(key) ?? (await judge(value));
    judged.set(key, finding);
    return finding;
  };
  const must = await smallest(fc, probe, values, once, (finding) => isViolation(finding, false));
  if (must) return must;
  const findings = [...judged.values()];
  if (findings.some((finding) => isViolation(finding, true))) {
    const should = await smallest(fc, probe, values, once, (finding) => isViolation(finding, true));
    if (should) return should;
  }
  const undecided = findings.find(({ kind }) => kind === "inconclusive");
  if (undecided) return undecided;
  if (findings.some(({ kind }) => kind !== "not-applicable")) {
    const evidence = findings.map((finding) => "evidence" in finding && finding.evidence);
    return Finding.pass(ofAll(evidence.filter((one) => one !== undefined && one !== false)));
  }
  const [first] = findings;
  const why = first?.kind === "not-applicable" ? first.reason : "nothing was tried";
  return Finding.inconclusive(phrase`${why}`);
}

/** The finding for the smallest value whose finding is wanted. */
async function smallest<T>(
  fc: Fc,
  { seed, confirming }: Probe,
  { edges, arbitrary, drawn }: Values<T>,
  judge: (value: T) => Promise<Finding>,
  wanted: (finding: Finding) => boolean,
): Promise<Finding | undefined> {
  let found: Finding | undefined;
  let shrinks = 0;
  let thrown: { error: unknown } | undefined;
  const property = fc.asyncProperty(arbitrary(fc), async (value) => {
    if (thrown || (found && ++shrinks > MOST_SHRINKS)) return true;
    try {
      const finding = await judge(value);
      if (!wanted(finding)) return true;
      found = finding;
    } catch (error) {
      thrown = { error };
    }
    return false;
  });
  await fc.check(property, {
    seed,
    examples: edges.map((edge): [T] => [edge]),
    numRuns: edges.length + drawn,
    // To confirm a violation, seeing it once is enough. The report shows the first, smaller one.
    endOnFailure: confirming,
  });
  if (thrown) throw thrown.error;
  return found;
}

function isViolation(finding: Finding, lesser: boolean): boolean {
  return finding.kind === "fail" && (finding.atMost !== undefined) === lesser;
}
