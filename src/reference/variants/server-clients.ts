import type { ClientMetadata } from "oidc-provider";

import type { JsonObject } from "../../lib/json.ts";
import {
  CLIENT_KEY_FILE,
  clientKey,
  CLIENTS,
  FURTHER_CLIENTS,
} from "../authorization-server/clients.ts";
import type { ProfileObject } from "../profile.ts";
import type { Patch } from "../steps.ts";
import { SUBJECT } from "../store.ts";
import type { Variants } from "./variant.ts";

/** The client that may have a key in place of a secret. */
const KEYED = "reader";

/** The client that may have no secret. */
const PUBLIC = "platform";

/** Freedoms of authorization servers in the clients that they have: how these authenticate, and by which flows they get tokens. */
export const CLIENT_VARIANTS: Variants = {
  "server-client-keys": {
    title: "A client authenticates by assertions that its key signs",
    uses: ["clients"],
    ...authenticatingBy("private_key_jwt", KEYED),
  },
  "server-public-client": {
    title: "A client of the flow with consent has no secret",
    uses: ["clients"],
    ...authenticatingBy("none", PUBLIC),
  },
  "server-keys-alone": {
    title: "All clients authenticate by assertions, and its metadata lists no other method",
    uses: ["clients"],
    ...authenticatingBy("private_key_jwt"),
    ...publishing(listing("private_key_jwt")),
  },
  "server-secrets-in-form": {
    title: "All clients send their secret in the form, and its metadata lists no other method",
    uses: ["clients"],
    ...authenticatingBy("client_secret_post"),
    ...publishing(listing("client_secret_post")),
  },
  "server-public-alone": {
    title: "Its one client has no secret, and uses the flow with consent",
    uses: ["clients"],
    ...authenticatingBy("none", PUBLIC),
    ...publishing({ ...listing("none"), ...offering("authorization_code") }),
    describe: (profile) =>
      withEachClient(profile, (client, name) =>
        name === PUBLIC ? describedBy(client, "none") : undefined,
      ),
  },
  "server-subjects-of-clients": {
    title: "The `sub` of each client's tokens is its id, and the receiver knows whose client it is",
    uses: ["clients"],
    tokenClaims: (original) => (claims, grant) => original({ ...claims, sub: grant.client }, grant),
    checkRequiredClaims: (original) => async (call) => {
      await original(call);
      call.claims = { ...call.claims, sub: ownerOf(call.claims["sub"]) };
    },
    describe: (profile) =>
      withEachClient(withServer(profile, { subjects: "client" }), (client, name) =>
        // One client for the subject that is denied is enough.
        name === "partner-primary" ? undefined : { ...client, subject: client["id"] },
      ),
  },
  "server-services-alone": {
    title: "It has client credentials only, and no authorization endpoint",
    uses: ["clients"],
    ...publishing(offering("client_credentials")),
    describe: (profile) =>
      withEachClient(profile, (client) =>
        client["flow"] === "client_credentials" ? client : undefined,
      ),
  },
  "server-consent-alone": {
    title: "It has the flow with consent only",
    uses: ["clients"],
    ...publishing(offering("authorization_code")),
    describe: (profile) =>
      withEachClient(profile, (client) =>
        client["flow"] === "authorization_code" ? client : undefined,
      ),
  },
};

const OWNERS: Readonly<Record<string, string>> = Object.fromEntries(
  [...CLIENTS, ...FURTHER_CLIENTS].map(({ name, subject = SUBJECT }) => [name, subject]),
);

/** The subject on whose behalf a client acts. A subject that is no client's id stays as it is. */
function ownerOf(subject: unknown): unknown {
  return typeof subject === "string" && Object.hasOwn(OWNERS, subject) ? OWNERS[subject] : subject;
}

type Method = "private_key_jwt" | "client_secret_post" | "none";

/**
 * Clients that authenticate by one method, in their registration and in the profile.
 * @param only the one client that it applies to; default: all
 */
function authenticatingBy(
  method: Method,
  only?: string,
): Required<Pick<Variants[string], "registered" | "describe">> {
  const isMeant = (name: string): boolean => only === undefined || name === only;
  return {
    registered: (original) => (clients) =>
      original(clients).map((client) =>
        isMeant(client.client_id) ? withMethod(client, method) : client,
      ),
    describe: (profile) =>
      withEachClient(profile, (client, name) =>
        isMeant(name) ? describedBy(client, method) : client,
      ),
  };
}

function withMethod(
  { client_secret: secret, ...client }: ClientMetadata,
  method: Method,
): ClientMetadata {
  const { d: _private, ...key } = clientKey();
  return {
    ...client,
    token_endpoint_auth_method: method,
    ...(method === "client_secret_post" && { client_secret: secret }),
    ...(method === "private_key_jwt" && { jwks: { keys: [key] } }),
  };
}

function describedBy(client: ProfileObject, method: Method): ProfileObject {
  const { secretFile, ...rest } = client;
  if (method === "private_key_jwt") return { ...rest, key: CLIENT_KEY_FILE };
  return { ...rest, ...(method !== "none" && { secretFile }), authentication: method };
}

/** Sets members of the metadata; `undefined` removes one. */
function publishing(members: JsonObject): Patch {
  return {
    publishedMetadata: (original) => (metadata) => ({ ...original(metadata), ...members }),
  };
}

/** The members that list one method of client authentication. */
function listing(method: Method): JsonObject {
  return { token_endpoint_auth_methods_supported: [method] };
}

/** The members that list one flow, and the endpoints of that flow. */
function offering(flow: "client_credentials" | "authorization_code"): JsonObject {
  return {
    grant_types_supported: [flow],
    ...(flow === "client_credentials" && {
      authorization_endpoint: undefined,
      pushed_authorization_request_endpoint: undefined,
      code_challenge_methods_supported: undefined,
      response_types_supported: [],
    }),
  };
}

/** The profile with additional keys of the authorization server. */
export function withServer(profile: ProfileObject, more: ProfileObject): ProfileObject {
  return { ...profile, authorizationServer: { ...serverOf(profile), ...more } };
}

/**
 * The profile with each client of the authorization server changed.
 * @param change returns `undefined` for a client that the profile is not to have
 */
export function withEachClient(
  profile: ProfileObject,
  change: (client: ProfileObject, name: string) => ProfileObject | undefined,
): ProfileObject {
  const before = serverOf(profile)["clients"] as Record<string, ProfileObject>;
  const clients = Object.entries(before).flatMap(([name, client]) => {
    const changed = change(client, name);
    return changed ? [[name, changed] as const] : [];
  });
  return withServer(profile, { clients: Object.fromEntries(clients) });
}

function serverOf(profile: ProfileObject): ProfileObject {
  return profile["authorizationServer"] as ProfileObject;
}
