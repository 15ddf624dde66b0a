import { type OperationId, OPERATIONS } from "../../contract/operations.ts";
import { type FaultEntry, type Faults, ofEach, ownedBy, trusting } from "./fault.ts";

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

/** Guards that take a public path for that of the request, though it is elsewhere in the target, and how the router reads it. */
const PUBLIC_ELSEWHERE: readonly (readonly [
  name: string,
  what: string,
  pattern: RegExp,
  tidy: (url: string) => string,
])[] = [
  ["query-end", "that ends in /metrics, with the query", /\?.*\/metrics$/, (url) => url],
  ["query-beginning", "whose query begins with /robots.txt", /\?\/robots\.txt/, (url) => url],
  [
    "hash",
    "that ends in /health after an encoded `#`",
    /%23.*\/health$/,
    (url) => url.replace(/%23.*$/, ""),
  ],
  [
    "semicolon",
    "that ends in .css after a semicolon",
    /;.*\.css$/,
    (url) => url.replace(/;.*$/, ""),
  ],
];

/** Routes of which HEAD alone has no guard. */
const HEAD_UNGUARDED: readonly (readonly [name: string, operation: OperationId])[] = [
  ["list-head-unguarded", "listOrganizations"],
  ["feed-head-unguarded", "readChangesFeed"],
  ["change-head-unguarded", "readChange"],
];

/** Faults of guards that misread the method or the path of a request, and of caches in front of guards. */
export const GUARD_FAULTS: Faults = ownedBy("receiver.token-required", {
  "head-unguarded": trusting({
    title: "Serves HEAD without a token",
    how: "The guard is installed on GET, and the router answers HEAD like GET.",
    when: ({ method }) => method === "HEAD",
  }),
  ...ofEach(HEAD_UNGUARDED, ([name, operation]) => ({
    [name]: trusting({
      title: `Serves HEAD without a token on ${operation}`,
      how: "Routes are guarded one by one, by method and path, and nobody thought of HEAD for this one.",
      when: (call) => call.method === "HEAD" && call.operation === operation,
    }),
  })),
  "override-options-unguarded": trusting({
    title: "Serves a request that claims to be OPTIONS without a token",
    how: "Preflights pass the guard, which reads the method from a header. The router uses the method of the request.",
    when: ({ headers }) => headers["x-http-method-override"] === "OPTIONS",
  }),
  "preflight-headers-unguarded": trusting({
    title: "Serves a GET with the headers of a CORS preflight without a token",
    how: "Preflights pass the guard, which recognises them by their headers, and does not look at the method.",
    when: ({ headers }) => headers["access-control-request-method"] !== undefined,
  }),
  "override-get-unguarded": overriding("GET"),
  "override-write-unguarded": overriding("PATCH"),
  "cache-serves-tokenless": {
    title: "Repeats a cached answer to a request without a token",
    how: "The key of a shared cache in front is the URL.",
    finish(original) {
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
  "session-instead-of-token": {
    title: "Accepts the cookie of a session, which a good request began, in place of a token",
    how: "The framework keeps in a session who was authenticated, unless it is told not to.",
    finish(original) {
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
  "session-beside-invalid-token": {
    title: "Accepts the cookie of a session, which a good request began, if the token is not valid",
    how: "The framework tries one way to authenticate after the other, and the session is the last one.",
    finish(original) {
      const pages = new Map<string, ReturnType<typeof original>>();
      return (answer, receiver, call) => {
        const finished = original(answer, receiver, call);
        if (call?.method !== "GET") return finished;
        if (finished.status === 401 && call.authorization.length > 0) {
          return call.headers.cookie === SESSION ? (pages.get(call.url) ?? finished) : finished;
        }
        if (finished.status !== 200) return finished;
        pages.set(call.url, finished);
        const headers = { ...finished.headers, "set-cookie": `${SESSION}; Path=/; HttpOnly` };
        return { ...finished, headers };
      };
    },
  },
  ...ofEach(UNGUARDED, ([name, what, tidy]) => ({
    [`path-${name}-unguarded`]: trusting({
      title: `Serves a path with ${what} without a token`,
      how: "The guard uses the path as received, and the router normalizes it first.",
      when: ({ url, authorization }) => authorization.length === 0 && tidy(url) !== url,
      resolveUrl: () => tidy,
    }),
  })),
  ...ofEach(PUBLIC_ELSEWHERE, ([name, what, pattern, tidy]) => ({
    [`public-by-${name}`]: trusting({
      title: `Serves a target ${what}, without a token`,
      how: "Public routes are patterns, which are matched with the whole target as received.",
      source: "CVE-2025-54576",
      when: ({ url, authorization }) => authorization.length === 0 && pattern.test(url),
      resolveUrl: () => tidy,
    }),
  })),
});

/** Accepts POST with another method in a header, which reaches an organization without the guards of the routes. */
function overriding(method: "GET" | "PATCH"): FaultEntry {
  const route = new RegExp(
    `${OPERATIONS.viewOrganization.path.replace("{orgId}", "([\\da-f-]+)")}$`,
  );
  return {
    title: `Serves a POST that claims to be ${method} without a token`,
    how: "The guards are on the routes' methods, and a method override is resolved after them.",
    unknownRoute: (original) => (unmatched, receiver) => {
      const { organizations } = receiver.store;
      const organization = organizations.get(route.exec(unmatched.url)?.[1] ?? "");
      const asked =
        unmatched.method === "POST" && unmatched.headers["x-http-method-override"] === method;
      if (!asked || !organization) return original(unmatched, receiver);
      if (method === "GET") return { status: 200, body: { data: organization } };
      organizations.set(organization.id, { ...organization, ...(unmatched.body as object) });
      return { status: 200, body: { data: { accepted: true } } };
    },
  };
}
