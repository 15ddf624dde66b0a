import { createHash } from "node:crypto";

import { generateRandomCodeVerifier } from "oauth4webapi";

import { noCode, observed } from "../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import type { ParameterChange } from "../../src/authorization-server/protocol/authorization-request.ts";
import type { Coded } from "../../src/authorization-server/protocol/consents.ts";
import {
  codeClients,
  CONSENT_TO_PROBES,
  everyCodeClient,
  forEach,
  ofServer,
} from "../../src/authorization-server/rule.ts";
import { refusal } from "../../src/authorization-server/tokens/flow-control.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { defineRule, type Rule, type ServerCaseData } from "../../src/probe/rule.ts";
import type { AuthorizationServer, Client } from "../../src/profile/authorization-server.ts";

interface PkceCase extends Omit<ServerCaseData, "client"> {
  /** Whether it is run for every client, because PKCE may be switched off for one. Default: for each kind. */
  readonly every?: boolean;
  readonly asks?: ParameterChange;
  /**
   * The verifier in the token request; `undefined` leaves it out.
   * @param other a good request before this one
   */
  readonly verifier: (
    request: Coded["request"],
    other: Coded["request"] | undefined,
  ) => string | undefined;
}

const WITHOUT = {
  level: "SHOULD",
  requirement: "rfc9700.pkce",
  grounds: { source: "RFC 9700 section 2.1.1" },
  asks: { code_challenge: undefined, code_challenge_method: undefined },
} as const;
const UNKNOWN = {
  level: "SHOULD",
  endpoint: "authorization",
  requirement: "rfc7636.method",
  grounds: { source: "RFC 7636 section 4.4.1" },
} as const;
/** A verifier as in RFC 7636 section 4.1, for the method that sends it unchanged. */
const PLAIN = "conformance-verifier-everybody-knows-Zq7Xw2LkT9";
/** A verifier of one letter, with its challenge. RFC 7636 section 4.1 forbids it to clients. */
const SHORT = "a";
const SHORT_CHALLENGE = "ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs";
/** The S256 challenge of `PLAIN`. */
const CHALLENGE = createHash("sha256").update(PLAIN).digest("base64url");
const HALF = CHALLENGE.length / 2;

/** What the cases have in common in which the verifier is not that of the challenge. */
function unfitting(source: string): Pick<PkceCase, "requirement" | "grounds"> {
  return {
    requirement: "rfc7636.code-verifier",
    grounds: { why: "an attacker who steals a code could redeem it", source },
  };
}

const CASES: readonly PkceCase[] = [
  {
    ...unfitting("RFC 7636 section 4.6"),
    id: "wrong",
    every: true,
    title: "The verifier of another request gives no token",
    // A server may know the challenge, and not compare whose it is.
    verifier: (_request, other) => other?.verifier ?? generateRandomCodeVerifier(),
  },
  {
    ...unfitting("RFC 7636 section 4.5"),
    id: "missing",
    title: "No verifier gives no token",
    verifier: () => undefined,
  },
  {
    ...unfitting("RFC 7636 sections 4.3 and 4.6"),
    id: "missing-without-method",
    title: "No verifier gives no token if the challenge came without a method",
    asks: { code_challenge_method: undefined },
    verifier: () => undefined,
  },
  {
    ...unfitting("RFC 7636 section 4.6"),
    id: "empty",
    title: "An empty verifier gives no token",
    verifier: () => "",
  },
  {
    ...unfitting("RFC 7636 section 4.6, CVE-2026-26247"),
    id: "challenge-back",
    title: "The challenge in place of the verifier gives no token",
    verifier: ({ challenge }) => challenge,
  },
  {
    ...unfitting("RFC 7636 section 4.6"),
    id: "challenge-case",
    title: "A challenge that is the verifier's in lower case only gives no token",
    asks: { code_challenge: CHALLENGE.toLowerCase() },
    verifier: () => PLAIN,
  },
  {
    ...unfitting("RFC 7636 section 4.6"),
    id: "challenge-beginning",
    title: "A challenge of which only the first half is the verifier's gives no token",
    asks: { code_challenge: CHALLENGE.slice(0, HALF).padEnd(CHALLENGE.length, "A") },
    verifier: () => PLAIN,
  },
  {
    id: "none",
    title: "A request without PKCE gives no token",
    ...WITHOUT,
    verifier: () => undefined,
  },
  {
    id: "downgrade",
    title: "A verifier gives no token if the request had no challenge",
    ...WITHOUT,
    grounds: { source: "RFC 9700 section 2.1.1, CVE-2024-22258" },
    verifier: ({ verifier }) => verifier,
  },
  {
    id: "unknown-method",
    title: "An unknown PKCE method gives no token",
    ...UNKNOWN,
    asks: { code_challenge_method: "S257" },
    verifier: ({ verifier }) => verifier,
  },
  {
    id: "unknown-method-plain",
    title: "An unknown PKCE method is not read as `plain`",
    ...UNKNOWN,
    asks: { code_challenge: PLAIN, code_challenge_method: "S257" },
    verifier: () => PLAIN,
  },
  {
    id: "plain",
    title: "What the server does with the method `plain`, whose challenge is the verifier",
    level: "OBSERVE",
    endpoint: "authorization",
    requirement: "rfc9700.pkce",
    grounds: { source: "RFC 9700 section 2.1.1" },
    asks: { code_challenge: PLAIN, code_challenge_method: "plain" },
    verifier: () => PLAIN,
  },
  {
    id: "no-method",
    title: "What the server does with a challenge without a method, which means `plain`",
    level: "OBSERVE",
    endpoint: "authorization",
    requirement: "rfc7636.method",
    grounds: { source: "RFC 7636 section 4.3" },
    asks: { code_challenge_method: undefined },
    verifier: ({ verifier }) => verifier,
  },
  {
    id: "short",
    title: "What the server does with a verifier of one letter",
    level: "OBSERVE",
    requirement: "rfc7636.method",
    grounds: { source: "RFC 7636 section 4.1, coder#28003" },
    asks: { code_challenge: SHORT_CHALLENGE },
    verifier: () => SHORT,
  },
];

