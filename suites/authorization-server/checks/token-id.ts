import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import { phrase, valueFact } from "../../../src/probe/phrase.ts";
import { furtherTokens } from "./further-tokens.ts";

/** Judges that each `jti` is a string of one token alone. A server may give a token again. */
export async function judgeTokenId(probe: ServerProbe): Promise<Finding> {
  for (const client of probe.server.clients) {
    const got = await probe.currentToken(client);
    if (!("failed" in got)) await furtherTokens(probe, client);
  }
  const known = new Map<unknown, { readonly token: string; readonly exchange: string }>();
  for (const { token, exchange, claims } of probe.issued) {
    const { jti } = claims;
    if (jti === undefined) continue;
    const shown = valueFact(JSON.stringify(jti).slice(0, 80));
    const expected = phrase`jti is a string that no other token has`;
    const before = known.get(jti) ?? { token, exchange };
    if (typeof jti !== "string") {
      return {
        kind: "fail",
        expected,
        actual: phrase`it is ${shown}`,
        evidence: { probes: [exchange] },
      };
    }
    if (before.token !== token) {
      const evidence = { probes: [exchange], controls: [before.exchange] };
      return { kind: "fail", expected, actual: phrase`two tokens have ${shown}`, evidence };
    }
    known.set(jti, before);
  }
  const probes = [...known.values()].map(({ exchange }) => exchange).slice(0, 3);
  return probes.length === 0
    ? { kind: "not-applicable", reason: phrase`no token has jti` }
    : { kind: "pass", evidence: { probes } };
}
