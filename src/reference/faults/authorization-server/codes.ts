import type { Fault } from "../fault.ts";
import { authenticate, clientNamed, widening } from "./requests.ts";

/** Faults of the authorization code flow, and of the refresh tokens that come of it. */
export const CODE_FAULTS: readonly Fault[] = [
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
    name: "server-state-plus",
    title: "Gives a state back with blanks for its plus signs",
    rule: "authorization-server.authorization-code",
    how: "What was decoded once by the framework is decoded again by hand.",
    source: "spring-authorization-server#875",
    step: "clientRedirect",
    patch: () => (to) => {
      const state = to.searchParams.get("state");
      if (state?.includes("+")) to.searchParams.set("state", state.replaceAll("+", " "));
    },
  },
  {
    name: "server-error-without-state",
    title: "Leaves the state out of errors",
    rule: "authorization-server.authorization-code",
    how: "Errors have a template of their own.",
    source: "simple-login#2750",
    step: "clientRedirect",
    patch: () => (to) => {
      if (to.searchParams.has("error")) to.searchParams.delete("state");
    },
  },
  {
    name: "server-state-empty",
    title: "Sends an empty state where none was sent",
    rule: "authorization-server.authorization-code",
    how: "The parameter is written whether or not there is one.",
    step: "clientRedirect",
    patch: () => (to) => {
      if (!to.searchParams.has("state")) to.searchParams.set("state", "");
    },
  },
  {
    name: "server-denial-ignored",
    title: "Gives a code though the person refuses",
    rule: "authorization-server.authorization-code",
    how: "The form's second button is read by nobody.",
    step: "isAllowed",
    patch: () => () => true,
  },
  {
    name: "server-login-sent-on",
    title: "Redirects by 307 after the login",
    rule: "authorization-server.authorization-code",
    how: "The framework's redirect keeps the method.",
    source: "RFC 9700 section 4.12",
    step: "redirectStatus",
    patch: () => () => 307,
  },
];
