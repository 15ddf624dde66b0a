import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Showing } from "./access-showings.ts";
import {
  FOREIGN_KEY,
  mint,
  organization,
  send,
  submitted,
  type Receiver,
  type Request,
} from "./client.ts";

const NOWHERE = "9c1f7c52-0c7e-4b1e-9d0a-3f1f5f0f8a11";

const tokenless: Showing = () => ({ authorization: null });
const always =
  (request: Request): Showing =>
  () =>
    request;

/** Credentials made of a good token. */
function presented(value: (token: string) => string): Showing {
  return async (receiver) => ({ authorization: value(await mint(receiver)) });
}

/** No Authorization header, and another one made of a good token. */
function instead(header: string, value: (token: string) => string): Showing {
  return async (receiver) => ({
    authorization: null,
    headers: { [header]: value(await mint(receiver)) },
  });
}

/** No Authorization header, and the path of viewOrganization written otherwise, to the letter. */
function path(rewrite: (path: string, origin: string) => string): Showing {
  return (receiver) => {
    const { origin, pathname } = new URL(receiver.baseUrl);
    return { verbatim: { path: rewrite(pathname + view(receiver), origin), authorization: [] } };
  };
}

function view(receiver: Receiver): string {
  return OPERATIONS.viewOrganization.path.replace("{orgId}", organization(receiver, "primary"));
}

function overriding(method: string, body?: object): Showing {
  return (receiver) => ({
    authorization: null,
    method: "POST",
    path: view(receiver),
    headers: { "x-http-method-override": method },
    ...(body && { body }),
  });
}

const invalid = always({ operation: "submitChange", body: { name: 7 } });
const notJson = always({ operation: "submitChange", body: "{" });
const unknownChange = always({ operation: "readChange", changeId: NOWHERE });
const unknownPath = always({ path: "/nowhere" });
const unknownMethod = always({ method: "DELETE" });

