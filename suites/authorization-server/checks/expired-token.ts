import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import { SMALL_SKEW_SECONDS } from "../../../src/contract/checks.ts";
import type { OperationId } from "../../../src/contract/operations.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";
import { notAccepted } from "./not-access.ts";

/** Seconds after `exp` of the first attempt. Clocks in one network agree to a few seconds. */
const FIRST_LOOK_SECONDS = 2;
const STEP_MS = 5000;

/**
 * Judges that the receiver rejects an expired token while it accepts a new one. Waits for the expiry
 * at most as long as the profile allows. An accepted token may still be within the receiver's clock
 * skew.
 */
export async function judgeExpired(
  probe: ServerProbe,
  client: Client,
  operation: OperationId,
): Promise<Finding> {
  const { waitSeconds } = probe.server;
  const token = await probe.freshToken(client);
  const { exp, iat } = token.claims;
  const seconds = Number(exp) - Number(iat);
  if (!Number.isFinite(seconds) || seconds <= 0) {
    return Finding.inconclusive(phrase`its \`exp\` and \`iat\` give no lifetime`);
  }
  if (seconds > waitSeconds) {
    return Finding.notApplicable(
      phrase`the token lives for ${seconds} s, and \`authorizationServer.waitSeconds\` is ${waitSeconds}`,
    );
  }
  const good = await probe.present(token, operation);
  if (reception(good.reply) !== "accepted") return notAccepted(good.reply);
  const expiresMs = token.issuedAtMs + seconds * 1000;
  await probe.wait(expiresMs + FIRST_LOOK_SECONDS * 1000 - Date.now());
  for (;;) {
    const late = Math.floor((Date.now() - expiresMs) / 1000);
    const { reply, evidence } = await probe.presentOther(token, token.token, operation);
    const fresh = await probe.present(await probe.freshToken(client), operation);
    const controls = [good.reply.exchange.id, fresh.reply.exchange.id];
    const seen = { probes: evidence.probes, controls };
    const actual = phrase`${describeReply(reply)}, ${late} s after \`exp\``;
    if (reception(fresh.reply) !== "accepted") {
      return Finding.inconclusive(phrase`a new token is not accepted`, seen);
    }
    if (reception(reply) === "rejected") return Finding.pass(seen, actual);
    if (reception(reply) !== "accepted") return Finding.inconclusive(actual, seen);
    if (late > SMALL_SKEW_SECONDS) {
      const expected = phrase`rejected, with a small clock skew at most`;
      return { kind: "fail", expected, actual, evidence: seen, atMost: "SHOULD" };
    }
    if (late + seconds > waitSeconds) {
      return Finding.observed(phrase`${actual}: that may be its clock skew`, seen);
    }
    await probe.wait(STEP_MS);
  }
}
