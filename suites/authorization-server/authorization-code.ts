import {
  judgeIssuer,
  judgeRedirectStatus,
  judgeReturnedState,
} from "../../src/authorization-server/authorization-response.ts";
import {
  CODE_EXCHANGES,
  judgeExchange,
  judgeMixedClient,
  judgeOtherClient,
  judgeReplay,
} from "../../src/authorization-server/code-exchanges.ts";
import {
  CODE_LIVES,
  judgeDenial,
  judgeExpiry,
  observeRace,
} from "../../src/authorization-server/code-life.ts";
import { follow } from "../../src/authorization-server/error-redirect.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import {
  judgeRefreshByOther,
  judgeRefreshUnauthenticated,
  judgeRefreshWider,
  observeRefreshAgain,
  observeRefreshRace,
} from "../../src/authorization-server/refresh.ts";
import {
  clientsOf,
  codeClients,
  CONSENT_TO_PROBES,
  defineServerRule,
  everyCodeClient,
  forEach,
  otherClientThan,
  type ServerCase,
} from "../../src/authorization-server/rule.ts";
import {
  judgeState,
  observeFrames,
  UNATTENDED,
} from "../../src/authorization-server/unattended.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Rule } from "../../src/probe/rule.ts";
import type { Client } from "../../src/profile/authorization-server.ts";

export const rule: Rule = defineServerRule({
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
    "rfc6749.denied",
    "rfc9207.iss",
    "rfc9700.redirect-status",
    "rfc9700.frames",
  ],
  cases(server): readonly ServerCase[] {
    const clients = clientsOf(server, "authorization_code");
    // Each of these cases costs a consent, so one client must do.
    const first = clients.slice(0, 1);
    const kinds = codeClients(server);
    const withOther = first.filter((client) => otherClientThan(server, client));
    const refused = { endpoint: "token", needs: CONSENT_TO_PROBES, consents: 1 } as const;
    return [
      ...forEach(clients, {
        id: "token",
        title: "The authorization code flow gives a token",
        endpoint: "token",
        requirement: "flows.authorization-code",
        judge: judgeToken,
      }),
      ...forEach(clients, {
        id: "state",
        title: "`state` is returned as it was sent",
        endpoint: "authorization",
        requirement: "rfc6749.state",
        why: "the client could not distinguish its own response from a forged one",
        source: "RFC 6749 section 4.1.2",
        judge: judgeReturnedState,
      }),
      ...forEach(clients, {
        id: "issuer",
        title: "If the response names the issuer, it is the right one",
        level: "SHOULD",
        endpoint: "authorization",
        requirement: "rfc9207.iss",
        source: "RFC 9207 section 2",
        judge: judgeIssuer,
      }),
      ...forEach(clients, {
        id: "redirect-status",
        title: "The redirect after the login does not make the browser send the form again",
        level: "SHOULD",
        endpoint: "authorization",
        requirement: "rfc9700.redirect-status",
        source: "RFC 9700 section 4.12",
        why: "the client would receive the person's input, including a password",
        judge: judgeRedirectStatus,
      }),
      ...forEach(first, {
        id: "state-characters",
        title: "A long `state` with every kind of character is returned as it was sent",
        endpoint: "authorization",
        consents: 1,
        requirement: "rfc6749.state",
        source: "RFC 6749 section 4.1.2 and appendix A.5",
        why: "a client whose state has such characters could not recognise its own response",
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
        source: "RFC 9700 section 4.16",
        judge: observeFrames,
      }),
      ...forEach(
        first.filter((client) => client.refusal !== undefined),
        {
          id: "denied",
          title: "No code is issued when the person refuses consent",
          level: "SHOULD",
          endpoint: "authorization",
          consents: 1,
          requirement: "rfc6749.denied",
          source: "RFC 6749 section 4.1.2.1",
          why: "the client would get access without consent",
          judge: judgeDenial,
        },
      ),
      ...CODE_EXCHANGES.flatMap(({ appliesTo = () => true, every = false, change, ...one }) =>
        forEach((every ? everyCodeClient(server) : kinds).filter(appliesTo), {
          ...refused,
          ...one,
          judge: (probe, client) => judgeExchange(probe, client, change),
        }),
      ),
      ...forEach(withOther, {
        ...refused,
        id: "other-client",
        title: "Another client gets no token for the code",
        source: "RFC 6749 section 4.1.3",
        why: "a client could use what was granted to another",
        requirement: "rfc6749.code-bound",
        judge: judgeOtherClient,
      }),
      ...forEach(
        first.filter((client) => otherClientThan(server, client)?.secret !== undefined),
        {
          ...refused,
          id: "mixed-client",
          title: "Another client that names the code's client in its request gets no token",
          source: "RFC 6749 section 4.1.3, CVE-2026-118669",
          why: "a client could use what was granted to another",
          requirement: "rfc6749.code-bound",
          judge: judgeMixedClient,
        },
      ),
      ...forEach(first, {
        ...refused,
        id: "response-type",
        title: "An unknown response_type gives no code",
        level: "SHOULD",
        endpoint: "authorization",
        source: "RFC 6749 section 3.1.1",
        requirement: "rfc6749.response-type",
        judge: judgeResponseType,
      }),
      ...forEach(first, {
        id: "unknown-parameter",
        title: "An unknown parameter of an authorization request is ignored",
        level: "SHOULD",
        endpoint: "authorization",
        consents: 1,
        source: "RFC 6749 section 3.1",
        requirement: "rfc6749.unknown-parameters",
        judge: judgeUnknownParameter,
      }),
      ...forEach(first, {
        ...refused,
        id: "refresh-wider",
        title: "A refresh token gives no scope beyond the original grant",
        level: "SHOULD",
        source: "RFC 6749 section 6",
        requirement: "rfc6749.refresh",
        why: "a grant could be widened without consent",
        judge: judgeRefreshWider,
      }),
      ...forEach(withOther, {
        ...refused,
        id: "refresh-other-client",
        title: "A refresh token is not valid for another client",
        level: "SHOULD",
        source: "RFC 6749 section 6, GHSA-xqxv-4jc2-x56x",
        requirement: "rfc6749.refresh",
        why: "a client could use what was granted to another",
        judge: judgeRefreshByOther,
      }),
      ...forEach(
        first.filter(({ authentication }) => authentication !== "none"),
        {
          ...refused,
          id: "refresh-no-authentication",
          title: "A client that authenticates gets no token for a refresh token alone",
          level: "SHOULD",
          source: "RFC 6749 section 6",
          requirement: "rfc6749.refresh",
          why: "an attacker who steals a refresh token could use it",
          judge: judgeRefreshUnauthenticated,
        },
      ),
      ...forEach(first, {
        ...refused,
        id: "refresh-again",
        title: "Whether a refresh token can be used again",
        level: "OBSERVE",
        source: "RFC 9700 section 4.14.2",
        requirement: "rfc6749.refresh",
        judge: observeRefreshAgain,
      }),
      ...forEach(first, {
        ...refused,
        id: "refresh-race",
        title: "What happens when a refresh token is used twice at the same time",
        level: "OBSERVE",
        source: "RFC 9700 section 4.14.2",
        requirement: "rfc6749.refresh",
        judge: observeRefreshRace,
      }),
      ...CODE_LIVES.flatMap(({ seconds, judged, ...one }) =>
        forEach(first, {
          ...refused,
          ...one,
          waits: true,
          source: "RFC 6749 section 4.1.2",
          requirement: "rfc6749.code-expiry",
          ...(server.waitSeconds < seconds && {
            consents: 0,
            inapplicable: `authorizationServer.waitSeconds is less than ${seconds}`,
          }),
          judge: (probe, client) => judgeExpiry(probe, client, seconds, judged),
        }),
      ),
      // Last, because a server that notices may revoke more than this flow.
      ...forEach(first, {
        ...refused,
        id: "race",
        title: "How many tokens a code gives when it is redeemed twice at the same time",
        level: "OBSERVE",
        source: "RFC 6749 section 10.5",
        requirement: "rfc6749.code-once",
        judge: observeRace,
      }),
      ...forEach(kinds, {
        ...refused,
        id: "replay",
        title: "A code that has given a token does not give another",
        source: "RFC 6749 section 4.1.2",
        why: "an attacker who finds a used code in a log could redeem it",
        requirement: "rfc6749.code-once",
        judge: judgeReplay,
      }),
    ];
  },
});

