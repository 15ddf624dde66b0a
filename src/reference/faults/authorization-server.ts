import { SCOPES } from "../../contract/operations.ts";
import { secretOf } from "../authorization-server/clients.ts";
import type { Grant } from "../authorization-server/steps.ts";
import { reject } from "../reject.ts";
import type { Patch } from "../steps.ts";
import type { Fault } from "./fault.ts";

type Claims = Record<string, unknown>;

/** A fault in the claims of issued tokens. */
function claimsFault(
  fault: Pick<Fault, "name" | "title" | "how" | "rule"> & {
    readonly source?: string;
    readonly change: (claims: Claims, grant: Grant) => Claims;
  },
): Fault {
  const { change, ...about } = fault;
  return {
    ...about,
    step: "tokenClaims",
    patch: (original) => (claims, grant) => change(original(claims, grant), grant),
  };
}

/** The claims without one of them. */
function without(name: string): (claims: Claims) => Claims {
  return ({ [name]: _left, ...rest }) => rest;
}

const CLAIMS = "authorization-server.claims";

/** Faults of the reference authorization server. */
export const AUTHORIZATION_SERVER_FAULTS: readonly Fault[] = [
  {
    name: "server-metadata-other-issuer",
    title: "Names another issuer in its metadata than the one that it is asked for",
    rule: "authorization-server.metadata",
    how: "Behind a gateway the server takes its own name for that of the deployment.",
    step: "publishedMetadata",
    patch: () => (metadata) => ({ ...metadata, issuer: "http://internal.example.com" }),
  },
  {
    name: "server-metadata-lists-no-grant",
    title: "Does not list client credentials among its grants",
    rule: "authorization-server.metadata",
    how: "The list is written by hand, and the flow came later.",
    step: "publishedMetadata",
    patch: () => (metadata) => ({ ...metadata, grant_types_supported: ["authorization_code"] }),
  },
  {
    name: "server-keys-private",
    title: "Publishes a key with its private members",
    rule: "authorization-server.keys",
    how: "The key is exported as it is kept.",
    source: "onc g10-test-kit#123",
    step: "publishedKeys",
    patch: () => (keys) => ({ keys: keys.keys.map((key) => ({ ...key, d: "AQAB" })) }),
  },
  {
    name: "server-keys-symmetric",
    title: "Publishes a symmetric key beside the others",
    rule: "authorization-server.keys",
    how: "All keys of the store are published, whatever they are for.",
    step: "publishedKeys",
    patch: () => (keys) => ({ keys: [...keys.keys, { kty: "oct", kid: "s", k: "c2VjcmV0" }] }),
  },
  {
    name: "server-keys-another",
    title: "Publishes another key than the one that it signs with",
    rule: "authorization-server.keys",
    how: "The key was rotated, and the JWKS is of the one before.",
    source: "toolhive#6451",
    step: "publishedKeys",
    patch: () => (keys) => ({
      keys: keys.keys.map((key) => ({
        ...key,
        kid: "former",
        // Whatever it begins with, another.
        n: (key["n"] ?? "").replace(/^./, (first) => (first === "u" ? "v" : "u")),
      })),
    }),
  },
  claimsFault({
    name: "server-token-aud-origin",
    title: "Issues tokens whose `aud` is the origin of the base URL, without its path",
    rule: CLAIMS,
    how: "One API is registered for all that the host has.",
    change: (claims) => ({ ...claims, aud: new URL(String(claims["aud"])).origin }),
  }),
  claimsFault({
    name: "server-token-aud-client",
    title: "Issues tokens whose `aud` is the client",
    rule: CLAIMS,
    how: "That is what `aud` of an ID token is.",
    change: (claims, { client }) => ({ ...claims, aud: client }),
  }),
  claimsFault({
    name: "server-token-without-sub",
    title: "Issues tokens without `sub` by client credentials",
    rule: CLAIMS,
    how: "There is no user.",
    change: (claims, { flow }) => (flow === "client_credentials" ? without("sub")(claims) : claims),
  }),
  claimsFault({
    name: "server-token-scope-array",
    title: "Issues tokens whose `scope` is an array",
    rule: CLAIMS,
    how: "The framework keeps scopes as a list.",
    source: "spring-authorization-server#877",
    change: (claims) => ({ ...claims, scope: String(claims["scope"]).split(" ") }),
  }),
  claimsFault({
    name: "server-token-exp-text",
    title: "Issues tokens whose `exp` is text",
    rule: CLAIMS,
    how: "A template puts all claims in quotes.",
    change: (claims) => ({ ...claims, exp: String(claims["exp"]) }),
  }),
  claimsFault({
    name: "server-token-other-organization",
    title: "Binds tokens to another organization than the client's",
    rule: CLAIMS,
    how: "The organization of the last session is kept.",
    change: (claims) =>
      Object.fromEntries(
        Object.entries(claims).map(([name, value]) =>
          name.endsWith("/org_id") ? [name, "0f0e0d0c-0b0a-4908-8706-050403020100"] : [name, value],
        ),
      ),
  }),
  claimsFault({
    name: "server-token-without-grant-type",
    title: "Issues tokens that do not say by which flow they came",
    rule: "authorization-server.recommended-claims",
    how: "No mapper was made for the claim.",
    change: without("grant_type"),
  }),
  {
    name: "server-any-secret",
    title: "Takes any secret of a client by client credentials",
    rule: "authorization-server.client-credentials",
    how: "The client is looked up by its name, and the secret is compared by nobody.",
    step: "tokenRequest",
    patch: () => (request) => {
      if (request.form.get("grant_type") !== "client_credentials") return;
      authenticate(request);
    },
  },
  {
    name: "server-secret-of-any-client",
    title: "Takes the secret of any client for that of the one that is named",
    rule: "authorization-server.client-credentials",
    how: "The secret is looked up among all secrets, and whose it is is not compared.",
    step: "tokenRequest",
    patch: () => (request) => {
      const given = secretIn(request);
      if (request.memory.clients.some(({ client_secret: secret }) => secret === given)) {
        if (request.form.get("grant_type") === "client_credentials") authenticate(request);
      }
    },
  },
  {
    name: "server-grant-of-any-client",
    title: "Gives a token by client credentials to every client that has a secret",
    rule: "authorization-server.client-credentials",
    how: "Grants are configured for the server, and not for each client.",
    source: "CVE-2026-75866",
    step: "registered",
    patch: () => (clients) =>
      clients.map((client) => ({
        ...client,
        grant_types: [...new Set([...(client.grant_types ?? []), "client_credentials"])],
      })),
  },
  {
    name: "server-grant-unknown",
    title: "Takes a grant that it does not know for client credentials",
    rule: "authorization-server.client-credentials",
    how: "What is no code is handled by the last branch.",
    step: "tokenRequest",
    patch:
      () =>
      ({ form }) => {
        if (!KNOWN_GRANTS.has(form.get("grant_type") ?? "")) {
          form.set("grant_type", "client_credentials");
        }
      },
  },
  {
    name: "server-code-any-secret",
    title: "Takes any secret of a client that has a code",
    rule: "authorization-server.authorization-code",
    how: "Whoever has a code is taken for its client.",
    source: "CVE-2026-73309",
    step: "tokenRequest",
    patch: () => (request) => {
      const { form, memory } = request;
      const owner = memory.codes.get(form.get("code") ?? "")?.get("client_id");
      if (owner === clientNamed(request)) authenticate(request);
    },
  },
  {
    name: "server-response-type-ignored",
    title: "Gives a code whatever response_type is asked for",
    rule: "authorization-server.authorization-code",
    how: "One flow is supported, and the parameter that chooses it is not read.",
    step: "authorizationRequest",
    patch: () => (query) => query.set("response_type", "code"),
  },
  {
    name: "server-parameters-refused",
    title: "Refuses an authorization request with a parameter that it does not know",
    rule: "authorization-server.authorization-code",
    how: "A gateway validates requests against a closed list.",
    step: "openRedirect",
    patch: () => (query) =>
      query.has("conformance") ? (query.get("redirect_uri") ?? undefined) : undefined,
  },
  {
    name: "server-refresh-widens",
    title: "Grants whatever scope a refresh request asks for",
    rule: "authorization-server.authorization-code",
    how: "The scope of a refresh request is held against the client, and not against the grant.",
    variants: ["server-refresh-tokens"],
    ...widening((form) => (form.get("grant_type") === "refresh_token" ? form.get("scope") : null)),
  },
  {
    name: "server-refresh-of-any-client",
    title: "Gives a token for a refresh token of another client",
    rule: "authorization-server.authorization-code",
    how: "Refresh tokens are looked up without the client.",
    source: "GHSA-xqxv-4jc2-x56x",
    variants: ["server-refresh-tokens"],
    step: "tokenAnswer",
    patch: () => (answer) => {
      const { form, body, memory, status } = answer;
      const given = body["refresh_token"];
      if (status === 200 && typeof given === "string") memory.redeemed.set(given, body);
      const stolen = memory.redeemed.get(form.get("refresh_token") ?? "");
      if (status < 400 || !stolen) return;
      answer.status = 200;
      answer.body = stolen;
    },
  },
  {
    name: "server-code-of-any-client",
    title: "Gives a token for a code of another client",
    rule: "authorization-server.authorization-code",
    how: "Codes are looked up without the client.",
    source: "Keycloak CVE-2026-16089",
    step: "tokenRequest",
    patch: () => (request) => {
      const asked = request.memory.codes.get(request.form.get("code") ?? "");
      const owner = asked?.get("client_id");
      const who = /^Basic (.+)$/.exec(request.authorization ?? "")?.[1];
      const name = who === undefined ? "" : Buffer.from(who, "base64").toString().split(":")[0];
      if (owner !== undefined && owner !== null && name !== "") authenticate(request, owner);
    },
  },
  {
    name: "server-code-any-redirect",
    title: "Does not compare the redirect URI when a code is redeemed",
    rule: "authorization-server.authorization-code",
    how: "It was compared when the code was asked for.",
    step: "tokenRequest",
    patch:
      () =>
      ({ form, memory }) => {
        const asked = memory.codes.get(form.get("code") ?? "")?.get("redirect_uri");
        if (asked !== undefined && asked !== null) form.set("redirect_uri", asked);
      },
  },
  {
    name: "server-code-twice",
    title: "Gives the token of a code again",
    rule: "authorization-server.authorization-code",
    how: "A cache answers what was answered before, so that repeated requests do no harm.",
    step: "tokenAnswer",
    patch: () => (answer) => {
      const known = answer.memory.redeemed.get(answer.form.get("code") ?? "");
      if (!known || answer.status === 200) return;
      answer.status = 200;
      answer.body = known;
    },
  },
  {
    name: "server-pkce-unchecked",
    title: "Does not compare the verifier of PKCE with the challenge",
    rule: "authorization-server.pkce",
    how: "The challenge is read, kept, and forgotten.",
    source: "authentik CVE-2023-48228",
    step: "authorizationRequest",
    patch: () => (query) => {
      if (query.has("code_challenge")) query.set("code_challenge", CHALLENGE);
    },
    more: [
      {
        step: "tokenRequest",
        patch:
          () =>
          ({ form }) => {
            if (form.get("grant_type") === "authorization_code")
              form.set("code_verifier", VERIFIER);
          },
      },
    ],
  },
  {
    name: "server-pkce-downgraded",
    title: "Asks nobody for a challenge",
    rule: "authorization-server.pkce",
    how: "PKCE is checked where it is used, and no client has to use it.",
    source: "CVE-2024-22258",
    step: "authorizationRequest",
    patch: () => (query, memory) => {
      if (query.has("code_challenge")) return;
      query.set("code_challenge", CHALLENGE);
      query.set("code_challenge_method", "S256");
      memory.requests.get(query.get("state") ?? "")?.set("downgraded", "true");
    },
    more: [
      {
        step: "tokenRequest",
        patch:
          () =>
          ({ form, memory }) => {
            const asked = memory.codes.get(form.get("code") ?? "");
            if (asked?.get("downgraded") === "true") form.set("code_verifier", VERIFIER);
          },
      },
    ],
  },
  {
    name: "server-pkce-method-ignored",
    title: "Takes every method of PKCE for S256",
    rule: "authorization-server.pkce",
    how: "One method is supported, and the parameter that names it is not read.",
    source: "hydra#1512",
    step: "authorizationRequest",
    patch: () => (query) => {
      if (query.has("code_challenge_method")) query.set("code_challenge_method", "S256");
    },
  },
  {
    name: "server-redirects-by-prefix",
    title: "Redirects to whatever begins like the registered host",
    rule: "authorization-server.redirect",
    how: "Loopback addresses are free in their port, and what follows the host is cut off by hand.",
    source: "Keycloak CVE-2024-8883",
    step: "openRedirect",
    patch: () => (query) => {
      const wanted = query.get("redirect_uri") ?? "";
      const isLoopback = new URL(wanted || "http://127.0.0.1").hostname === "127.0.0.1";
      return !isLoopback && wanted.startsWith("http://127.0.0.1") ? wanted : undefined;
    },
  },
  {
    name: "server-redirects-anywhere",
    title: "Redirects an error to whatever redirect URI is asked for",
    rule: "authorization-server.redirect",
    how: "Errors are sent back before the redirect URI is compared.",
    step: "openRedirect",
    patch: () => (query, memory) => {
      const { redirect_uris: registered = [] } =
        memory.clients.find(({ client_id: id }) => id === query.get("client_id")) ?? {};
      const wanted = new URL(query.get("redirect_uri") ?? "http://127.0.0.1");
      wanted.port = "";
      return registered.includes(wanted.href)
        ? undefined
        : (query.get("redirect_uri") ?? undefined);
    },
  },
  {
    name: "server-scopes-unlimited",
    title: "Grants every scope that is asked for, whatever the client is registered for",
    rule: "authorization-server.scope",
    how: "Scopes are limited for each resource, and not for each client.",
    source: "node-oauth2-server#720",
    step: "registered",
    patch: () => (clients) => clients.map(({ scope: _scope, ...client }) => client),
  },
  {
    name: "server-scope-patterns",
    title: "Grants every scope to a request for `*`",
    rule: "authorization-server.scope",
    how: "Scopes are patterns in the configuration, and in requests too.",
    ...widening((form) => (form.get("scope") === "*" ? SCOPES.join(" ") : null)),
  },
  {
    name: "server-scope-order",
    title: "Refuses scopes in another order than its own",
    rule: "authorization-server.scope",
    how: "The list is compared with the registered one as text.",
    step: "tokenRequest",
    patch:
      () =>
      ({ form }) => {
        const asked = form.get("scope")?.split(" ") ?? [];
        const ordered = SCOPES.filter((scope) => asked.includes(scope));
        if (ordered.length === asked.length && ordered.join(" ") !== asked.join(" ")) {
          form.set("scope", "unknown");
        }
      },
  },
  {
    name: "server-exchange-widens",
    title: "Grants whatever scope is asked for when a code is redeemed",
    rule: "authorization-server.scope",
    how: "Both grants share a handler that reads the scope of the token request.",
    ...widening((form) =>
      form.get("grant_type") === "authorization_code" ? form.get("scope") : null,
    ),
  },
  {
    name: "server-grant-unsaid",
    title: "Grants less than was asked for, and does not say so",
    rule: "authorization-server.scope",
    how: "The response is a template without `scope`.",
    source: "league/oauth2-server#1260",
    step: "tokenClaims",
    patch: () => (claims) => ({ ...claims, scope: String(claims["scope"]).split(" ")[0] }),
    more: [
      {
        step: "tokenAnswer",
        patch: () => (answer) => {
          delete answer.body["scope"];
        },
      },
    ],
  },
  {
    name: "server-tokens-cached",
    title: "Does not forbid caches to keep a token response",
    rule: "authorization-server.responses",
    how: "The header was set by a proxy that is gone.",
    source: "pixelfed#6553",
    step: "tokenAnswer",
    patch: () => (answer) => {
      answer.headers["cache-control"] = "";
    },
  },
  {
    name: "server-errors-without-error",
    title: "Answers refused token requests without `error`",
    rule: "authorization-server.responses",
    how: "A gateway puts its own body in place of the server's.",
    step: "tokenAnswer",
    patch: () => (answer) => {
      if (answer.status >= 400) answer.body = { message: "Bad request" };
    },
  },
  {
    name: "server-tokens-not-accepted",
    title: "The receiver does not trust the deployment's own authorization server",
    rule: "authorization-server.accepted",
    how: "The issuer was renamed, and the receiver knows its former name.",
    step: "checkIssuer",
    patch: (original) => (call) => {
      const own = call.receiver.own?.issuer;
      if (own !== undefined && call.claims["iss"] === own) {
        throw reject(call, "checkIssuer", "The access token's issuer is not trusted.");
      }
      return original(call);
    },
  },
];

