import {
  inCapitals,
  RESPELLED_CLAIMS,
  type RespelledClaim,
} from "../mutations/token/claim-names.ts";
import type { Finding } from "./finding.ts";
import { phrase } from "./phrase.ts";
import type { Probe } from "./probe.ts";

/** The rule that a claim belongs to. */
const OWNERS: Readonly<Record<RespelledClaim, string>> = {
  iss: "receiver.issuer",
  aud: "receiver.audience",
  exp: "receiver.expiry",
  scope: "receiver.scope",
};

/**
 * Finds that a claim is not read under its name in capitals. Nothing can be said where its absence is
 * not missed at all; and one decoder that reads every name so is blamed on the first of the claims alone.
 */
export async function rejectsInCapitals(probe: Probe, claim: RespelledClaim): Promise<Finding> {
  const finding = await probe.rejects(inCapitals(claim));
  if (finding.kind !== "fail") return finding;
  if (!(await isMissed(probe, claim))) {
    return {
      kind: "not-applicable",
      reason: phrase`a token without \`${claim}\` is accepted as well`,
    };
  }
  for (const earlier of RESPELLED_CLAIMS.slice(0, RESPELLED_CLAIMS.indexOf(claim))) {
    const other = await probe.rejects(inCapitals(earlier));
    if (other.kind === "fail" && (await isMissed(probe, earlier))) {
      const reason = phrase`names in capitals are read for \`${earlier}\` too, which is a matter of ${OWNERS[earlier]}`;
      return {
        kind: "inconclusive",
        reason,
        ...(finding.evidence && { evidence: finding.evidence }),
      };
    }
  }
  return finding;
}

async function isMissed(probe: Probe, claim: RespelledClaim): Promise<boolean> {
  const without = await probe.rejects({
    name: "missing",
    what: `there is no \`${claim}\``,
    claims: { [claim]: undefined },
  });
  return without.kind === "pass";
}
