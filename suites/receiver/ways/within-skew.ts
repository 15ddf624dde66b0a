import type { OperationId } from "../../../src/contract/operations.ts";
import { because, type InvalidMutation } from "../../../src/mutations/mutation.ts";
import { custom } from "../../../src/probe/cases.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { expiredFor, measuredSkew } from "../times/skew.ts";
import { alsoChanged, type CheckOptions, readFor, rejectOptions } from "./check-options.ts";

/**
 * Tokens that fail a check, and that expired within the receiver's own skew. Where a library reports all errors of a token
 * together, a caller that tolerates "expired" may let the other errors pass too.
 */

/** A skew of less than this has no half that a test can hit, in seconds. */
const LEAST_SECONDS = 2;

/** Clients poll it, so a receiver may handle the errors of its tokens in a way of its own. */
const FEED = "readChangesFeed";

/**
 * A case for a mutation on each operation and on the feed, `<mutation>-within-skew@<operation>`: it must be rejected though
 * `exp` passed half the measured skew ago. Without a skew it does not apply, nor without a read, because the skew is measured
 * with accepted requests.
 */
export function rejectsWithinSkew(
  facts: Facts,
  operations: readonly OperationId[],
  mutation: InvalidMutation,
  options: CheckOptions = {},
): RuleCase[] {
  const [measured] = readFor(facts, {});
  if (measured === undefined) return [];
  const { check, why, source } = mutation.refused;
  const late: InvalidMutation = {
    ...because(mutation, {
      why: `${why}; that \`exp\` passed within the skew excuses nothing else`,
      source: `${source}; CVE-2024-51744`,
    }),
    name: `${mutation.name}-within-skew`,
    what: `${mutation.what}; \`exp\` has passed, by half the skew that the receiver allows`,
    signsAsIssuer: true,
  };
  const judge = async (probe: Probe): Promise<Finding> => {
    const { skew, finding } = await probe.use(measuredSkew(measured));
    if (skew === undefined || skew.accepted < LEAST_SECONDS) {
      return finding.kind === "observed"
        ? Finding.notApplicable(phrase`the skew after \`exp\`: ${finding.value}`)
        : finding;
    }
    const expired = expiredFor(Math.floor(skew.accepted / 2), probe.clockOffsetSeconds ?? 0);
    return probe.rejects(alsoChanged(late, expired), rejectOptions(probe, options));
  };
  const tried = new Set<OperationId>([...operations, FEED]);
  return custom([...tried], [late], judge, {
    dependsOn: [`receiver.${check}/${mutation.name}`],
  });
}
