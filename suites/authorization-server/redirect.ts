import { violation } from "../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import type { ParameterChange } from "../../src/authorization-server/protocol/authorization-request.ts";
import {
  type Destination,
  isErrorPage,
  isSamePlace,
} from "../../src/authorization-server/protocol/front-channel.ts";
import {
  CONSENT_TO_PROBES,
  ofServer,
  everyCodeClient,
  forEach,
} from "../../src/authorization-server/rule.ts";
import { type Evidence, Finding } from "../../src/probe/finding.ts";
import { phrase, type Phrase, valueFact } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { type Client, isUnattended } from "../../src/profile/authorization-server.ts";
import { findErrorRedirect, followGood, lead } from "./redirect/error-redirect.ts";
import type { RedirectChange } from "./redirect/redirect-change.ts";
import { REDIRECT_CHANGES, seenBehindLogin } from "./redirect/redirect-changes.ts";

/** The one change for which a person may have to log in, because a missing redirect takes minutes. */
const ATTENDED = "other-path";
const EXPECTED = phrase`the server shows an error and does not redirect`;

export const rule: Rule = defineRule({
  side: "authorization-server",
  id: "authorization-server.redirect",
  title: "The server does not redirect to a URI that is not registered for the client",
  level: "MUST",
  verifies: [
    "authentication.own-clients",
    "rfc6749.redirect-registered",
    "rfc9700.redirect-exact",
    "rfc8252.loopback",
  ],
  cases: ofServer({ flow: "authorization_code", endpoint: "authorization" }, (server) =>
    REDIRECT_CHANGES.flatMap((found) =>
      forEach(found.every ? everyCodeClient(server) : everyCodeClient(server).slice(0, 1), {
        id: found.id,
        title: found.title,
        level: found.level,
        needs: CONSENT_TO_PROBES,
        requirement: found.requirement ?? "rfc6749.redirect-registered",
        grounds: {
          why: "codes would go to an attacker",
          source: "RFC 6749 section 4.1.2.1",
          ...found.grounds,
        },
        judge: (probe, client) => judgeChange(probe, client, found),
      }),
    ),
  ),
});

/** Judges where a changed request redirects, or observes it. */
async function judgeChange(
  probe: ServerProbe,
  client: Client,
  found: RedirectChange,
): Promise<Finding> {
  const registered = await probe.redirectUri(client);
  const change = found.change(registered);
  if (!change) {
    return Finding.notApplicable(phrase`the change does not apply to the registered redirect URI`);
  }
  if (found.changesClient && (await probe.pushes(client))) {
    return Finding.notApplicable(
      phrase`the client authenticates itself where it pushes the request`,
    );
  }
  return found.level === "OBSERVE"
    ? observe(probe, client, registered, change)
    : judge(probe, client, registered, found, change);
}

/** Whether a URL is the registered redirect URI. On loopback any port counts. */
function isRegistered(to: URL, { protocol, hostname, pathname }: URL): boolean {
  return to.protocol === protocol && to.hostname === hostname && to.pathname === pathname;
}

