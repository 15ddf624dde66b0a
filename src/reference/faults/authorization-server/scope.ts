import { SCOPES } from "../../../contract/operations.ts";
import { changingForm } from "../../patches.ts";
import { type Faults, ownedBy } from "../fault.ts";
import { mixingClients, widening } from "./requests.ts";

/** Faults in the granted scopes and in how responses state them. */
export const GRANT_FAULTS: Faults = ownedBy("authorization-server.scope", {
  "server-scopes-unlimited": {
    title: "Grants every requested scope, whatever the client is registered for",
    how: "Scopes are limited for each resource, not for each client.",
    source: "node-oauth2-server#720",
    registered: () => (clients) => clients.map(({ scope: _scope, ...client }) => client),
  },
  "server-scope-patterns": {
    title: "Grants every scope to a request for `*`",
    how: "Scopes are patterns in the configuration, and also in requests.",
    ...widening((form) => (form.get("scope") === "*" ? SCOPES.join(" ") : null)),
  },
  "server-scope-order": {
    title: "Refuses scopes in an order other than its own",
    how: "The list is compared with the registered one as text.",
    ...changingForm((form) => {
      const asked = form.get("scope")?.split(" ") ?? [];
      const ordered = SCOPES.filter((scope) => asked.includes(scope));
      if (ordered.length === asked.length && ordered.join(" ") !== asked.join(" ")) {
        form.set("scope", "unknown");
      }
    }),
  },
  "server-exchange-widens": {
    title: "Grants any scope that is requested when a code is redeemed",
    how: "Both grants share a handler that reads the scope of the token request.",
    ...widening((form) =>
      form.get("grant_type") === "authorization_code" ? form.get("scope") : null,
    ),
  },
  "server-grant-unsaid": {
    title: "Grants less than was requested without saying so",
    how: "The response is a template without `scope`.",
    source: "league/oauth2-server#1260",
    tokenClaims: () => (claims) => ({ ...claims, scope: String(claims["scope"]).split(" ")[0] }),
    tokenAnswer: () => (answer) => {
      delete answer.body["scope"];
    },
  },
  "server-refresh-without-scope": {
    title: "Grants no scope to a refresh request that names none",
    how: "The scope is read from the request alone, and a refresh request usually has none.",
    source: "RFC 6749 section 6",
    variants: ["server-refresh-tokens"],
    tokenAnswer: () => (answer) => {
      if (answer.status === 200 && isPlainRefresh(answer.form)) answer.body["scope"] = "";
    },
    tokenClaims: (original) => (claims, grant) => ({
      ...original(claims, grant),
      ...(isPlainRefresh(grant.form) && { scope: "" }),
    }),
  },
  "server-scope-repeated": {
    title: "Grants all values of a repeated scope parameter, and checks only the first",
    how: "One part of the code reads the first value, another reads the list.",
    ...widening((form) => {
      const scopes = form.getAll("scope");
      return scopes.length > 1 ? scopes.join(" ") : null;
    }),
  },
  "server-identity-mixed": {
    title: "Authenticates one client, and grants the scopes of the client that the form names",
    how: "The secret is looked up by the name in the header, the grant by the name in the form.",
    source: "oauthlib CVE-2026-118669",
    ...mixingClients("client_credentials"),
  },
});

/** Whether a token request is one with a refresh token and without a scope. */
function isPlainRefresh(form: URLSearchParams): boolean {
  return form.get("grant_type") === "refresh_token" && !form.has("scope");
}
