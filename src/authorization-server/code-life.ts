import type { Level } from "../contract/levels.ts";
import type { Finding } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import type { Client } from "../profile/authorization-server.ts";
import { describeResponse, isUnclear } from "./issued.ts";
import type { ServerProbe } from "./probe.ts";

/** What becomes of consent and code in time. */

interface CodeLife {
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  /** After so long it is redeemed. */
  readonly seconds: number;
  /** Whether it has to be over by then. */
  readonly judged: boolean;
}

/** How long a code may live: a minute is what some profiles of OAuth allow, ten what RFC 6749 recommends. */
export const CODE_LIVES: readonly CodeLife[] = [
  {
    id: "expired-minute",
    title: "Whether a code is good for more than a minute",
    level: "OBSERVE",
    seconds: 62,
    judged: false,
  },
  {
    id: "expired",
    title: "A code is good for no more than ten minutes",
    level: "SHOULD",
    seconds: 660,
    judged: true,
  },
];

/** Has consent refused, RFC 6749 section 4.1.2.1. */
export async function judgeDenial(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const tried = await probe.tryCode(client, client.scopes, {}, { refuse: true });
  const evidence = { probes: [], controls: [control.token.exchange] };
  if (!("failed" in tried)) {
    const expected = phrase`no code comes of it`;
    return { kind: "fail", expected, actual: phrase`there is a code`, evidence };
  }
  if (tried.unclear) return { kind: "inconclusive", reason: phrase`${tried.failed}` };
  return { kind: "pass", reason: phrase`no code came of it: ${tried.failed}`, evidence };
}

/** Records how many tokens come of one code that is redeemed twice at once, RFC 6749 section 10.5. */
export async function observeRace(probe: ServerProbe, client: Client): Promise<Finding> {
  const coded = await probe.code(client);
  const both = await Promise.all([probe.exchange(client, coded), probe.exchange(client, coded)]);
  const tokens = both.filter(({ accessToken }) => accessToken !== undefined).length;
  const [one, other] = both.map(describeResponse);
  return {
    kind: "observed",
    value: phrase`${tokens} of 2 requests got a token: ${one}; ${other}`,
    evidence: { probes: both.map(({ answer }) => answer.reply.exchange.id) },
  };
}

/** Redeems a code some seconds after it came. */
export async function judgeExpiry(
  probe: ServerProbe,
  client: Client,
  { seconds, judged }: CodeLife,
): Promise<Finding> {
  const coded = await probe.code(client);
  await probe.wait(seconds * 1000);
  const response = await probe.exchange(client, coded);
  const actual = phrase`${describeResponse(response)} after ${seconds} s`;
  const evidence = { probes: [response.answer.reply.exchange.id] };
  if (isUnclear(response)) return { kind: "inconclusive", reason: actual, evidence };
  if (!judged) return { kind: "observed", value: actual, evidence };
  if (response.accessToken === undefined) return { kind: "pass", reason: actual, evidence };
  return { kind: "fail", expected: phrase`no access token comes of it`, actual, evidence };
}