async function judge(
  probe: ServerProbe,
  client: Client,
  registered: URL,
  found: RedirectChange,
  change: ParameterChange,
): Promise<Finding> {
  const isWrong = (to: URL): boolean => found.isWrong(to, registered);
  const good = await probe.shared(followGood, client);
  const refused = await probe.shared(findErrorRedirect, client);
  const usual = refused?.led ?? good;
  // An error redirect shows the destination at once. A server may check the URI elsewhere for a good
  // request, so that is followed too.
  const asked = refused ? [{ ...refused.change, ...change }, change] : [change];
  const probes: string[] = [];
  const evidence: Evidence = { probes, controls: [usual.exchange] };
  let led: Exclude<Destination, { kind: "unclear" }> | undefined;
  for (const one of asked) {
    const next = await lead(
      probe,
      client,
      { change: one },
      (to) => isWrong(to) || isRegistered(to, registered),
    );
    probes.push(next.exchange);
    if (next.kind === "unclear") return Finding.inconclusive(phrase`${next.why}`, evidence);
    led = next;
    if (led.kind === "redirected" && isWrong(led.url)) {
      const actual = phrase`it redirects to ${valueFact(led.to)}; if a pattern is registered, register the URI in full`;
      return violation(actual, EXPECTED, evidence);
    }
  }
  if (!led || led.kind === "redirected") {
    return Finding.pass(evidence, phrase`it redirects to the registered URI`);
  }
  if (good.kind === "unclear" || isErrorPage(good)) {
    if (refused) return Finding.pass(evidence);
    return Finding.inconclusive(phrase`a good authorization request leads to no page`, evidence);
  }
  // A server that checks the redirect URI after the login shows the same page for both.
  const isSamePage = good.kind !== "redirected" && led.path === good.path;
  if (!isSamePage || isErrorPage(led)) return Finding.pass(evidence);
  const unseen = "the login comes before the error page, so the destination cannot be seen";
  const otherwise: Finding = refused
    ? Finding.pass(evidence)
    : Finding.notApplicable(phrase`${unseen}`);
  const seen = found.level === "SHOULD" ? undefined : seenBehindLogin(found, registered);
  if (!seen) return otherwise;
  const { refuses = false } = found;
  if (refuses && client.refusal === undefined) return otherwise;
  const isAttended = !isUnattended({ consent: refuses ? client.refusal : client.consent });
  if (!isAttended || found.id === ATTENDED) return behindLogin(probe, client, seen, refuses);
  if (refused) return otherwise;
  return Finding.inconclusive(
    phrase`${unseen}; a command in the client's \`consent\` would show it`,
    evidence,
  );
}

/** Runs the whole flow. The suite listens at the wrong URI, and so sees whether the redirect arrives there. */
async function behindLogin(
  probe: ServerProbe,
  client: Client,
  { change, at }: { readonly change: ParameterChange; readonly at: string },
  refuse: boolean,
): Promise<Finding> {
  const control = await probe.control(client);
  const tried = await probe.consent(client, client.scopes, { change, alsoAt: at, refuse });
  const evidence: Evidence = { probes: [], controls: [control.exchange] };
  if ("failed" in tried) {
    if (tried.unclear) return Finding.inconclusive(phrase`${tried.failed}`);
    return Finding.pass(evidence, phrase`${tried.failed}`);
  }
  const { answer } = tried;
  if (answer.at !== at) {
    return Finding.pass(evidence, phrase`it redirects to the registered URI`);
  }
  const brought = answer.code === undefined ? "an error" : "a code";
  const actual = phrase`after the login it redirects to ${valueFact(at)}, with ${brought}; if a pattern is registered, register the URI in full`;
  return violation(actual, EXPECTED, evidence);
}

async function observe(
  probe: ServerProbe,
  client: Client,
  registered: URL,
  change: ParameterChange,
): Promise<Finding> {
  const [asked = ""] = [change["redirect_uri"] ?? registered.href].flat();
  const wanted = URL.canParse(asked) ? new URL(asked) : registered;
  const refused = await probe.shared(findErrorRedirect, client);
  const all = { ...refused?.change, ...change };
  const led = await lead(
    probe,
    client,
    { change: all },
    (to) => isSamePlace(to, wanted) || isRegistered(to, registered),
  );
  return Finding.observed(inWords(led, registered, wanted), { probes: [led.exchange] });
}

function inWords(led: Destination, registered: URL, wanted: URL): Phrase {
  switch (led.kind) {
    case "redirected":
      return isSamePlace(led.url, wanted) && !isSamePlace(wanted, registered)
        ? phrase`it redirects there`
        : phrase`it redirects to the registered URI`;
    case "page":
      return led.status >= 400
        ? phrase`it shows an error`
        : phrase`it shows a page, and does not redirect before the login`;
    default:
      return phrase`${led.why}`;
  }
}
