import type { InvalidMutation, Mutation } from "../../../src/mutations/mutation.ts";
import type { MutationCase } from "../../../src/probe/cases.ts";
import { Finding, type FindingOf } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { compact } from "../../../src/tokens/compact.ts";
import { nowSeconds } from "../../../src/tokens/draft.ts";
import { expiredFor, measuredSkew } from "./skew.ts";

/** How long the token is still valid at its first use, in seconds. */
const LEFT_SECONDS = 3;
const STEP_MS = 1000;
const MOST_STEPS = 6;
/**
 * In seconds, long enough for all twins to be issued later than the token. So a receiver that limits the age of tokens refuses
 * the token before its twins.
 */
const LIFETIME = 1 + 2 * MOST_STEPS;

/** An accepted token that is used again after it expired. */
export const keptAfterExpiry: InvalidMutation = {
  name: "kept-after-exp",
  refused: {
    check: "expiry",
    why: "a cached decision must not outlive its token",
    source: "contract, Receiver checks 4",
  },
  level: "SHOULD",
  signsAsIssuer: true,
  what: "the token was accepted before it expired, and is used again",
};

/**
 * Judges that a token that was accepted is rejected once new tokens with the same `exp` are rejected.
 * It allows for the receiver's own skew, and takes a few seconds.
 */
export async function rejectsOnceExpired(
  probe: Probe,
  { operation }: MutationCase,
): Promise<Finding> {
  const { skew, finding: measurement } = await probe.use(measuredSkew(operation));
  if (skew?.refused === undefined) {
    return measurement.kind === "observed"
      ? Finding.notApplicable(
          phrase`how long an expired token is accepted is not known: ${measurement.value}`,
        )
      : measurement;
  }
  const clockOffsetSeconds = probe.clockOffsetSeconds ?? 0;
  const early = expiredFor(skew.refused - LEFT_SECONDS, clockOffsetSeconds, LIFETIME);
  let token = "";
  let claims: Readonly<Record<string, unknown>> = {};
  const first = await probe.attempt(
    {
      ...early,
      token: {
        ...early.token,
        text: (segments, draft) => ((claims = draft.claims), (token = compact(segments))),
      },
    },
    { purpose: "wanted" },
  );
  if (reception(first.reply) !== "accepted") {
    const reason = phrase`a token that should have been valid for a few more seconds was not accepted: ${describeReply(first.reply)}`;
    return Finding.inconclusive(reason, first.evidence);
  }
  const { exp, iat } = claims;
  let twins = 0;
  const twinIsRejected = async (): Promise<boolean> => {
    twins += 1;
    const twin: Mutation = {
      name: "twin",
      what: "another token with the same `exp`",
      token: { claims: { exp, iat: Number(iat) + twins } },
    };
    return reception((await probe.attempt(twin)).reply) === "rejected";
  };
  for (let step = 0; step < MOST_STEPS; step++) {
    await probe.wait(STEP_MS);
    if (!(await twinIsRejected())) continue;
    const finding = await probe.rejects({
      ...keptAfterExpiry,
      token: { ...keptAfterExpiry.token, text: () => token },
    });
    if (finding.kind !== "fail") return finding;
    const secondsAfter = Math.floor(nowSeconds({ clockOffsetSeconds })) - Number(exp);
    if (await twinIsRejected()) return keptBy(finding, secondsAfter);
  }
  return Finding.inconclusive(
    phrase`new tokens with the same \`exp\` were not all refused in time`,
    first.evidence,
  );
}

/** The violation with its cause: new tokens of the same age are refused, so what accepts this one is what was decided before. */
function keptBy(finding: FindingOf<"fail">, secondsAfter: number): Finding {
  return {
    ...finding,
    expected: phrase`refused, as new tokens with the same \`exp\` are`,
    actual: phrase`${finding.actual}, ${secondsAfter} s after \`exp\`, while new tokens with the same \`exp\` are refused before and after it: a cache keeps the decision about the token past its \`exp\`. How large a skew is small is left open, so this warns only; a gate sees it with --fail-on warn`,
  };
}
