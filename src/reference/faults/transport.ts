import { OPERATIONS } from "../../contract/operations.ts";
import type { Call } from "../model.ts";
import { reject } from "../reject.ts";
import { trusted, type Fault } from "./fault.ts";

/** Faults in how a token may be sent, and in guards that misread requests. */

const SCHEMES: readonly Fault[] = [
  ...["Token", "JWT", "DPoP"].map((scheme): Fault => ({
    name: `scheme-${scheme.toLowerCase()}-accepted`,
    title: `Accepts a good token under the scheme ${scheme} too`,
    rule: "receiver.token-required",
    how: "The middleware supports several schemes, and they are on by default.",
    step: "readCredentials",
    patch: (original) => (call) => {
      const [first, token] = call.authorization[0]?.split(" ") ?? [];
      if (first !== scheme) return original(call);
      call.token = token;
    },
  })),
  {
    name: "scheme-skipped-unread",
    title: "Accepts a good token under any scheme of six letters",
    rule: "receiver.token-required",
    how: "The code takes what follows the first seven characters of the header, and does not look at these.",
    step: "readCredentials",
    patch: (original) => (call) => {
      const value = call.authorization[0] ?? "";
      if (!/^[a-z]{6} eyJ/i.test(value)) return original(call);
      call.token = value.slice("Bearer ".length);
    },
  },
  {
    name: "scheme-by-prefix",
    title: "Accepts a good token under any scheme that begins with Bearer",
    rule: "receiver.token-required",
    how: "The code tests `startsWith` without the space, and splits the header at it.",
    step: "readCredentials",
    patch: (original) => (call) => {
      const token = /^Bearer\w+ (eyJ.*)$/.exec(call.authorization[0] ?? "")?.[1];
      if (token === undefined) return original(call);
      call.token = token;
    },
  },
  withinBasic("password", 1),
  withinBasic("user", 0),
  {
    name: "scheme-not-wanted",
    title: "Accepts a good token without a scheme too",
    rule: "receiver.token-required",
    how: "The code removes `Bearer ` if it is present, and does not require it.",
    step: "readCredentials",
    patch: (original) => (call) => {
      const value = call.authorization[0] ?? "";
      if (!value.startsWith("eyJ")) return original(call);
      call.token = value;
    },
  },
  {
    name: "scheme-case-sensitive",
    title: "Requires the spelling `Bearer` of the scheme",
    rule: "receiver.token-required",
    how: "The header is compared with `startsWith`.",
    source: "istio/istio#22608",
    step: "readCredentials",
    patch: (original) => (call) => {
      if (call.authorization[0]?.startsWith("Bearer") ?? true) return original(call);
      throw reject(call, "readCredentials", "The scheme must be Bearer.");
    },
  },
  trusting({
    name: "bearer-alone-trusted",
    title: "Accepts the word `Bearer` without a token",
    how: "The code reads the token after the scheme. Without a token, it treats the caller as the service itself.",
    when: ({ authorization }) => /^bearer\s*$/i.test(authorization[0] ?? "-"),
  }),
  trusting({
    name: "authorization-empty-trusted",
    title: "Accepts an empty Authorization header",
    how: "The code refuses a missing header, and an empty one is not missing.",
    when: ({ authorization }) => authorization[0] === "",
  }),
  trusting({
    name: "authorization-twice-trusted",
    title: "Accepts two Authorization headers",
    how: "The middleware expects one string. It finds no token in a list, and without a token it verifies nothing.",
    when: ({ authorization }) => authorization.length > 1,
  }),
  {
    name: "token-not-ascii-500",
    title: "Fails with an internal error on a token that is not ASCII",
    rule: "receiver.token-required",
    how: "The header is decoded without handling of decoding errors.",
    step: "readCredentials",
    patch: (original) => (call) => {
      if (/^[ -~]*$/.test(call.authorization.join(""))) return original(call);
      throw new TypeError("'ascii' codec can't decode byte");
    },
  },
  {
    name: "challenge-missing",
    title: "Sends 401 without WWW-Authenticate",
    rule: "receiver.token-required",
    how: "The code sets the status itself, without the header.",
    step: "finish",
    patch: (original) => (answer, receiver, call) => {
      const finished = original(answer, receiver, call);
      const { "www-authenticate": _, ...headers } = finished.headers ?? {};
      return { ...finished, headers };
    },
  },
];