export const rule: Rule = defineRule({
  side: "authorization-server",
  id: "authorization-server.pkce",
  title: "A code gives a token only with its verifier",
  level: "MUST",
  verifies: ["flows.authorization-code", "rfc7636.code-verifier", "rfc7636.method", "rfc9700.pkce"],
  cases: ofServer({ flow: "authorization_code", endpoint: "token" }, (server) => [
    ...CASES.flatMap(({ every = false, ...one }) =>
      forEach(every ? everyCodeClient(server) : clientsFor(server, one), {
        ...one,
        needs: CONSENT_TO_PROBES,
        consents: 1,
        judge: (probe, client) => judge(probe, client, one),
      }),
    ),
    ...forEach(codeClients(server).slice(0, 1), {
      ...unfitting("RFC 7636 section 4.4"),
      id: "later",
      title: "The verifier of a later request gives no token",
      needs: CONSENT_TO_PROBES,
      consents: 2,
      judge: judgeLater,
    }),
    ...forEach(codeClients(server).slice(0, 1), {
      ...unfitting("RFC 7636 sections 4.5 and 4.6"),
      id: "missing-after-wrong",
      title: "No verifier gives no token after a wrong one was refused",
      needs: CONSENT_TO_PROBES,
      consents: 1,
      judge: judgeMissingAfterWrong,
    }),
  ]),
});

function clientsFor(server: AuthorizationServer, { level }: PkceCase): readonly Client[] {
  return level === "OBSERVE" ? codeClients(server).slice(0, 1) : codeClients(server);
}

/** Judges that a server keeps a challenge with its code, and not with the client or the person's session. */
async function judgeLater(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const coded = await probe.code(client);
  const later = await probe.code(client);
  const parameters = { code_verifier: later.request.verifier };
  return refusal(await probe.exchange(client, coded, { parameters }), control);
}

/** Judges that a server does not forget a challenge when it has compared it, while the code stays valid. */
async function judgeMissingAfterWrong(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const coded = await probe.code(client);
  const wrong = { parameters: { code_verifier: generateRandomCodeVerifier() } };
  const refused = refusal(await probe.exchange(client, coded, wrong), control);
  // The case `wrong` reports it.
  if (refused.kind !== "pass")
    return Finding.inconclusive(phrase`the wrong verifier was not refused`);
  const missing = { parameters: { code_verifier: undefined } };
  return refusal(await probe.exchange(client, coded, missing), control);
}

async function judge(
  probe: ServerProbe,
  client: Client,
  { level, asks, verifier }: PkceCase,
): Promise<Finding> {
  const control = await probe.control(client);
  const tried = await probe.tryCode(client, client.scopes, { change: asks });
  if ("failed" in tried) {
    if (level === "OBSERVE") return Finding.observed(phrase`no code: ${tried.failed}`);
    if (!asks) return Finding.inconclusive(phrase`${tried.failed}`);
    return noCode(tried, { probes: [], controls: [control.exchange] });
  }
  const parameters = { code_verifier: verifier(tried.request, control.coded?.request) };
  const response = await probe.exchange(client, tried, { parameters });
  return level === "OBSERVE" ? observed(response) : refusal(response, control);
}
