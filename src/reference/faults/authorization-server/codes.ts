import { changingForm } from "../../patches.ts";
import type { Patch } from "../../steps.ts";
import { type Faults, ownedBy } from "../fault.ts";
import {
  authenticate,
  authorizationOf,
  basicOf,
  clientNamed,
  mixingClients,
  secretIn,
  widening,
} from "./requests.ts";

/** Faults of the authorization code flow and of its refresh tokens. */
export const CODE_FAULTS: Faults = ownedBy("authorization-server.authorization-code", {
  "server-code-any-secret": {
    title: "Accepts any secret of a client that has a code",
    how: "The server treats whoever has a code as its client.",
    source: "CVE-2026-73309",
    tokenRequest: () => (request) => {
      const owner = authorizationOf(request)?.get("client_id");
      if (owner === clientNamed(request)) authenticate(request);
    },
  },
  "server-code-redirect-optional": {
    title: "Redeems a code without the redirect URI of its authorization request",
    how: "A client with a single registered redirect URI need not send it, says a setting of the library.",
    source: "RFC 6749 section 4.1.3",
    tokenRequest: () => (request) => {
      const { form } = request;
      const asked = authorizationOf(request)?.get("redirect_uri");
      if (asked && !form.has("redirect_uri")) form.set("redirect_uri", asked);
    },
  },
  "server-response-type-ignored": {
    title: "Issues a code for any response_type",
    how: "The server supports one flow, and does not read the parameter that selects it.",
    authorizationRequest: () => (query) => query.set("response_type", "code"),
  },
  "server-parameters-refused": {
    title: "Refuses an authorization request with an unknown parameter",
    how: "A gateway validates requests against a closed list of parameters.",
    openRedirect: () => (query) =>
      query.has("conformance") ? (query.get("redirect_uri") ?? undefined) : undefined,
  },
  "server-refresh-widens": {
    title: "Grants any scope that a refresh request asks for",
    how: "The server compares the scope of a refresh request with the client's scopes, not with the grant's.",
    variants: ["server-refresh-tokens"],
    ...widening((form) => (form.get("grant_type") === "refresh_token" ? form.get("scope") : null)),
  },
  "server-refresh-any-secret": {
    title: "Accepts any secret with a refresh token",
    how: "The refresh token is taken for proof enough, and the secret only has to be there.",
    variants: ["server-refresh-tokens"],
    tokenRequest: () => (request) => {
      const given = secretIn(request);
      if (request.form.get("grant_type") === "refresh_token" && given) authenticate(request);
    },
  },
  "server-refresh-of-any-client": {
    title: "Accepts a refresh token of another client",
    how: "The server looks up refresh tokens without the client.",
    source: "GHSA-xqxv-4jc2-x56x",
    variants: ["server-refresh-tokens"],
    ...refreshedBy("refresh_token"),
  },
  "server-refresh-by-access-token": {
    title: "Accepts an access token in place of a refresh token",
    how: "The server looks for tokens of every kind in one table, and does not look at the kind.",
    variants: ["server-refresh-tokens"],
    ...refreshedBy("access_token"),
  },
  "server-refresh-kept": {
    title: "Does not replace the refresh token of a client without a secret",
    how: "The setting that replaces refresh tokens is for the whole server, and off because clients with a secret need no new ones.",
    source: "RFC 9700 section 2.2.2",
    variants: ["server-refresh-tokens", "server-public-client"],
    replacesRefreshToken: () => () => false,
  },
  "server-refresh-numbered": {
    title: "Numbers its refresh tokens",
    how: "The refresh token is the primary key of its row.",
    source: "RFC 6749 section 10.10",
    variants: ["server-refresh-tokens"],
    ...numbered(),
  },
  "server-code-empty": {
    title: "Redeems the latest code if a token request has an empty one",
    how: "An empty value is left out of the condition of the query, which then finds every code.",
    ...changingForm((form, { memory }) => {
      if (form.get("code") === "") form.set("code", [...memory.codes.keys()].at(-1) ?? "");
    }),
  },
  "server-issuer-unsaid": {
    title: "Does not name the issuer in the authorization response, although its metadata says so",
    how: "The redirect is built by older code than the metadata.",
    clientRedirect: () => (to) => to.searchParams.delete("iss"),
  },
  "server-code-of-any-client": {
    title: "Accepts a code of another client",
    how: "The server looks up codes without the client.",
    source: "Keycloak CVE-2026-16089",
    tokenRequest: () => (request) => {
      const owner = authorizationOf(request)?.get("client_id");
      if (owner && basicOf(request)?.name) authenticate(request, owner);
    },
  },
  "server-code-by-client-id": {
    title: "Authenticates one client, and redeems the code of the client that the form names",
    how: "The secret is looked up by the name in the header, the code's client is compared with the name in the form.",
    ...mixingClients("authorization_code"),
  },
  "server-code-any-redirect": {
    title: "Does not compare the redirect URI when a code is redeemed",
    how: "The server compared it when the code was requested.",
    tokenRequest: () => (request) => {
      const asked = authorizationOf(request)?.get("redirect_uri");
      if (asked) request.form.set("redirect_uri", asked);
    },
  },
  "server-code-twice": {
    title: "Returns the token of a code a second time",
    how: "A cache repeats the earlier answer, so that repeated requests are harmless.",
    tokenAnswer: () => (answer) => {
      const known = answer.memory.redeemed.get(answer.form.get("code") ?? "");
      if (!known || answer.status === 200) return;
      answer.status = 200;
      answer.body = known;
    },
  },
  "server-state-plus": {
    title: "Returns the state with spaces in place of plus signs",
    how: "The framework decodes the value, and the code decodes it again.",
    source: "spring-authorization-server#875",
    clientRedirect: () => (to) => {
      const state = to.searchParams.get("state");
      if (state?.includes("+")) to.searchParams.set("state", state.replaceAll("+", " "));
    },
  },
  "server-error-without-state": {
    title: "Omits the state from error responses",
    how: "Errors have their own template.",
    source: "simple-login#2750",
    clientRedirect: () => (to) => {
      if (to.searchParams.has("error")) to.searchParams.delete("state");
    },
  },
  "server-state-empty": {
    title: "Sends an empty state if there was none",
    how: "The code always writes the parameter.",
    clientRedirect: () => (to) => {
      if (!to.searchParams.has("state")) to.searchParams.set("state", "");
    },
  },
  "server-redirect-second-question-mark": {
    title: "Appends its answer to a redirect URI by a question mark, although the URI has a query",
    how: "The redirect is made by joining texts, and was only tried with a redirect URI without a query.",
    source: "RFC 6749 section 3.1.2",
    clientRedirect: () => (to, memory) => {
      const asked = memory.requests.get(to.searchParams.get("state") ?? "");
      const [, own] = /\?(.+)/.exec(asked?.get("redirect_uri") ?? "") ?? [];
      if (own === undefined) return;
      for (const name of new URLSearchParams(own).keys()) to.searchParams.delete(name);
      to.search = `?${own}${to.search}`;
    },
  },
  "server-redirect-two-codes": {
    title: "Sends the code of an earlier try before its own in a redirect",
    how: "The parameters of the answer are kept with the session, and each try adds its own.",
    source: "RFC 6749 section 3.1",
    clientRedirect: () => (to) => {
      if (to.searchParams.has("code")) to.search = `?code=earlier&${to.search.slice(1)}`;
    },
  },
  "server-pushes-unauthenticated": {
    title: "Takes a pushed authorization request without the client's secret",
    how: "The endpoint takes what a browser may bring to the other one, where no client authenticates.",
    source: "RFC 9126 section 2.1",
    pushedRequest: () => (request) => {
      const named = clientNamed(request);
      if (secretIn(request) !== undefined || named === "") return;
      authenticate(request, named);
      request.form.set("client_id", named);
    },
  },
  "server-pushing-optional": {
    title:
      "Accepts an authorization request that was not pushed, although its metadata requires that",
    how: "The metadata was changed for new clients, and the check was put off until the old ones follow.",
    source: "RFC 9126 section 5",
    publishedMetadata: () => (metadata) => ({
      ...metadata,
      require_pushed_authorization_requests: true,
    }),
  },
  "server-denial-ignored": {
    title: "Issues a code although the person refuses",
    how: "The code does not read the form's second button.",
    isAllowed: () => () => true,
  },
  "server-login-sent-on": {
    title: "Redirects with 307 after the login",
    how: "The framework's redirect keeps the method.",
    source: "RFC 9700 section 4.12",
    redirectStatus: () => () => 307,
  },
});

/** Gives numbers in place of the library's refresh tokens. */
function numbered(): Patch {
  const given: string[] = [];
  return {
    tokenAnswer: () => (answer) => {
      const token = answer.body["refresh_token"];
      if (typeof token !== "string") return;
      if (!given.includes(token)) given.push(token);
      answer.body["refresh_token"] = String(100_000 + given.indexOf(token));
    },
    ...changingForm((form) => {
      const token = given[Number(form.get("refresh_token")) - 100_000];
      if (token !== undefined) form.set("refresh_token", token);
    }),
  };
}

/** Answers a refused refresh request as the request was answered that gave the token in it, whose client and kind do not matter. */
function refreshedBy(member: "access_token" | "refresh_token"): Patch {
  return {
    tokenAnswer: () => (answer) => {
      const { form, body, memory, status } = answer;
      const given = body[member];
      if (status === 200 && typeof given === "string") memory.redeemed.set(given, body);
      const before = memory.redeemed.get(form.get("refresh_token") ?? "");
      if (status < 400 || !before) return;
      answer.status = 200;
      answer.body = before;
    },
  };
}
