import { passUnless, violation } from "../../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase, type Phrase } from "../../../src/probe/phrase.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";

// How easily codes and refresh tokens are guessed, RFC 6749 section 10.10, by those that the run has seen.

/** Less than the 128 bits of RFC 6749 section 10.10, because a code may have a fixed part. */
const FEWEST_BITS = 96;

/** Judges that the client's codes are too long to be guessed, and that none was issued twice. */
export async function judgeGuessable(probe: ServerProbe, client: Client): Promise<Finding> {
  const { exchange } = await probe.token(client);
  const codes = probe.issued.flatMap((one) =>
    one.client.name === client.name ? (one.coded?.answer.code ?? []) : [],
  );
  const expected = phrase`codes of 128 random bits or more, each of which is issued once`;
  const evidence = { probes: [exchange] };
  if (new Set(codes).size < codes.length)
    return violation(phrase`one code was issued twice`, expected, evidence);
  const redeemed = probe.responses.flatMap(({ request }) =>
    request.client.name === client.name ? request.form.getAll("code") : [],
  );
  return passUnless(whyGuessable(codes, redeemed, "code"), expected, evidence);
}

/** Judges that the client's refresh tokens are too long to be guessed. A server may give one again. */
export async function judgeGuessableRefresh(probe: ServerProbe, client: Client): Promise<Finding> {
  const { exchange } = await probe.token(client);
  const tokens = probe.responses.flatMap(({ refreshToken, request }) =>
    request.client.name === client.name ? (refreshToken ?? []) : [],
  );
  if (tokens.length === 0) return Finding.notApplicable(phrase`the flow returns no refresh token`);
  const expected = phrase`refresh tokens of 128 random bits or more`;
  return passUnless(whyGuessable(tokens, [], "refresh token"), expected, { probes: [exchange] });
}

/**
 * Why codes or refresh tokens can be guessed; `undefined` where nothing shows it.
 * @param more further ones, which need not be genuine
 */
function whyGuessable(
  all: readonly string[],
  more: readonly string[],
  what: "code" | "refresh token",
): Phrase | undefined {
  const bits = Math.floor(Math.min(...all.map((one) => bitsOf(one.length, all.join("")))));
  if (bits < FEWEST_BITS) return phrase`a ${what} has ${bits} bits at most`;
  const changing = changingBits([...all, ...more]);
  return changing === undefined || changing >= FEWEST_CHANGING_BITS
    ? undefined
    : phrase`${what}s have ${changing} bits at most that are not the same in all of them`;
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
