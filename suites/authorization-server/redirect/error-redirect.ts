import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import type { ParameterChange } from "../../../src/authorization-server/protocol/authorization-request.ts";
import type { RequestOptions } from "../../../src/authorization-server/protocol/consents.ts";
import {
  type Destination,
  followAuthorization,
  isSamePlace,
  pageOf,
} from "../../../src/authorization-server/protocol/front-channel.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";

/** A refusal that is sent to the redirect URI before any login, and so shows where it leads. */
export interface ErrorRedirect {
  /** The change to a good request that causes it. */
  readonly change: ParameterChange;
  readonly led: Extract<Destination, { kind: "redirected" }>;
}

/** Requests that may be refused before a login; RFC 6749 section 4.1.2.1, OIDC Core 3.1.2.6. */
const REFUSED: readonly ParameterChange[] = [{ response_type: "conformance" }, { prompt: "none" }];

/** A request that is refused by a redirect before any login; `undefined` without such a one. */
export async function findErrorRedirect(
  probe: ServerProbe,
  client: Client,
): Promise<ErrorRedirect | undefined> {
  for (const change of REFUSED) {
    const led = await follow(probe, client, { change });
    if (led.kind === "redirected") return { change, led };
  }
  return undefined;
}

/** Follows a client's authorization request, which may be changed, until it reaches the redirect URI. */
export async function follow(
  probe: ServerProbe,
  client: Client,
  options?: RequestOptions,
): Promise<Destination> {
  const registered = await probe.redirectUri(client);
  return lead(probe, client, options, (to) => isSamePlace(to, registered));
}

/**
 * Follows a client's authorization request, which may be changed, until it reaches a URL that satisfies a predicate. A
 * refusal of a pushed request counts as an error page.
 */
export async function lead(
  probe: ServerProbe,
  client: Client,
  options: RequestOptions | undefined,
  isEnd: (url: URL) => boolean,
): Promise<Destination> {
  const request = await probe.authorizationRequest(client, options);
  return "refusedBy" in request
    ? pageOf(request.refusedBy)
    : followAuthorization((one) => probe.send(one), request.url, isEnd);
}

/** Follows a client's good authorization request without a login. */
export function followGood(probe: ServerProbe, client: Client): Promise<Destination> {
  return follow(probe, client);
}
