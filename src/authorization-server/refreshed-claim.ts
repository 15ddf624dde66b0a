import type { Evidence, Finding } from "../probe/finding.ts";
import { phrase, valueFact } from "../probe/phrase.ts";
import type { Client } from "../profile/authorization-server.ts";
import { furtherTokens } from "./further-tokens.ts";
import type { IssuedToken } from "./issued.ts";
import type { ServerProbe } from "./probe.ts";

/**
 * Judges that a refresh does not change the value of a claim. A token in which the claim is no text is judged by other
 * cases.
 */
export async function judgeKept(
  probe: ServerProbe,
  client: Client,
  claim: string,
): Promise<Finding> {
  await furtherTokens(probe, client);
  const pairs = probe.issued.flatMap((token) => {
    const original = token.refreshed;
    if (original?.client.name !== client.name) return [];
    const [before, after] = [original, token].map((one) => textIn(one, claim));
    return before !== undefined && after !== undefined ? [{ before, after, token, original }] : [];
  });
  const [first] = pairs;
  if (!first) {
    return { kind: "not-applicable", reason: phrase`no refresh token gave a token with ${claim}` };
  }
  const { before, after, token, original } = pairs.find((one) => one.before !== one.after) ?? first;
  const evidence: Evidence = { probes: [token.exchange], controls: [original.exchange] };
  if (before === after) return { kind: "pass", evidence };
  return {
    kind: "fail",
    expected: phrase`\`${claim}\` is ${valueFact(before)}, as in the token that came with the refresh token`,
    actual: phrase`it is ${valueFact(after)}`,
    evidence,
  };
}

function textIn({ claims }: IssuedToken, claim: string): string | undefined {
  const value = claims[claim];
  return typeof value === "string" && value !== "" ? value : undefined;
}
