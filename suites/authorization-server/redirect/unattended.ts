import { passUnless } from "../../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import type { ParameterChange } from "../../../src/authorization-server/protocol/authorization-request.ts";
import type { Destination } from "../../../src/authorization-server/protocol/front-channel.ts";
import type { ClientCase } from "../../../src/authorization-server/rule.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase, type Phrase } from "../../../src/probe/phrase.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";
import { findErrorRedirect, follow, followGood } from "./error-redirect.ts";

/** Judges answers to authorization requests, most of which come before any login. */

/** Characters that forms and URLs must encode. All are VSCHAR, RFC 6749 appendix A.5. */
const ODD_STATE = "a+b%20/=&#~".padEnd(128, "x");

/** Judges that a `state` with special characters comes back exactly, RFC 6749 section 4.1.2. */
export async function judgeState(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const tried = await probe.tryCode(client, client.scopes, { change: { state: ODD_STATE } });
  const evidence = { probes: [], controls: [control.exchange] };
  const expected = phrase`state is the one that was sent`;
  if ("failed" in tried) {
    if (tried.unclear) return Finding.inconclusive(phrase`${tried.failed}`);
    // No requirement says that a server must accept a state of any length.
    const actual = phrase`no code: ${tried.failed}`;
    return { kind: "fail", expected, actual, evidence, comparative: true, atMost: "SHOULD" };
  }
  const [returned, ...more] = tried.answer.parameters.getAll("state");
  if (returned === ODD_STATE && more.length === 0) return Finding.pass(evidence);
  return passUnless(differenceIn(returned, more.length), expected, evidence);
}

function differenceIn(returned: string | undefined, more: number): Phrase {
  if (returned === undefined) return phrase`there is no state`;
  if (more > 0) return phrase`it comes ${more + 1} times`;
  const at = ODD_STATE.split("").findIndex((character, index) => returned[index] !== character);
  return at < 0
    ? phrase`it has additional characters at the end`
    : phrase`it differs from character ${at + 1} on, ${ODD_STATE[at]}`;
}

/**
 * Judges the `state` of an error that is redirected before a login, RFC 6749 section 4.1.2.1.
 * @param sent whether the request has a state
 */
async function judgeErrorState(
  probe: ServerProbe,
  client: Client,
  sent: boolean,
): Promise<Finding> {
  const refused = await probe.shared(findErrorRedirect, client);
  if (!refused) return Finding.notApplicable(phrase`no error comes back before a login`);
  const state = sent ? "conformance-state" : undefined;
  const led = await follow(probe, client, { change: { ...refused.change, state } });
  const evidence = { probes: [led.exchange], controls: [refused.led.exchange] };
  if (led.kind !== "redirected") {
    return Finding.inconclusive(
      phrase`the error was redirected with the usual state, but not with this one`,
      evidence,
    );
  }
  const returned = parametersOf(led.url).getAll("state");
  const isRight = returned.length === (sent ? 1 : 0) && returned[0] === state;
  const expected = sent ? phrase`state is the one that was sent` : phrase`no state`;
  const wrong =
    returned.length === 0 ? phrase`there is no state` : phrase`there is a state that was not sent`;
  return passUnless(isRight ? undefined : wrong, expected, evidence);
}

/** Observes where a request leads without a login. */
async function observeRequest(
  probe: ServerProbe,
  client: Client,
  change: ParameterChange,
): Promise<Finding> {
  const led = await follow(probe, client, { change });
  return Finding.observed(describeDestination(led), { probes: [led.exchange] });
}

function describeDestination(led: Destination): Phrase {
  switch (led.kind) {
    case "redirected": {
      const parameters = parametersOf(led.url);
      const given = ["access_token", "code"].find((name) => parameters.has(name));
      if (given !== undefined) return phrase`answered at once, with ${given}`;
      const error = parameters.get("error")?.replaceAll(/[^\w ]/g, "?") ?? "no error";
      return phrase`refused: ${error.slice(0, 60)}`;
    }
    case "page":
      return led.status >= 400 ? phrase`refused by a page` : phrase`a page, before any code`;
    default:
      return phrase`${led.why}`;
  }
}

/** Parameters with which it is only observed what a server does. */
const OPEN: readonly (readonly [
  id: string,
  source: string,
  change: Readonly<Record<string, string>>,
  where?: string,
])[] = [
  ["implicit-token", "RFC 9700 section 2.1.2", { response_type: "token" }],
  ["implicit-hybrid", "RFC 9700 section 2.1.2", { response_type: "code token" }],
  [
    "prompt-none",
    "OpenID Connect Core section 3.1.2.1",
    { prompt: "none" },
    " where nobody is signed in",
  ],
  ["form-post", "OAuth 2.0 Form Post Response Mode section 2", { response_mode: "form_post" }],
  [
    "fragment-mode",
    "OAuth 2.0 Multiple Response Type Encoding Practices section 2.1",
    { response_mode: "fragment" },
  ],
];

/** Cases that need no login, and so no consent. */
export const UNATTENDED: readonly ClientCase[] = [
  {
    id: "error-state",
    title: "`state` comes back with an error as it was sent",
    level: "SHOULD",
    grounds: { source: "RFC 6749 section 4.1.2.1" },
    requirement: "rfc6749.state",
    judge: (probe, client) => judgeErrorState(probe, client, true),
  },
  {
    id: "error-without-state",
    title: "Where no `state` was sent, none comes back with an error",
    level: "SHOULD",
    grounds: { source: "RFC 6749 section 4.1.2.1" },
    requirement: "rfc6749.state",
    judge: (probe, client) => judgeErrorState(probe, client, false),
  },
  ...OPEN.map(([id, source, change, where = ""]): ClientCase => ({
    id,
    title: `What the server does with ${Object.entries(change).flat().join("=")}${where}`,
    level: "OBSERVE",
    grounds: { source },
    requirement: "rfc6749.response-type",
    judge: (probe, client) => observeRequest(probe, client, change),
  })),
];

/** Observes whether the page of a good request may be framed. */
export async function observeFrames(probe: ServerProbe, client: Client): Promise<Finding> {
  const led = await probe.shared(followGood, client);
  if (led.kind !== "page" || led.status >= 400) {
    return Finding.notApplicable(phrase`a good request leads to no page`);
  }
  const { "x-frame-options": options, "content-security-policy": policy = "" } = led.headers;
  const isLimited = /frame-ancestors/i.test(policy);
  const value = isLimited
    ? phrase`frame-ancestors restricts it`
    : options !== undefined
      ? phrase`X-Frame-Options restricts it`
      : phrase`neither X-Frame-Options nor frame-ancestors forbids it`;
  return Finding.observed(value, { probes: [led.exchange] });
}

/** The parameters of a redirect, from its query and its fragment. */
function parametersOf({ search, hash }: URL): URLSearchParams {
  return new URLSearchParams([
    ...new URLSearchParams(search),
    ...new URLSearchParams(hash.replace(/^#/, "")),
  ]);
}