const HEADERS: readonly Fault[] = [
  ...["x-authorization", "proxy-authorization", "x-access-token"].map((header): Fault => ({
    name: `token-in-${header}`,
    title: `Accepts a good token in ${header}`,
    rule: "receiver.token-required",
    how: "A proxy uses Authorization for itself, so another header was agreed on.",
    step: "readCredentials",
    patch: (original) => (call) => {
      const value = call.headers[header];
      if (call.authorization.length > 0 || typeof value !== "string") return original(call);
      call.token = value.replace(/^Bearer /, "");
    },
  })),
  trusting({
    name: "x-forwarded-user-trusted",
    title: "Accepts any user that X-Forwarded-User names",
    how: "A gateway authenticates and names the user, and clients can reach the service without the gateway.",
    when: ({ headers }) => headers["x-forwarded-user"] !== undefined,
  }),
  trusting({
    name: "x-jwt-payload-trusted",
    title: "Trusts claims in X-JWT-Payload",
    how: "A sidecar verifies the token and forwards its claims, and clients can reach the service without it.",
    when: ({ headers }) => headers["x-jwt-payload"] !== undefined,
  }),
  trusting({
    name: "internal-address-trusted",
    title: "Accepts requests that claim to come from 127.0.0.1",
    how: "Internal requests need no token, and the code reads their origin from X-Forwarded-For.",
    when: ({ headers }) => headers["x-forwarded-for"] === "127.0.0.1",
  }),
];

const METHODS: readonly Fault[] = [
  trusting({
    name: "head-unguarded",
    title: "Serves HEAD without a token",
    how: "The guard is installed on GET, and the router answers HEAD like GET.",
    when: ({ method }) => method === "HEAD",
  }),
  trusting({
    name: "override-options-unguarded",
    title: "Serves a request that claims to be OPTIONS without a token",
    how: "Preflights pass the guard, which reads the method from a header. The router uses the method of the request.",
    when: ({ headers }) => headers["x-http-method-override"] === "OPTIONS",
  }),
  trusting({
    name: "preflight-headers-unguarded",
    title: "Serves a GET with the headers of a CORS preflight without a token",
    how: "Preflights pass the guard, which recognises them by their headers, and does not look at the method.",
    when: ({ headers }) => headers["access-control-request-method"] !== undefined,
  }),
  overriding("override-get-unguarded", "GET", (organization) => organization),
  overriding("override-write-unguarded", "PATCH", (organization, patch, put) => {
    put({ ...organization, ...patch });
    return { accepted: true };
  }),
  {
    name: "cache-serves-tokenless",
    title: "Repeats a cached answer to a request without a token",
    rule: "receiver.token-required",
    how: "The key of a shared cache in front is the URL.",
    step: "finish",
    patch(original) {
      const cache = new Map<string, ReturnType<typeof original>>();
      return (answer, receiver, call) => {
        const finished = original(answer, receiver, call);
        if (call?.method !== "GET") return finished;
        if (call.authorization.length === 0) return cache.get(call.url) ?? finished;
        if (finished.status === 200) cache.set(call.url, finished);
        return finished;
      };
    },
  },
  {
    name: "session-instead-of-token",
    title: "Accepts the cookie of a session, which a good request began, in place of a token",
    rule: "receiver.token-required",
    how: "The framework keeps in a session who was authenticated, unless it is told not to.",
    step: "finish",
    patch(original) {
      const pages = new Map<string, ReturnType<typeof original>>();
      return (answer, receiver, call) => {
        const finished = original(answer, receiver, call);
        if (call?.method !== "GET") return finished;
        if (call.authorization.length === 0 && call.headers.cookie === SESSION) {
          return pages.get(call.url) ?? finished;
        }
        if (finished.status !== 200) return finished;
        pages.set(call.url, finished);
        const headers = { ...finished.headers, "set-cookie": `${SESSION}; Path=/; HttpOnly` };
        return { ...finished, headers };
      };
    },
  },
];

const SESSION = "session=5f1c2d";

