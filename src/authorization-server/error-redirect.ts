import type { Client } from "../profile/authorization-server.ts";
import type { AuthorizationChange } from "./authorization-request.ts";
import { followAuthorization, type Led } from "./front-channel.ts";
import type { ServerProbe } from "./probe.ts";

/** A refusal that is sent to the client's redirect URI at once: where it goes is seen without a login. */
export interface ErrorRedirect {
  /** What the server refuses like that. */
  readonly change: AuthorizationChange;
  readonly led: Extract<Led, { kind: "redirected" }>;
}

/** What a server may refuse before anybody signs in; RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6. */
const REFUSED: readonly AuthorizationChange[] = [
  { response_type: "conformance" },
  { prompt: "none" },
];

/** The request by which a server shows where it redirects to; `undefined` where the login always comes first. */
export async function findErrorRedirect(
  probe: ServerProbe,
  client: Client,
): Promise<ErrorRedirect | undefined> {
  for (const change of REFUSED) {
    const led = await follow(probe, client, change);
    if (led.kind === "redirected") return { change, led };
  }
  return undefined;
}

/** Follows the authorization request of a client, changed, to its redirect URI. */
export async function follow(
  probe: ServerProbe,
  client: Client,
  change: AuthorizationChange = {},
): Promise<Led> {
  const registered = await redirectUriOf(probe, client);
  const url = await probe.authorizationUrl(client, change);
  return followAuthorization(probe, url, (to) => isSamePlace(to, registered));
}

/** Where a good authorization request of a client leads whoever is signed in nowhere. */
export function followGood(probe: ServerProbe, client: Client): Promise<Led> {
  return follow(probe, client);
}

/** The redirect URI that a client sends. */
export async function redirectUriOf(probe: ServerProbe, client: Client): Promise<URL> {
  const good = new URL(await probe.authorizationUrl(client));
  return new URL(good.searchParams.get("redirect_uri") ?? "");
}

/** Whether two URLs differ in query and fragment at most. */
export function isSamePlace(one: URL, other: URL): boolean {
  return (["protocol", "host", "pathname"] as const).every((part) => one[part] === other[part]);
}
