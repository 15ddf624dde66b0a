import {
  clientsOf,
  CONSENT_TO_PROBES,
  ofServer,
  forEach,
  REFUSED,
  type ServerCase,
} from "../../src/authorization-server/rule.ts";
import { gaveToken } from "../../src/authorization-server/tokens/flow-control.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { AuthorizationServer, Client } from "../../src/profile/authorization-server.ts";
import { judgeGuessable, judgeGuessableRefresh } from "./checks/guessable.ts";
import { exchangeCases } from "./exchange/code-exchanges.ts";
import { judgeDenial, lifeCases } from "./exchange/code-life.ts";
import { refreshCases } from "./exchange/refresh.ts";
import {
  judgeIssuer,
  judgeRedirectStatus,
  judgeReturnedState,
} from "./redirect/authorization-response.ts";
import { pushedCases } from "./redirect/pushed-cases.ts";
import { judgeState, observeFrames, UNATTENDED } from "./redirect/unattended.ts";
import { judgeResponseType, judgeUnknownParameter } from "./redirect/unknown-values.ts";

export const rule: Rule = defineRule({
  side: "authorization-server",
  id: "authorization-server.authorization-code",
  title: "Consent gives a code that is valid once, for its client and its redirect URI only",
  level: "MUST",
  verifies: [
    "flows.authorization-code",
    "flows.offered",
    "rfc6749.client-authentication",
    "rfc6749.code-once",
    "rfc6749.code-bound",
    "rfc6749.state",
    "rfc6749.response-type",
    "rfc6749.unknown-parameters",
    "rfc6749.refresh",
    "rfc6749.code-expiry",
    "rfc6749.guessing",
    "rfc6749.denied",
    "rfc9126.pushed",
    "rfc9207.iss",
    "rfc9700.refresh",
    "rfc9700.redirect-status",
    "rfc9700.frames",
  ],
  cases: ofServer({ flow: "authorization_code", endpoint: "token" }, (server) => [
    ...responseCases(server),
    ...pushedCases(server),
    ...exchangeCases(server),
    ...unknownCases(server),
    ...refreshCases(server),
    ...lifeCases(server),
  ]),
});

/** Response types that give no code. */
const RESPONSE_TYPES = [
  {
    id: "response-type",
    title: "An unknown response_type gives no code",
    value: "conformance",
  },
  {
    id: "response-type-missing",
    title: "A request without response_type gives no code",
    value: undefined,
  },
] as const;

/** The client of the cases that cost a consent each. */
function firstOf(server: AuthorizationServer): readonly Client[] {
  return clientsOf(server, "authorization_code").slice(0, 1);
}

/** The flow, and the answers of the authorization endpoint, RFC 6749 sections 4.1.1 and 4.1.2. */
function responseCases(server: AuthorizationServer): readonly ServerCase[] {
  const clients = clientsOf(server, "authorization_code");
  const first = firstOf(server);
  return [
    ...forEach(clients, {
      id: "token",
      title: "The authorization code flow gives a token",
      requirement: "flows.authorization-code",
      judge: async (probe, client) => gaveToken(client, await probe.currentToken(client)),
    }),
    ...forEach(clients, {
      id: "state",
      title: "`state` is returned as it was sent",
      endpoint: "authorization",
      requirement: "rfc6749.state",
      grounds: {
        why: "the client could not distinguish its own response from a forged one",
        source: "RFC 6749 section 4.1.2",
      },
      judge: judgeReturnedState,
    }),
    ...forEach(clients, {
      id: "issuer",
      title:
        "If the response names the issuer, or the metadata says that it does, it is the right one",
      level: "SHOULD",
      endpoint: "authorization",
      requirement: "rfc9207.iss",
      grounds: { source: "RFC 9207 section 2" },
      judge: judgeIssuer,
    }),
    ...forEach(clients, {
      id: "redirect-status",
      title: "The redirect after the login does not make the browser send the form again",
      level: "SHOULD",
      endpoint: "authorization",
      requirement: "rfc9700.redirect-status",
      grounds: {
        why: "the client would receive the person's input, including a password",
        source: "RFC 9700 section 4.12",
      },
      judge: judgeRedirectStatus,
    }),
    ...forEach(clients, {
      id: "guessable",
      title: "Codes are long, and differ",
      level: "SHOULD",
      endpoint: "authorization",
      // Last, to look at the codes of every case.
      phase: "record",
      requirement: "rfc6749.guessing",
      grounds: { why: "an attacker could guess a code", source: "RFC 6749 section 10.10" },
      judge: judgeGuessable,
    }),
    ...forEach(clients, {
      id: "refresh-guessable",
      title: "Refresh tokens are long, and differ",
      level: "SHOULD",
      // Last, to look at the refresh tokens of every case.
      phase: "record",
      requirement: "rfc6749.guessing",
      grounds: { why: "an attacker could guess a refresh token", source: "RFC 6749 section 10.10" },
      judge: judgeGuessableRefresh,
    }),
    ...forEach(first, {
      id: "state-characters",
      title: "A long `state` with every kind of character is returned as it was sent",
      endpoint: "authorization",
      consents: 1,
      requirement: "rfc6749.state",
      grounds: {
        why: "a client whose state has such characters could not recognise its own response",
        source: "RFC 6749 section 4.1.2 and appendix A.5",
      },
      judge: judgeState,
    }),
    ...UNATTENDED.flatMap((one) =>
      forEach(first, { ...one, endpoint: "authorization", needs: CONSENT_TO_PROBES }),
    ),
    ...forEach(first, {
      id: "frames",
      title: "Whether another page may frame the sign-in page",
      level: "OBSERVE",
      endpoint: "authorization",
      requirement: "rfc9700.frames",
      grounds: { source: "RFC 9700 section 4.16" },
      judge: observeFrames,
    }),
    ...forEach(first, {
      appliesTo: (client) => client.refusal !== undefined,
      id: "denied",
      title:
        "When the person refuses consent, no code is issued, and the error comes back with the `state`",
      level: "SHOULD",
      endpoint: "authorization",
      consents: 1,
      requirement: "rfc6749.denied",
      grounds: {
        why: "the client would get access without consent",
        source: "RFC 6749 section 4.1.2.1",
      },
      judge: judgeDenial,
    }),
  ];
}

/** Values and parameters of an authorization request that the server does not know. */
function unknownCases(server: AuthorizationServer): readonly ServerCase[] {
  const first = firstOf(server);
  return [
    ...RESPONSE_TYPES.flatMap(({ value, ...one }) =>
      forEach(first, {
        ...REFUSED,
        ...one,
        level: "SHOULD",
        endpoint: "authorization",
        grounds: { source: "RFC 6749 section 3.1.1" },
        requirement: "rfc6749.response-type",
        judge: (probe, client) => judgeResponseType(probe, client, value),
      }),
    ),
    ...forEach(first, {
      id: "unknown-parameter",
      title: "An unknown parameter of an authorization request is ignored",
      level: "SHOULD",
      endpoint: "authorization",
      consents: 1,
      grounds: { source: "RFC 6749 section 3.1" },
      requirement: "rfc6749.unknown-parameters",
      judge: judgeUnknownParameter,
    }),
  ];
}