/** What shows the faults of transport and of errors; see `faults.test.ts`. */
export const HTTP_SHOWINGS: Readonly<Record<string, Showing>> = {
  "scheme-token-accepted": presented((token) => `Token ${token}`),
  "scheme-jwt-accepted": presented((token) => `JWT ${token}`),
  "scheme-dpop-accepted": presented((token) => `DPoP ${token}`),
  "scheme-by-prefix": presented((token) => `BearerToken ${token}`),
  "scheme-by-ending": presented((token) => `XBearer ${token}`),
  "scheme-skipped-unread": presented((token) => `Digest ${token}`),
  "scheme-basic-password-accepted": presented(
    (token) => `Basic ${Buffer.from(`git:${token}`).toString("base64")}`,
  ),
  "scheme-basic-user-accepted": presented(
    (token) => `Basic ${Buffer.from(`${token}:`).toString("base64")}`,
  ),
  "scheme-not-wanted": presented((token) => token),
  "scheme-case-sensitive": presented((token) => `bearer ${token}`),
  "bearer-alone-trusted": presented(() => "Bearer"),
  "authorization-empty-trusted": presented(() => ""),
  "authorization-twice-trusted": (receiver) => ({
    verbatim: {
      path: new URL(receiver.baseUrl).pathname + view(receiver),
      authorization: ["Bearer a", "Bearer b"],
    },
  }),
  "token-not-ascii-500": presented(() => "Bearer \u00F6"),
  "challenge-missing": tokenless,
  "token-in-x-authorization": instead("x-authorization", (token) => `Bearer ${token}`),
  "token-in-proxy-authorization": instead("proxy-authorization", (token) => `Bearer ${token}`),
  "token-in-x-access-token": instead("x-access-token", (token) => token),
  "x-forwarded-user-trusted": instead("x-forwarded-user", () => "somebody"),
  "x-jwt-payload-trusted": instead("x-jwt-payload", () => "e30"),
  "internal-address-trusted": instead("x-forwarded-for", () => "127.0.0.1"),
  "head-unguarded": always({ authorization: null, method: "HEAD" }),
  "list-head-unguarded": always({
    operation: "listOrganizations",
    authorization: null,
    method: "HEAD",
  }),
  "feed-head-unguarded": always({
    operation: "readChangesFeed",
    authorization: null,
    method: "HEAD",
  }),
  "change-head-unguarded": async (receiver) => ({
    operation: "readChange",
    changeId: await submitted(receiver),
    authorization: null,
    method: "HEAD",
  }),
  "override-options-unguarded": instead("x-http-method-override", () => "OPTIONS"),
  "preflight-headers-unguarded": instead("access-control-request-method", () => "GET"),
  "override-get-unguarded": overriding("GET"),
  "override-write-unguarded": overriding("PATCH", { mission: "changed" }),
  "cache-serves-tokenless": async (receiver) => {
    await send(receiver);
    return { authorization: null };
  },
  "session-instead-of-token": async (receiver) => {
    await send(receiver);
    return instead("cookie", () => "session=5f1c2d")(receiver);
  },
  "not-modified-before-token": instead("if-none-match", () => "*"),
  "not-modified-from-cache": async (receiver) => {
    const etag = (await send(receiver)).headers.get("etag");
    return instead("if-none-match", () => etag ?? "")(receiver);
  },
  "path-trailing-slash-unguarded": path((text) => `${text}/`),
  "path-upper-case-unguarded": path((text) => text.replace("/orgs", "/ORGS")),
  "path-doubled-slash-unguarded": path((text) => text.replace("/orgs", "//orgs")),
  "path-leading-slash-unguarded": path((text) => `/${text}`),
  "path-parameter-unguarded": path((text) => `${text};x`),
  "path-extension-unguarded": path((text) => `${text}.json`),
  "path-encoded-unguarded": path((text) => text.replace("/orgs", "/%6Frgs")),
  "path-dot-unguarded": path((text) => text.replace("/orgs", "/./orgs")),
  "path-public-unguarded": path((text) => text.replace("/orgs", "/health/../orgs")),
  "path-words-unguarded": path((text) => `${text}?x=/health`),
  "path-static-unguarded": path((text) => `${text}?x=.css`),
  "path-absolute-unguarded": path((text, origin) => origin + text),

  "unmarked-trusted": tokenless,
  "unmarked-scope-unchecked": always({ token: { claims: { scope: "openid" } } }),
  "unmarked-signature-unchecked": always({ token: { key: FOREIGN_KEY } }),

  "error-nested": tokenless,
  "error-problem-only": tokenless,
  "error-message-only": tokenless,
  "error-errors-null": tokenless,
  "error-errors-string": tokenless,
  "error-plain-text": tokenless,
  "error-not-utf-8": tokenless,
  "error-byte-order-mark": tokenless,
  "error-empty-on-401": tokenless,
  "error-empty": tokenless,
  "error-empty-for-unknown-organization-edits": always({
    operation: "editOrganization",
    orgId: NOWHERE,
    body: { mission: "changed" },
  }),
  "error-parser-default": notJson,
  "error-no-body-default": always({
    operation: "submitChange",
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "",
  }),
  "error-undecodable-path-default": always({ orgId: "%FF" }),
  "error-page-unless-json-asked": always({ authorization: null, headers: { accept: "*/*" } }),
  "error-page-for-browsers": always({ authorization: null, headers: { accept: "text/html" } }),
  "error-media-type-default": always({
    operation: "submitChange",
    headers: { "content-type": "text/plain" },
  }),
  "error-status-zero": tokenless,
  "error-status-own-code": tokenless,
  "error-status-wrong-on-404": unknownChange,
  "error-as-html": tokenless,
  "error-as-plain": tokenless,
  "unknown-organization-null": always({ orgId: NOWHERE }),
  "unknown-organization-empty-feed": always({ operation: "readChangesFeed", orgId: NOWHERE }),
  "unknown-organization-created": always({ operation: "editOrganization", orgId: NOWHERE }),
  "unknown-organization-500": always({ orgId: NOWHERE }),
  "malformed-organization-500": always({ orgId: "nowhere" }),
  "unknown-change-null": unknownChange,
  "unknown-change-500": unknownChange,
  "malformed-change-500": always({ operation: "readChange", changeId: "nowhere" }),
  "change-by-prefix": (receiver) => {
    const operations = receiver.profile["operations"] as Record<string, { changeId: string }>;
    return { operation: "readChange", changeId: `${operations["readChange"]?.changeId}x` };
  },
  "organization-by-pattern": (receiver) => ({
    orgId: organization(receiver, "primary").replace(/.$/, "_"),
  }),
  "organization-cut-off": (receiver) => ({ orgId: `${organization(receiver, "primary")}0` }),
  "change-by-pattern": (receiver) => {
    const operations = receiver.profile["operations"] as Record<string, { changeId: string }>;
    const id = operations["readChange"]?.changeId ?? "";
    return { operation: "readChange", changeId: id.replace(/.$/, "_") };
  },
  "invalid-body-accepted": invalid,
  "invalid-submission-accepted": invalid,
  "invalid-body-200": invalid,
  "invalid-body-500": invalid,
  "not-json-500": notJson,
  "not-json-accepted": notJson,
  "submission-errors-strings": invalid,
  "submission-errors-empty": invalid,
  "submission-errors-path": invalid,
  "unknown-path-shows-app": unknownPath,
  "unknown-path-html": unknownPath,
  "unknown-path-redirects": unknownPath,
  "unknown-path-500": unknownPath,
  "unknown-method-served": unknownMethod,
  "unknown-method-empty": unknownMethod,
};
