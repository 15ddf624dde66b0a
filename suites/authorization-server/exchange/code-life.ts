import { noCode, passUnless, violation } from "../../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import type { Coded } from "../../../src/authorization-server/protocol/consents.ts";
import type { Failed } from "../../../src/authorization-server/protocol/failed.ts";
import type { TokenResponse } from "../../../src/authorization-server/protocol/token-request.ts";
import {
  describeResponse,
  isUnclear,
} from "../../../src/authorization-server/protocol/token-response.ts";
import {
  clientsOf,
  codeClients,
  forEach,
  REFUSED,
  type ServerCase,
} from "../../../src/authorization-server/rule.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { AuthorizationServer, Client } from "../../../src/profile/authorization-server.ts";
import { followGood } from "../redirect/error-redirect.ts";
import { judgeReplay } from "./code-exchanges.ts";

/** Lifetimes of codes: some OAuth profiles allow one minute, RFC 6749 recommends ten at most. */
const CODE_LIVES = [
  {
    id: "expired-minute",
    title: "Whether a code is valid for more than a minute",
    level: "OBSERVE",
    seconds: 62,
  },
  {
    id: "expired",
    title: "A code is valid for at most ten minutes",
    level: "SHOULD",
    seconds: 660,
  },
] as const;

/** Judges a request whose consent is refused, RFC 6749 section 4.1.2.1. */
export async function judgeDenial(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const good = await probe.shared(followGood, client);
  if (good.kind === "redirected" && good.url.searchParams.has("code")) {
    return Finding.notApplicable(phrase`the server asks nobody for consent`);
  }
  const refused = await probe.consent(client, client.scopes, { refuse: true });
  // A server may remember an earlier consent, and ask nobody until it is told to. Others ignore the parameter.
  const tried =
    codeOf(refused) === undefined
      ? refused
      : await probe.consent(client, client.scopes, { change: { prompt: "consent" }, refuse: true });
  const evidence = { probes: [], controls: [control.exchange] };
  if ("failed" in tried) return noCode(tried, evidence);
  if (codeOf(tried) !== undefined) {
    return violation(phrase`there is a code`, phrase`no code is issued`, evidence);
  }
  const { error } = tried.answer;
  if (error !== undefined && hasState(tried)) {
    const reason = phrase`no code was issued: the redirect had the error ${error.slice(0, 40)}`;
    return Finding.pass(evidence, reason);
  }
  const expected = phrase`the redirect has error, and the state that was sent`;
  const actual =
    error === undefined ? phrase`it has no error` : phrase`it does not have that state`;
  return passUnless(actual, expected, evidence);
}

function codeOf(tried: Coded | Failed): string | undefined {
  return "failed" in tried ? undefined : tried.answer.code;
}

function hasState({ request, answer }: Coded): boolean {
  const returned = answer.parameters.getAll("state");
  return returned.length === 1 && returned[0] === request.state;
}

/** Observes how many tokens result when one code is redeemed twice at once, RFC 6749 section 10.5. */
async function observeRace(probe: ServerProbe, client: Client): Promise<Finding> {
  const coded = await probe.code(client);
  const both = await Promise.all([probe.exchange(client, coded), probe.exchange(client, coded)]);
  return observeBoth(both);
}

export function observeBoth(both: readonly TokenResponse[]): Finding {
  const tokens = both.filter(({ accessToken }) => accessToken !== undefined).length;
  const [one, other] = both.map(describeResponse);
  return Finding.observed(phrase`${tokens} of 2 requests got a token: ${one}; ${other}`, {
    probes: both.map(({ exchange }) => exchange),
  });
}

/** Judges a code that is redeemed some seconds after it was issued, or observes what it gives. */
async function judgeExpiry(
  probe: ServerProbe,
  client: Client,
  seconds: number,
  judged: boolean,
): Promise<Finding> {
  const coded = await probe.code(client);
  await probe.wait(seconds * 1000);
  const response = await probe.exchange(client, coded);
  const actual = phrase`${describeResponse(response)} after ${seconds} s`;
  const evidence = { probes: [response.exchange] };
  if (isUnclear(response)) return Finding.inconclusive(actual, evidence);
  if (!judged) return Finding.observed(actual, evidence);
  if (response.accessToken === undefined) return Finding.pass(evidence, actual);
  return violation(actual, phrase`no access token is issued`, evidence);
}

/** The cases about how long a code is valid, and how often. */
export function lifeCases(server: AuthorizationServer): readonly ServerCase[] {
  const first = clientsOf(server, "authorization_code").slice(0, 1);
  return [
    ...CODE_LIVES.flatMap(({ seconds, ...one }) =>
      forEach(first, {
        ...REFUSED,
        ...one,
        phase: "waiting",
        grounds: { source: "RFC 6749 section 4.1.2" },
        requirement: "rfc6749.code-expiry",
        ...(server.waitSeconds < seconds && {
          consents: 0,
          inapplicable: `\`authorizationServer.waitSeconds\` is less than ${seconds}`,
        }),
        judge: (probe, client) => judgeExpiry(probe, client, seconds, one.level !== "OBSERVE"),
      }),
    ),
    // Last, because a server that notices may revoke more than this flow.
    ...forEach(first, {
      ...REFUSED,
      id: "race",
      title: "How many tokens a code gives when it is redeemed twice at the same time",
      level: "OBSERVE",
      grounds: { source: "RFC 6749 section 10.5" },
      requirement: "rfc6749.code-once",
      judge: observeRace,
    }),
    ...forEach(codeClients(server), {
      ...REFUSED,
      id: "replay",
      title: "A code that has given a token does not give another",
      grounds: {
        why: "an attacker who finds a used code in a log could redeem it",
        source: "RFC 6749 section 4.1.2",
      },
      requirement: "rfc6749.code-once",
      judge: judgeReplay,
    }),
  ];
}
