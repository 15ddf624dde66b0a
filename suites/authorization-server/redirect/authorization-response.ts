import { passUnless, violation } from "../../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { countFact, phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";

// The authorization response with the code of a client's current token.

/** Judges that `state` is returned as it was sent. */
export async function judgeReturnedState(probe: ServerProbe, client: Client): Promise<Finding> {
  const { coded, exchange } = await probe.token(client);
  const returned = coded?.answer.parameters.getAll("state") ?? [];
  const isRight = returned.length === 1 && returned[0] === coded?.request.state;
  const wrong = returned.length === 0 ? phrase`there is no state` : phrase`it is another state`;
  const expected = phrase`state is the one that was sent`;
  return passUnless(isRight ? undefined : wrong, expected, { probes: [exchange] });
}

/** Judges that `iss` is the server's issuer, if the response has it or the metadata says that it has. */
export async function judgeIssuer(probe: ServerProbe, client: Client): Promise<Finding> {
  const { coded, exchange } = await probe.token(client);
  const said = coded?.answer.parameters.get("iss") ?? null;
  const { issuer } = probe.server;
  if (said === null) {
    const { documents } = await probe.endpoints();
    const { exchange: published, metadata } = documents[0] ?? {};
    if (!published || metadata?.["authorization_response_iss_parameter_supported"] !== true)
      return Finding.notApplicable(phrase`the answer does not name the issuer`);
    const expected = phrase`\`iss\` is ${issuer}, because the metadata says that the answer names the issuer`;
    return violation(phrase`it is absent`, expected, { probes: [published] });
  }
  const actual = said === issuer ? undefined : phrase`it is ${valueFact(said.slice(0, 200))}`;
  return passUnless(actual, phrase`\`iss\` is ${issuer}`, { probes: [exchange] });
}

/** Judges that the redirect after the login does not repeat the form. */
export async function judgeRedirectStatus(probe: ServerProbe, client: Client): Promise<Finding> {
  const { coded, exchange } = await probe.token(client);
  const actual = coded?.answer.resent
    ? phrase`it arrived by POST with another form: the status is 307 or 308`
    : undefined;
  return passUnless(actual, phrase`the redirect is followed by GET`, { probes: [exchange] });
}

export async function judgeCodeOnce(probe: ServerProbe, client: Client): Promise<Finding> {
  const { coded, exchange } = await probe.token(client);
  const { length } = coded?.answer.parameters.getAll("code") ?? [];
  const actual = length === 1 ? undefined : phrase`${countFact(length, "code")}`;
  return passUnless(actual, phrase`one code`, { probes: [exchange] });
}

/** Judges that the response keeps the redirect URI's own query. */
export async function judgeQueryKept(probe: ServerProbe, client: Client): Promise<Finding> {
  const { coded, exchange } = await probe.token(client);
  const parameters = coded?.answer.parameters ?? new URLSearchParams();
  const { searchParams } = new URL(coded?.request.redirectUri ?? client.redirectUri ?? "");
  const lost = [...searchParams].find(([name, value]) => !parameters.getAll(name).includes(value));
  const actual = lost && phrase`${valueFact(lost[0])} is missing or changed`;
  return passUnless(actual, phrase`the parameters of the redirect URI`, { probes: [exchange] });
}
