import { noCode, passUnless, violation } from "../../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import { namedOnly } from "../../../src/authorization-server/protocol/client-authentication.ts";
import { isErrorPage } from "../../../src/authorization-server/protocol/front-channel.ts";
import {
  explainResponse,
  isUnclear,
} from "../../../src/authorization-server/protocol/token-response.ts";
import {
  clientsOf,
  CONSENT_TO_PROBES,
  forEach,
  type ServerCase,
} from "../../../src/authorization-server/rule.ts";
import { type Evidence, Finding } from "../../../src/probe/finding.ts";
import { phrase, type Phrase } from "../../../src/probe/phrase.ts";
import {
  type AuthorizationServer,
  type Client,
  isUnattended,
} from "../../../src/profile/authorization-server.ts";
import { follow } from "./error-redirect.ts";

// Authorization requests that clients push, RFC 9126. The cases apply where the metadata announces the endpoint.

/** Judges that a client that authenticates cannot push a request by its `client_id` alone. */
async function judgeUnauthenticated(probe: ServerProbe, client: Client): Promise<Finding> {
  const { pushedRequest } = await probe.endpoints();
  if (pushedRequest === undefined) {
    return Finding.notApplicable(
      phrase`the metadata names no pushed_authorization_request_endpoint`,
    );
  }
  const good = await probe.push(client);
  if (good.requestUri === undefined) {
    const reason = phrase`the client's good request is refused when it is pushed: ${explainResponse(good)}`;
    // The server need not let every client push its requests.
    const isNeeded = isUnclear(good) || (await probe.pushes(client));
    return isNeeded ? Finding.inconclusive(reason) : Finding.notApplicable(reason);
  }
  const pushed = await probe.push(client, namedOnly(client));
  const evidence: Evidence = { probes: [pushed.exchange], controls: [good.exchange] };
  if (pushed.requestUri !== undefined) {
    const actual = phrase`it is accepted: there is a request_uri`;
    return violation(actual, phrase`the request is refused`, evidence);
  }
  if (isUnclear(pushed)) return Finding.inconclusive(phrase`${explainResponse(pushed)}`, evidence);
  return Finding.pass(evidence);
}

const REFUSED: Phrase = phrase`no code, because the metadata says that requests must be pushed`;

/** Judges that a request that was not pushed gives no code, where the metadata says that all must be pushed. */
async function judgeUnpushed(probe: ServerProbe, client: Client): Promise<Finding> {
  const { mustPush } = await probe.endpoints();
  if (!mustPush)
    return Finding.notApplicable(phrase`the metadata does not require pushed requests`);
  // This token shows that pushed requests work.
  const { exchange } = await probe.token(client);
  const led = await follow(probe, client, { pushed: false });
  const evidence: Evidence = { probes: [led.exchange], controls: [exchange] };
  if (led.kind === "unclear") return Finding.inconclusive(phrase`${led.why}`, evidence);
  if (led.kind === "redirected") {
    const hasCode = led.url.searchParams.has("code");
    return passUnless(hasCode ? phrase`there is a code` : undefined, REFUSED, evidence);
  }
  if (isErrorPage(led)) return Finding.pass(evidence);
  if (!isUnattended(client)) {
    return Finding.notApplicable(
      phrase`the login comes before any refusal, and only a person could go on`,
    );
  }
  const tried = await probe.tryCode(client, client.scopes, { pushed: false });
  if (!("failed" in tried)) return violation(phrase`there is a code`, REFUSED, evidence);
  return tried.unclear
    ? Finding.inconclusive(phrase`${tried.failed}`, evidence)
    : noCode(tried, evidence);
}

/** The cases about how pushed authorization requests are protected, RFC 9126. */
export function pushedCases(server: AuthorizationServer): readonly ServerCase[] {
  const clients = clientsOf(server, "authorization_code");
  const common = {
    level: "SHOULD",
    endpoint: "authorization",
    needs: CONSENT_TO_PROBES,
    requirement: "rfc9126.pushed",
  } as const;
  return [
    ...forEach(clients, {
      ...common,
      appliesTo: ({ authentication }) => authentication !== "none",
      id: "pushed-no-authentication",
      title: "A client that authenticates cannot push an authorization request without doing so",
      grounds: {
        why: "anybody could push requests in the name of the client",
        source: "RFC 9126 section 2.1",
      },
      judge: judgeUnauthenticated,
    }),
    ...forEach(clients.slice(0, 1), {
      ...common,
      id: "not-pushed",
      title: "If the metadata requires pushed requests, one that was not pushed gives no code",
      grounds: {
        why: "whoever sees or changes the link could change the request, which pushing is to prevent",
        source: "RFC 9126 section 5",
      },
      consents: { least: 0, most: 1 },
      judge: judgeUnpushed,
    }),
  ];
}