async function judgeToken(probe: ServerProbe, client: Client): Promise<Finding> {
  const { exchange } = await probe.token(client);
  return { kind: "pass", evidence: { probes: [exchange] } };
}

async function judgeResponseType(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const change = { response_type: "conformance" };
  const led = await follow(probe, client, change);
  const isError = led.kind === "redirected" && !led.url.searchParams.has("code");
  if (isError || (led.kind === "page" && led.status >= 400)) {
    return {
      kind: "pass",
      evidence: { probes: [led.exchange], controls: [control.token.exchange] },
    };
  }
  // Otherwise the answer shows only after a login.
  const tried = await probe.tryCode(client, client.scopes, change);
  const evidence = { probes: [], controls: [control.token.exchange] };
  if (!("failed" in tried)) {
    return {
      kind: "fail",
      expected: phrase`no code is issued`,
      actual: phrase`there is a code`,
      evidence,
    };
  }
  if (tried.unclear) return { kind: "inconclusive", reason: phrase`${tried.failed}` };
  return { kind: "pass", reason: phrase`no code was issued: ${tried.failed}`, evidence };
}

async function judgeUnknownParameter(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const tried = await probe.tryCode(client, client.scopes, { conformance: "unknown" });
  const evidence = { probes: [], controls: [control.token.exchange] };
  if (!("failed" in tried)) return { kind: "pass", evidence };
  if (tried.unclear) return { kind: "inconclusive", reason: phrase`${tried.failed}` };
  return {
    kind: "fail",
    expected: phrase`a code`,
    actual: phrase`${tried.failed}`,
    evidence,
    comparative: true,
  };
}