/**
 * Grants other scopes than the library would.
 * @param granted what a token request is granted, `null` where that is the library's business
 */
function widening(granted: (form: URLSearchParams) => string | null): Pick<Fault, "more"> & Patch {
  let scope: string | null = null;
  return {
    step: "tokenRequest",
    patch:
      () =>
      ({ form }) => {
        scope = granted(form);
        if (scope !== null) form.delete("scope");
      },
    more: [
      {
        step: "tokenClaims",
        patch: (original) => (claims, grant) => ({
          ...original(claims, grant),
          ...(scope !== null && { scope }),
        }),
      },
    ],
  };
}

const KNOWN_GRANTS: ReadonlySet<string> = new Set([
  "client_credentials",
  "authorization_code",
  "refresh_token",
]);

/** Of RFC 7636 appendix B. */
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** Puts the right credentials of a client into a token request. */
function authenticate(
  request: { authorization: string | undefined; readonly form: URLSearchParams },
  name: string = clientNamed(request),
): void {
  request.form.delete("client_id");
  request.form.delete("client_secret");
  request.authorization = `Basic ${Buffer.from(`${name}:${secretOf(name)}`).toString("base64")}`;
}

function clientNamed({
  authorization,
  form,
}: {
  authorization: string | undefined;
  readonly form: URLSearchParams;
}): string {
  const basic = /^Basic (.+)$/.exec(authorization ?? "")?.[1];
  return basic === undefined
    ? (form.get("client_id") ?? "")
    : (Buffer.from(basic, "base64").toString().split(":")[0] ?? "");
}

function secretIn({
  authorization,
  form,
}: {
  authorization: string | undefined;
  readonly form: URLSearchParams;
}): string | undefined {
  const basic = /^Basic (.+)$/.exec(authorization ?? "")?.[1];
  if (basic === undefined) return form.get("client_secret") ?? undefined;
  const secret = Buffer.from(basic, "base64").toString().split(":")[1];
  return secret === "" ? undefined : secret;
}
