import type { Finding } from "../probe/finding.ts";
import { phrase, valueFact } from "../probe/phrase.ts";
import type { Client } from "../profile/authorization-server.ts";
import type { ServerProbe } from "./probe.ts";

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
  const { coded } = await probe.token(client);
  const said = coded?.answer.parameters.get("iss") ?? null;
  const { issuer } = probe.server;
  if (said === null) {
    const { documents } = await probe.endpoints();
    const { exchange, metadata } = documents[0] ?? {};
    if (!exchange || metadata?.["authorization_response_iss_parameter_supported"] !== true)
      return { kind: "not-applicable", reason: phrase`the answer does not name the issuer` };
    return {
      kind: "fail",
      expected: phrase`iss is ${issuer}, because the metadata says that the answer names the issuer`,
      actual: phrase`it is absent`,
      evidence: { probes: [exchange] },
    };
  }
  if (said === issuer) return { kind: "pass" };
  return {
    kind: "fail",
    expected: phrase`iss is ${issuer}`,
    actual: phrase`it is ${valueFact(said.slice(0, 200))}`,
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

/** Less than the 128 bits of RFC 6749 section 10.10, because a code may have a fixed part. */
const FEWEST_BITS = 96;

/** Judges that the client's codes are too long to be guessed, and that none was issued twice. */
export async function judgeGuessable(probe: ServerProbe, client: Client): Promise<Finding> {
  const { exchange } = await probe.token(client);
  const codes = probe.issued.flatMap((one) =>
    one.client.name === client.name && one.coded?.answer.code !== undefined
      ? [one.coded.answer.code]
      : [],
  );
  const evidence = { probes: [exchange] };
  const bits = Math.floor(Math.min(...codes.map((code) => bitsOf(code.length, codes.join("")))));
  const redeemed = probe.responses.flatMap(({ request }) =>
    request.client.name === client.name ? request.form.getAll("code") : [],
  );
  const changing = changingBits([...codes, ...redeemed]);
  const expected = phrase`codes of 128 random bits or more, each of which is issued once`;
  if (new Set(codes).size < codes.length)
    return { kind: "fail", expected, actual: phrase`one code was issued twice`, evidence };
  if (bits < FEWEST_BITS)
    return { kind: "fail", expected, actual: phrase`a code has ${bits} bits at most`, evidence };
  if (changing === undefined || changing >= FEWEST_CHANGING_BITS) return { kind: "pass", evidence };
  const actual = phrase`codes have ${changing} bits at most that are not the same in all of them`;
  return { kind: "fail", expected, actual, evidence };
}

/** Fewer bits than a random part has. In so many codes hardly any random character is the same in all by chance. */
const FEWEST_CHANGING_BITS = 64;
const FEWEST_CODES = 4;

/**
 * The most bits in which codes of the first one's length differ: ids that are made of the time or of a counter differ
 * in few. `undefined` where there are too few such codes.
 */
function changingBits(codes: readonly string[]): number | undefined {
  const [first = ""] = codes;
  // Some cases redeem no code, or an altered one.
  const alike = [...new Set(codes)].filter(({ length }) => length === first.length);
  if (alike.length < FEWEST_CODES) return undefined;
  const changing = first.split("").filter((_, at) => alike.some((code) => code[at] !== first[at]));
  return Math.floor(bitsOf(changing.length, alike.join("")));
}

/** The most random bits that so many characters can have, by the characters of all codes. */
function bitsOf(length: number, all: string): number {
  const size = [/^\d+$/, /^[\da-f-]+$/i, /^[\da-z-]+$/, /^[\w-]+$/].findIndex((kind) =>
    kind.test(all),
  );
  return length * Math.log2([10, 16, 36, 64][size] ?? 95);
}
