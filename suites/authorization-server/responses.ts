import { undecided, violation } from "../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import type { TokenResponse } from "../../src/authorization-server/protocol/token-request.ts";
import {
  describeResponse,
  isBesideTheRequest,
  isUnauthenticated,
  isUnclear,
} from "../../src/authorization-server/protocol/token-response.ts";
import {
  clientsOf,
  CONSENT_TO_PROBES,
  ofServer,
  forEach,
} from "../../src/authorization-server/rule.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase, type Phrase } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Client } from "../../src/profile/authorization-server.ts";
import {
  ERROR_CHECKS,
  type Expectation,
  NO_REFRESH_TOKEN,
  SUCCESS_CHECKS,
} from "./checks/response-checks.ts";
import { judgeCodeOnce, judgeQueryKept } from "./redirect/authorization-response.ts";

export const rule: Rule = defineRule({
  side: "authorization-server",
  id: "authorization-server.responses",
  title: "Answers of the token endpoint have the members, statuses and headers of RFC 6749",
  level: "SHOULD",
  verifies: [
    "flows.client-credentials",
    "rfc6749.token-response",
    "rfc6749.error-response",
    "rfc6749.unknown-parameters",
    "rfc6749.parameters",
    "rfc6749.redirect-query",
  ],
  // It judges everything that the run has seen.
  phase: "record",
  cases: ofServer({ endpoint: "token" }, (server) => [
    ...SUCCESS_CHECKS.flatMap(({ expected, faultOf, source = "RFC 6749 section 5.1", ...check }) =>
      forEach(server.clients, {
        requirement: "rfc6749.token-response",
        grounds: { source },
        ...check,
        judge: (probe, client) => judgeTokens(probe, client, { expected, faultOf }),
      }),
    ),
    ...forEach(clientsOf(server, "client_credentials"), {
      id: "refresh-token",
      title: "Client credentials give no refresh token",
      grounds: { source: "RFC 6749 section 4.4.3" },
      requirement: "rfc6749.token-response",
      judge: (probe, client) => judgeTokens(probe, client, NO_REFRESH_TOKEN),
    }),
    ...forEach(clientsOf(server, "client_credentials"), {
      id: "unknown-parameter",
      title: "An unknown parameter is ignored",
      grounds: { source: "RFC 6749 section 3.2" },
      requirement: "rfc6749.unknown-parameters",
      judge: judgeUnknownParameter,
    }),
    ...forEach(clientsOf(server, "client_credentials").slice(0, 1), {
      id: "empty-scope",
      title: "A parameter without a value is treated as omitted",
      grounds: { source: "RFC 6749 section 3.2" },
      requirement: "rfc6749.parameters",
      judge: judgeEmptyScope,
    }),
    ...forEach(clientsOf(server, "authorization_code"), {
      id: "code-once",
      title: "The redirect has one code",
      grounds: { source: "RFC 6749 section 3.1" },
      requirement: "rfc6749.parameters",
      endpoint: "authorization",
      judge: judgeCodeOnce,
    }),
    ...forEach(clientsOf(server, "authorization_code"), {
      appliesTo: ({ redirectUri = "" }) => redirectUri.includes("?"),
      id: "query-kept",
      title: "The redirect keeps the redirect URI's own query",
      grounds: { source: "RFC 6749 section 3.1.2" },
      requirement: "rfc6749.redirect-query",
      endpoint: "authorization",
      judge: judgeQueryKept,
    }),
    ...(server.clients.length > 0
      ? ERROR_CHECKS.map(({ expected, faultOf, source = "RFC 6749 section 5.2", ...check }) => ({
          requirement: "rfc6749.error-response",
          grounds: { source },
          ...check,
          needs: CONSENT_TO_PROBES,
          judge: (probe: ServerProbe) => judgeRefusals(probe, { expected, faultOf }),
        }))
      : []),
  ]),
});

/** Judges every response so far that gave the client a token. */
async function judgeTokens(
  probe: ServerProbe,
  client: Client,
  expectation: Expectation,
): Promise<Finding> {
  await probe.token(client);
  const given = probe.responses.filter(
    ({ accessToken, request }) => accessToken !== undefined && request.client.name === client.name,
  );
  return judgeAll(given, expectation, phrase`no token was given`);
}

async function judgeRefusals(probe: ServerProbe, expectation: Expectation): Promise<Finding> {
  const refused = probe.responses.filter((response) => {
    const { accessToken, answer, error, request } = response;
    if (accessToken !== undefined || !request.isForm || isUnclear(response)) return false;
    // An `error` refuses the request whatever the status.
    return answer.status === 200 ? error !== undefined : answer.status >= 400;
  });
  return judgeAll(refused, expectation, phrase`no token request was refused`);
}

function judgeAll(
  responses: readonly TokenResponse[],
  { expected, faultOf }: Expectation,
  otherwise: Phrase,
): Finding {
  const [first] = responses;
  if (!first) return Finding.notApplicable(otherwise);
  for (const response of responses) {
    const actual = faultOf(response);
    if (actual === undefined) continue;
    return violation(phrase`${actual}`, expected, { probes: [response.exchange] });
  }
  return Finding.pass({ probes: [first.exchange] });
}

async function judgeUnknownParameter(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const response = await probe.clientCredentials(client, client.scopes, {
    parameters: { conformance: "unknown" },
  });
  const evidence = { probes: [response.exchange], controls: [control.exchange] };
  if (response.accessToken !== undefined) return Finding.pass(evidence);
  if (isBesideTheRequest(response)) return undecided(response, evidence);
  const actual = phrase`${describeResponse(response)}`;
  return { kind: "fail", expected: phrase`an access token`, actual, evidence, comparative: true };
}

/** An empty `scope` must have the same result as none, whether that is a token or a refusal. */
async function judgeEmptyScope(probe: ServerProbe, client: Client): Promise<Finding> {
  const without = await probe.clientCredentials(client, [], {});
  const empty = await probe.clientCredentials(client, [], { parameters: { scope: "" } });
  const evidence = { probes: [empty.exchange], controls: [without.exchange] };
  const [usual, actual] = [without, empty].map(
    (one) => phrase`${describeResponse(one)}${saidScope(one)}`,
  );
  const open = Finding.inconclusive(actual ?? phrase``, evidence);
  if (isUnclear(without) || isUnclear(empty)) return open;
  const isSame =
    (without.accessToken === undefined) === (empty.accessToken === undefined) &&
    inOrder(without.scope) === inOrder(empty.scope);
  if (isSame) return Finding.pass(evidence);
  if (isUnauthenticated(without) || isUnauthenticated(empty)) return open;
  const expected = phrase`the same as without scope: ${usual}`;
  return { kind: "fail", expected, actual: actual ?? phrase``, evidence, comparative: true };
}

/** A list of scopes in one order: theirs does not matter, RFC 6749 section 3.3. */
function inOrder(scope: string | undefined): string | undefined {
  return scope?.split(" ").toSorted().join(" ");
}

/** The scope in a token response, as a sentence's end. */
function saidScope({ accessToken, scope }: TokenResponse): string {
  if (accessToken === undefined) return "";
  return scope === undefined ? " without scope" : ` with the scope "${scope.slice(0, 80)}"`;
}
