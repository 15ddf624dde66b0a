import type { HttpOptions } from "../../http/client.ts";
import type { Origin } from "../../http/origin.ts";
import type { AuthorizationServer } from "../../profile/authorization-server.ts";
import { type Consents, type ConsentsOptions, createConsents } from "./consents.ts";
import { discover, type Endpoints } from "./metadata.ts";
import { createOrigins, type Origins } from "./origins.ts";
import type { RequestSender } from "./pushed-request.ts";
import { createTokenEndpoint, type TokenEndpoint } from "./token-endpoint.ts";

/** Access to one authorization server: its endpoints, and the steps of both flows. */
export interface Connection extends TokenEndpoint, RequestSender {
  readonly consents: Consents;
  close(): Promise<void>;
}

export interface ConnectionOptions extends Omit<HttpOptions, "concurrency">, ConsentsOptions {
  /** Time limit of each request, in milliseconds. */
  readonly timeoutMs: number;
  /** PEM text of a certificate authority to trust. */
  readonly ca?: string | undefined;
  /** Restricts connections; see `Origin`. */
  readonly untrusted?: Origin["untrusted"];
}

/** Many servers limit the requests of one client, and the suite does not need more. */
const CONCURRENCY = 2;

/** Creates a connection. It connects on the first request. */
export function connect(server: AuthorizationServer, options: ConnectionOptions): Connection {
  const { timeoutMs, ca, untrusted } = options;
  const common: Omit<Origin, "origin"> = {
    request: {
      headers: {},
      ca,
      timeoutMs,
      maxRequestsPerSecond: server.maxRequestsPerSecond,
      retryAfterSeconds: server.retryAfterSeconds,
    },
    ...(untrusted && { untrusted }),
    secrets: server.clients.flatMap(({ secret }) => secret ?? []),
  };
  const origins = createOrigins(common, { ...options, concurrency: CONCURRENCY });
  let discovered: Promise<Endpoints> | undefined;
  return connectBy(server, origins, () => (discovered ??= discover(server, origins)), options);
}

/** A connection to a server whose requests these origins send. */
export function connectBy(
  server: AuthorizationServer,
  origins: Origins,
  endpoints: Connection["endpoints"],
  options: ConsentsOptions,
): Connection {
  const tokens = createTokenEndpoint(server, origins, endpoints);
  const sender = { server, origins, endpoints, forms: tokens.forms };
  const consents = createConsents(sender, options);
  return {
    ...tokens,
    ...sender,
    consents,
    async close() {
      await Promise.all([consents.close(), origins.close()]);
    },
  };
}
