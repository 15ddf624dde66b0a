import { SCOPES } from "../../contract/operations.ts";
import type { ServerSteps } from "../authorization-server/steps.ts";
import { changingForm } from "../patches.ts";
import type { Patch } from "../steps.ts";
import { CLIENT_VARIANTS, withEachClient, withServer } from "./server-clients.ts";
import type { Variants } from "./variant.ts";

function claims(change: (claims: Record<string, unknown>) => Record<string, unknown>): Patch {
  return {
    tokenClaims: (original) => (given, grant) => change(original(given, grant)),
  };
}

function answers(change: ServerSteps["tokenAnswer"]): Patch {
  return { tokenAnswer: () => change };
}

const VARIANTS: Variants = {
  "server-aud-array": {
    title: "Its tokens are for the receiver and for itself, in an array",
    uses: ["audience"],
    ...claims((given) => ({ ...given, aud: [given["aud"], `${String(given["iss"])}/userinfo`] })),
  },
  "server-default-scopes": {
    title: "It also grants scopes of another vocabulary without a request for them, and says so",
    uses: ["grant"],
    ...claims((given) => ({ ...given, scope: `${String(given["scope"])} profile email` })),
    ...answers(({ status, body }) => {
      if (status === 200) body["scope"] = `profile email ${String(body["scope"])}`;
    }),
  },
  "server-scope-unsaid-when-equal": {
    title: "It does not state the scope if it grants every requested scope",
    uses: ["grant"],
    ...answers(({ status, body }) => {
      if (status === 200) delete body["scope"];
    }),
  },
  "server-bearer-lower-case": {
    title: "Its token_type is `bearer`, and it does not state the lifetime",
    ...answers(({ status, body }) => {
      if (status !== 200) return;
      body["token_type"] = "bearer";
      delete body["expires_in"];
    }),
  },
  "server-iat-dated-back": {
    title:
      "Its `iat` and `nbf` are five minutes before the issue, and `expires_in` counts from the issue",
    ...claims((given) => {
      const iat = Number(given["iat"]) - 290;
      return { ...given, iat, nbf: iat };
    }),
  },
  "server-keys-for-encryption-too": {
    title: "Its JWKS has a key for encryption, keys without `alg`, and additional members",
    publishedKeys: () => (keys) => ({
      keys: [
        ...keys.keys.map(({ kid: _kid, ...key }) => ({
          ...key,
          kid: "enc",
          use: "enc",
          alg: "RSA-OAEP",
        })),
        ...keys.keys.map(({ alg: _alg, ...key }) => ({
          ...key,
          issuer: "https://a",
          x5t: "AA",
        })),
      ],
    }),
  },
  "server-grants-all": {
    title: "It grants all registered scopes, whatever was requested, and says so",
    uses: ["grant", "clients"],
    ...changingForm((form, { memory }) => {
      if (form.get("grant_type") !== "client_credentials") return;
      const all = memory.clients.find(({ client_id: id }) => id === form.get("client_id"));
      form.set("scope", all?.scope ?? SCOPES.join(" "));
    }),
    // The only client that is registered for every scope.
    describe: (profile) =>
      withEachClient(withServer(profile, { narrowing: false }), (client, name) =>
        name === "service" ? client : undefined,
      ),
  },
  "server-refuses-with-401": {
    title: "It answers every refused token request with 401 and a challenge",
    warned: ["authorization-server.responses"],
    ...answers((given) => {
      if (given.status < 400) return;
      given.status = 401;
      given.body = { error: "unauthorized_client" };
    }),
  },
  "server-code-burnt-by-a-failed-try": {
    title: "A failed request revokes the code",
    tokenRequest: () => {
      const tried = new Set<string>();
      return ({ form, memory }) => {
        const code = form.get("code") ?? "";
        if (memory.codes.has(code) && tried.has(code)) form.set("code", "revoked");
        else tried.add(code);
      };
    },
  },
  "server-refresh-tokens": {
    title: "It issues a refresh token in the flow with consent",
    registered: (original) => (clients) =>
      original(clients).map((client) => ({
        ...client,
        ...(client.grant_types?.includes("authorization_code") && {
          grant_types: [...client.grant_types, "refresh_token"],
        }),
      })),
  },
  "server-pushes-required": {
    title: "Authorization requests must be pushed, as its metadata says",
    requiresPushing: () => () => true,
  },
  ...CLIENT_VARIANTS,
  "server-parameters-repeated": {
    title: "It uses one value of a repeated parameter; of redirect URIs, the registered one",
    authorizationRequest: () => (query) => {
      const all = query.getAll("redirect_uri");
      const known = all.find((uri) => URL.canParse(uri) && new URL(uri).pathname === "/callback");
      if (all.length > 1 && known !== undefined) query.set("redirect_uri", known);
    },
    ...changingForm((form) => {
      for (const name of new Set(form.keys())) form.set(name, form.get(name) ?? "");
    }),
  },
  "server-believes-the-header": {
    title:
      "For a client that authenticates with HTTP Basic, it ignores client parameters in the form",
    ...changingForm((form, { authorization }) => {
      if (!authorization?.startsWith("Basic ")) return;
      form.delete("client_id");
      form.delete("client_secret");
    }),
  },
  "server-loopback-names-alike": {
    title: "localhost and the loopback address are interchangeable in redirect URIs",
    authorizationRequest: () => (query) => {
      const [uri = "", ...more] = query.getAll("redirect_uri");
      if (more.length === 0 && uri.startsWith("http://localhost:")) {
        query.set("redirect_uri", uri.replace("localhost", "127.0.0.1"));
      }
    },
  },
  "server-metadata-lists-plain": {
    title: "Its metadata also lists `plain`, which it refuses",
    publishedMetadata: () => (metadata) => ({
      ...metadata,
      code_challenge_methods_supported: ["plain", "S256"],
      scopes_supported: ["openid"],
    }),
  },
};

/** Freedoms of authorization servers, as seen in products. */
export const SERVER_VARIANTS: Variants = Object.fromEntries(
  Object.entries(VARIANTS).map(([name, variant]) => [name, { ...variant, server: true }]),
);