/** Spellings of paths that the guard does not recognise, and how the router normalizes them. */
const UNGUARDED: readonly (readonly [name: string, what: string, tidy: (url: string) => string])[] =
  [
    ["trailing-slash", "a trailing slash", (url) => url.replace(/\/$/, "")],
    ["upper-case", "/ORGS", (url) => url.replace("/ORGS", "/orgs")],
    ["doubled-slash", "two slashes", (url) => url.replace("//orgs", "/orgs")],
    ["leading-slash", "two slashes at the beginning", (url) => url.replace(/^\/\//, "/")],
    ["parameter", "a path parameter", (url) => url.replace(/;.*$/, "")],
    ["extension", ".json at the end", (url) => url.replace(/\.json$/, "")],
    ["encoded", "an encoded letter", (url) => url.replace(/%6F/i, "o")],
    ["dot", "a dot segment", (url) => url.replace("/./", "/")],
    ["public", "dot segments after /health", (url) => url.replace("/health/..", "")],
    ["static", "a query that ends in .css", (url) => url.replace(/\?.*\.css$/, "")],
    ["words", "/health in its query", (url) => url.replace(/\?.*\/health.*$/, "")],
    ["absolute", "an absolute URL", (url) => url.replace(/^http:\/\/[^/]*/, "")],
  ];

const PATHS: readonly Fault[] = UNGUARDED.map(([name, what, tidy]): Fault => ({
  ...trusting({
    name: `path-${name}-unguarded`,
    title: `Serves a path with ${what} without a token`,
    how: "The guard uses the path as received, and the router normalizes it first.",
    when: ({ url, authorization }) => authorization.length === 0 && tidy(url) !== url,
  }),
  more: [{ step: "resolveUrl", patch: () => tidy }],
}));

export const TRANSPORT_FAULTS: readonly Fault[] = [...SCHEMES, ...HEADERS, ...METHODS, ...PATHS];

/** Treats the caller as the service itself. */
function trusting({
  when,
  ...named
}: Pick<Fault, "name" | "title" | "how"> & { when: (call: Call) => boolean }): Fault {
  return {
    ...named,
    rule: "receiver.token-required",
    step: "checks",
    patch: (original) => (call) => (when(call) ? trusted(call) : original(call)),
  };
}

type Members = Readonly<Record<string, unknown>>;

/** Accepts POST with another method in a header, which reaches an organization without the guards of the routes. */
function overriding(
  name: string,
  method: string,
  act: (organization: Members, body: Members, put: (edited: Members) => void) => unknown,
): Fault {
  const route = new RegExp(
    `${OPERATIONS.viewOrganization.path.replace("{orgId}", "([\\da-f-]+)")}$`,
  );
  return {
    name,
    title: `Serves a POST that claims to be ${method} without a token`,
    rule: "receiver.token-required",
    how: "The guards are on the routes' methods, and a method override is resolved after them.",
    step: "unknownRoute",
    patch: (original) => (stray, receiver) => {
      const { organizations } = receiver.store;
      const organization = organizations.get(route.exec(stray.url)?.[1] ?? "");
      const asked = stray.method === "POST" && stray.headers["x-http-method-override"] === method;
      if (!asked || !organization) return original(stray, receiver);
      const put = (edited: Members): void =>
        void organizations.set(organization.id, { ...organization, ...edited });
      return { status: 200, body: { data: act(organization, stray.body as Members, put) } };
    },
  };
}

/** @param part the place of the token in Basic's user name and password */
function withinBasic(name: string, part: 0 | 1): Fault {
  return {
    name: `scheme-basic-${name}-accepted`,
    title: `Accepts a good token as the ${part === 0 ? "user name" : "password"} of Basic too`,
    rule: "receiver.token-required",
    how: "Clients that know only Basic, such as git, may send the token with it.",
    step: "readCredentials",
    patch: (original) => (call) => {
      const [scheme, credentials = ""] = call.authorization[0]?.split(" ") ?? [];
      const token = Buffer.from(credentials, "base64").toString().split(":")[part];
      if (scheme !== "Basic" || !token?.startsWith("eyJ")) return original(call);
      call.token = token;
    },
  };
}
