import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import { phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";

// The authorization response with the code of a client's current token.

/** Judges that `state` is returned as it was sent. */
export async function judgeReturnedState(probe: ServerProbe, client: Client): Promise<Finding> {
  const { coded, exchange } = await probe.token(client);
  const returned = coded?.answer.parameters.getAll("state") ?? [];
  const evidence = { probes: [exchange] };
  if (returned.length === 1 && returned[0] === coded?.request.state) {
    return { kind: "pass", evidence };
  }
  const expected = phrase`state is the one that was sent`;
  const actual = returned.length === 0 ? phrase`there is no state` : phrase`it is another state`;
  return { kind: "fail", expected, actual, evidence };
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
      return { kind: "not-applicable", reason: phrase`the answer does not name the issuer` };
    return {
      kind: "fail",
      expected: phrase`iss is ${issuer}, because the metadata says that the answer names the issuer`,
      actual: phrase`it is absent`,
      evidence: { probes: [published] },
    };
  }
  const evidence = { probes: [exchange] };
  if (said === issuer) return { kind: "pass", evidence };
  return {
    kind: "fail",
    expected: phrase`iss is ${issuer}`,
    actual: phrase`it is ${valueFact(said.slice(0, 200))}`,
    evidence,
  };
}

/** Judges that the redirect after the login does not repeat the form. */
export async function judgeRedirectStatus(probe: ServerProbe, client: Client): Promise<Finding> {
  const { coded, exchange } = await probe.token(client);
  const evidence = { probes: [exchange] };
  if (!coded?.answer.resent) return { kind: "pass", evidence };
  return {
    kind: "fail",
    expected: phrase`the redirect is followed by GET`,
    actual: phrase`it arrived by POST with another form: the status is 307 or 308`,
    evidence,
  };
}

/** Judges that the response has one code. */
export async function judgeCodeOnce(probe: ServerProbe, client: Client): Promise<Finding> {
  const { coded, exchange } = await probe.token(client);
  const { length } = coded?.answer.parameters.getAll("code") ?? [];
  const evidence = { probes: [exchange] };
  if (length === 1) return { kind: "pass", evidence };
  return { kind: "fail", expected: phrase`one code`, actual: phrase`${length} codes`, evidence };
}

/** Judges that the response keeps the redirect URI's own query. */
export async function judgeQueryKept(probe: ServerProbe, client: Client): Promise<Finding> {
  const { coded, exchange } = await probe.token(client);
  const parameters = coded?.answer.parameters ?? new URLSearchParams();
  const evidence = { probes: [exchange] };
  const { searchParams } = new URL(coded?.request.redirectUri ?? client.redirectUri ?? "");
  const lost = [...searchParams].find(([name, value]) => !parameters.getAll(name).includes(value));
  if (!lost) return { kind: "pass", evidence };
  return {
    kind: "fail",
    expected: phrase`the parameters of the redirect URI`,
    actual: phrase`${valueFact(lost[0])} is missing or changed`,
    evidence,
  };
}
