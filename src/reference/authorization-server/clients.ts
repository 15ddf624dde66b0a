import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { ClientMetadata } from "oidc-provider";

import { type Scope, SCOPES } from "../../contract/operations.ts";
import { packageRoot } from "../../lib/package-root.ts";
import type { Flow } from "../../profile/authorization-server.ts";
import { OTHER, PARTNER, PRIMARY, SUBJECT } from "../store.ts";

/** The secret of a client. */
export function secretOf(name: string): string {
  return readFileSync(secretFileOf(name), "utf8").trim();
}

/** The file with the private JWK of a client that authenticates by assertions. */
export const CLIENT_KEY_FILE: string = join(packageRoot, "keys", "client.jwk");

/** The JWK in that file. */
export function clientKey(): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(CLIENT_KEY_FILE, "utf8")) as Record<string, unknown>;
}

/** Each of two clients of one flow has its own secret. The server is on loopback, for one run, so it needs no protection. */
function secretFileOf(name: string): string {
  const isOther = name === "reader" || name === "platform";
  return join(packageRoot, "keys", isOther ? "client-secret-other" : "client-secret");
}

export const CALLBACK_PATH = "/callback";

/** One client of the reference authorization server. */
export interface ReferenceClient {
  /** Its name in the profile; also its `client_id`. */
  readonly name: string;
  readonly flow: Flow;
  readonly scopes: readonly Scope[];
  readonly organization?: { readonly key: "primary" | "other"; readonly id: string };
  /** The `sub` of its tokens. Default: the subject that may act on both organizations. */
  readonly subject?: string;
  /** Path and query of its redirect URI. Default: `CALLBACK_PATH`. */
  readonly callback?: string;
}

const SERVICE = { flow: "client_credentials", scopes: SCOPES } as const;
const OF_PRIMARY = { organization: { key: "primary", id: PRIMARY } } as const;
const OF_OTHER = { organization: { key: "other", id: OTHER } } as const;

/** The registered clients: one of each flow, another one of the same flow, and one bound to another organization. */
export const CLIENTS: readonly ReferenceClient[] = [
  { ...SERVICE, name: "service" },
  { ...SERVICE, ...OF_OTHER, name: "reader", scopes: ["org:read"] },
  {
    ...OF_PRIMARY,
    name: "admin",
    flow: "authorization_code",
    scopes: ["org:read", "org.changes:read"],
  },
  {
    name: "platform",
    flow: "authorization_code",
    scopes: ["org:read", "org.changes:write"],
    callback: "/callback?tenant=a%20b",
  },
];

/** Further clients for a receiver that trusts no other issuer: one for each kind of token. */
export const FURTHER_CLIENTS: readonly ReferenceClient[] = [
  { ...SERVICE, ...OF_PRIMARY, name: "primary" },
  { ...SERVICE, ...OF_OTHER, name: "other" },
  { ...SERVICE, name: "partner", subject: PARTNER },
  { ...SERVICE, ...OF_PRIMARY, name: "partner-primary", subject: PARTNER },
  { ...SERVICE, ...OF_OTHER, name: "partner-other", subject: PARTNER },
];

/** The registration metadata of the clients, RFC 7591 section 2. */
export function registration({
  name,
  flow,
  scopes,
  callback = CALLBACK_PATH,
}: ReferenceClient): ClientMetadata {
  const interactive = flow === "authorization_code";
  return {
    client_id: name,
    client_secret: secretOf(name),
    grant_types: [flow],
    scope: scopes.join(" "),
    token_endpoint_auth_method: "client_secret_basic",
    ...(interactive
      ? {
          response_types: ["code"],
          // A native client may use any loopback port, RFC 8252 section 7.3.
          application_type: "native",
          redirect_uris: [`http://127.0.0.1${callback}`],
        }
      : { response_types: [], redirect_uris: [] }),
  };
}

/** The `clients` of a profile for the reference server, by name, with a command that consents. */
export function describeClients(
  clients: readonly ReferenceClient[],
  consent: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    clients.map(
      ({ name, flow, scopes, organization, subject = SUBJECT, callback = CALLBACK_PATH }) => [
        name,
        {
          flow,
          id: name,
          secretFile: secretFileOf(name),
          scopes,
          subject,
          ...(organization && { organization: organization.key }),
          ...(flow === "authorization_code" && {
            redirectUri: `http://127.0.0.1:0${callback}`,
            consent: [...consent],
            refusal: [...consent, "--refuse"],
          }),
        },
      ],
    ),
  );
}
