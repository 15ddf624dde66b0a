import type { AuthorizationChange } from "../../src/authorization-server/authorization-request.ts";
import { followAuthorization } from "../../src/authorization-server/front-channel.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import {
  clientOf,
  clientsOf,
  CONSENT_TO_PROBES,
  defineServerRule,
  forEach,
} from "../../src/authorization-server/rule.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Rule } from "../../src/probe/rule.ts";
import type { Client } from "../../src/profile/authorization-server.ts";

/** No such path is registered, whatever pattern is, but for one that matches everything. */
const OTHER_PATH = "/conformance-is-not-registered";

/** What differs in the authorization request. Nothing listens at a host in `.invalid`, RFC 6761. */
const CHANGES: Readonly<
  Record<string, { title: string; change: (uri: URL) => AuthorizationChange }>
> = {
  "other-host": {
    title: "Nobody is redirected to another host than the registered one",
    change: (uri) => ({ redirect_uri: `https://conformance.invalid${uri.pathname}` }),
  },
  "longer-host": {
    title: "Nobody is redirected to a host that begins like the registered one",
    change: (uri) => ({
      redirect_uri: `http://${uri.hostname}.conformance.invalid${uri.pathname}`,
    }),
  },
  userinfo: {
    title: "Nobody is redirected to a host before which the registered one stands as a user name",
    change: (uri) => ({
      redirect_uri: `${uri.protocol}//${uri.hostname}:80@conformance.invalid${uri.pathname}`,
    }),
  },
  "other-path": {
    title: "Nobody is redirected to another path than the registered one",
    change: (uri) => ({ redirect_uri: uri.origin + OTHER_PATH }),
  },
  "unknown-client": {
    title: "Nobody is redirected for a client that is not registered",
    change: () => ({ client_id: "conformance-is-not-registered" }),
  },
};

export const rule: Rule = defineServerRule({
  id: "authorization-server.redirect",
  title: "Nobody is redirected to a URI that is not registered for the client",
  level: "MUST",
  verifies: ["authentication.own-clients", "rfc6749.redirect-registered"],
  cases: (server) =>
    Object.entries(CHANGES).flatMap(([id, { title }]) =>
      forEach(clientsOf(server, "authorization_code").slice(0, 1), {
        id,
        title,
        endpoint: "authorization",
        needs: CONSENT_TO_PROBES,
        requirement: "rfc6749.redirect-registered",
        why: "codes would go to whoever asks for them",
        source: "RFC 6749 section 4.1.2.1",
      }),
    ),
  async probe(probe, testCase): Promise<Finding> {
    const client = clientOf(probe.server, testCase);
    const [what = ""] = testCase.id.split("@");
    const good = new URL(await probe.authorizationUrl(client));
    const redirectUri = new URL(good.searchParams.get("redirect_uri") ?? "");
    const change = CHANGES[what]?.change(redirectUri) ?? {};
    const url = await probe.authorizationUrl(client, change);
    const wanted = new URL(change["redirect_uri"] ?? redirectUri);
    const isEnd = (to: URL): boolean => to.host === wanted.host && to.pathname === wanted.pathname;

    const usual = await followAuthorization(probe, good.href, (to) => to.host === redirectUri.host);
    const led = await followAuthorization(probe, url, isEnd);
    const evidence = { probes: [led.exchange], controls: [usual.exchange] };
    if (led.kind === "redirected") {
      return {
        kind: "fail",
        expected: phrase`the server shows an error, and redirects nobody`,
        actual: phrase`it redirects to ${valueFact(led.to)}; if a pattern is registered, register the URI in full`,
        evidence,
      };
    }
    if (led.kind === "unclear")
      return { kind: "inconclusive", reason: phrase`${led.why}`, evidence };
    if (usual.kind !== "page" || usual.status >= 400) {
      return {
        kind: "inconclusive",
        reason: phrase`a good authorization request leads to no page`,
        evidence,
      };
    }
    // A server that looks at the redirect URI after the login shows the same page to both.
    const sameFirst = led.status < 400 && led.path === usual.path;
    if (!sameFirst) return { kind: "pass", evidence };
    if (what !== "other-path") {
      const reason = phrase`the login comes before the error page, and nobody could see where it leads`;
      return { kind: "inconclusive", reason, evidence };
    }
    return behindLogin(probe, client, change);
  },
});

/** The path is one where the suite listens, so that a whole flow shows whether anything comes there. */
async function behindLogin(
  probe: ServerProbe,
  client: Client,
  change: AuthorizationChange,
): Promise<Finding> {
  const control = await probe.control(client);
  const tried = await probe.tryCode(client, client.scopes, change, OTHER_PATH);
  const controls = [control.token.exchange];
  if ("failed" in tried) {
    if (tried.unclear) return { kind: "inconclusive", reason: phrase`${tried.failed}` };
    return { kind: "pass", reason: phrase`${tried.failed}`, evidence: { probes: [], controls } };
  }
  return {
    kind: "fail",
    expected: phrase`the server shows an error, and redirects nobody`,
    actual: phrase`after the login it redirects to ${OTHER_PATH}, with a code; if a pattern is registered, register the URI in full`,
    evidence: { probes: [], controls },
  };
}
