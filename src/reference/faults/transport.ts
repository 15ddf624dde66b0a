import { OPERATIONS } from "../../contract/operations.ts";
import type { Call } from "../model.ts";
import { reject } from "../reject.ts";
import { trusted, type Fault } from "./fault.ts";

/** Faults of how a token is presented, and of guards that do not see every request for what it is. */

const SCHEMES: readonly Fault[] = [
  ...["Token", "JWT", "DPoP"].map((scheme): Fault => ({
    name: `scheme-${scheme.toLowerCase()}-accepted`,
    title: `Takes a good token under the scheme ${scheme} too`,
    rule: "receiver.token-required",
    how: "The middleware knows several schemes, and they are on by default.",
    step: "readCredentials",
    patch: (original) => (call) => {
      const [first, token] = call.authorization[0]?.split(" ") ?? [];
      if (first !== scheme) return original(call);
      call.token = token;
    },
  })),
  {
    name: "scheme-not-wanted",
    title: "Takes a good token without a scheme too",
    rule: "receiver.token-required",
    how: "`Bearer ` is removed where it stands, and its absence is no error.",
    step: "readCredentials",
    patch: (original) => (call) => {
      const value = call.authorization[0] ?? "";
      if (!value.startsWith("eyJ")) return original(call);
      call.token = value;
    },
  },
  {
    name: "scheme-case-sensitive",
    title: "Wants the scheme to be written `Bearer`",
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
    title: "Lets in the word `Bearer` without a token",
    how: "The token is looked for after the scheme; where there is none, the caller counts as the service itself.",
    when: ({ authorization }) => /^bearer\s*$/i.test(authorization[0] ?? "-"),
  }),
  trusting({
    name: "authorization-empty-trusted",
    title: "Lets in an empty Authorization header",
    how: "A missing header is refused, and an empty one is not missing.",
    when: ({ authorization }) => authorization[0] === "",
  }),
  trusting({
    name: "authorization-twice-trusted",
    title: "Lets in two Authorization headers",
    how: "The middleware reads one string; a list has no token in it, and without a token nothing is verified.",
    when: ({ authorization }) => authorization.length > 1,
  }),
  {
    name: "token-not-ascii-500",
    title: "Breaks on a token that is not ASCII",
    rule: "receiver.token-required",
    how: "The header is decoded without anybody being ready for what cannot be.",
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
    how: "The status is set by hand, and the header is forgotten.",
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
    title: `Takes a good token in ${header}`,
    rule: "receiver.token-required",
    how: "A proxy needed Authorization for itself, and another header was agreed on.",
    step: "readCredentials",
    patch: (original) => (call) => {
      const value = call.headers[header];
      if (call.authorization.length > 0 || typeof value !== "string") return original(call);
      call.token = value.replace(/^Bearer /, "");
    },
  })),
  trusting({
    name: "x-forwarded-user-trusted",
    title: "Lets in whoever is named in X-Forwarded-User",
    how: "A gateway authenticates and names the user, and the service can be reached beside the gateway.",
    when: ({ headers }) => headers["x-forwarded-user"] !== undefined,
  }),
  trusting({
    name: "x-jwt-payload-trusted",
    title: "Believes claims in X-JWT-Payload",
    how: "A sidecar verifies the token and passes its claims on, and the service can be reached beside it.",
    when: ({ headers }) => headers["x-jwt-payload"] !== undefined,
  }),
  trusting({
    name: "internal-address-trusted",
    title: "Lets in who says to come from 127.0.0.1",
    how: "Requests from within need no token, and X-Forwarded-For tells where they come from.",
    when: ({ headers }) => headers["x-forwarded-for"] === "127.0.0.1",
  }),
];

const METHODS: readonly Fault[] = [
  trusting({
    name: "head-unguarded",
    title: "Serves HEAD without a token",
    how: "The guard is put on GET; the router answers HEAD as if it were GET.",
    when: ({ method }) => method === "HEAD",
  }),
  trusting({
    name: "override-options-unguarded",
    title: "Serves a request that says to be OPTIONS without a token",
    how: "Preflights pass the guard, which asks the header for the method; the router asks the request.",
    when: ({ headers }) => headers["x-http-method-override"] === "OPTIONS",
  }),
  overriding("override-get-unguarded", "GET", (organization) => organization),
  overriding("override-write-unguarded", "PATCH", (organization, patch, put) => {
    put({ ...organization, ...patch });
    return { accepted: true };
  }),
  {
    name: "cache-serves-tokenless",
    title: "Serves a good answer again to whoever asks without a token",
    rule: "receiver.token-required",
    how: "A shared cache in front keys answers by URL.",
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
    name: "not-modified-before-token",
    title: "Answers If-None-Match before it looks at the token",
    rule: "receiver.token-required",
    how: "A cache in front knows that nothing has changed and need not ask.",
    step: "finish",
    patch: (original) => (answer, receiver, call) =>
      original(
        answer.status === 401 && call?.headers["if-none-match"] !== undefined
          ? { status: 304 }
          : answer,
        receiver,
        call,
      ),
  },
];

/** Spellings of paths that the guard does not know, and what the router makes of them. */
const UNGUARDED: readonly (readonly [name: string, what: string, tidy: (url: string) => string])[] =
  [
    ["trailing-slash", "a slash at the end", (url) => url.replace(/\/$/, "")],
    ["upper-case", "/ORGS", (url) => url.replace("/ORGS", "/orgs")],
    ["doubled-slash", "two slashes", (url) => url.replace("//orgs", "/orgs")],
    ["leading-slash", "two slashes at the beginning", (url) => url.replace(/^\/\//, "/")],
    ["parameter", "a parameter in a segment", (url) => url.replace(/;.*$/, "")],
    ["extension", ".json at the end", (url) => url.replace(/\.json$/, "")],
    ["encoded", "an encoded letter", (url) => url.replace(/%6F/i, "o")],
    ["dot", "a segment that is a dot", (url) => url.replace("/./", "/")],
    ["public", "a way through /health", (url) => url.replace("/health/..", "")],
    ["static", "a query that ends in .css", (url) => url.replace(/\?.*\.css$/, "")],
    ["absolute", "a whole URL", (url) => url.replace(/^http:\/\/[^/]*/, "")],
  ];

const PATHS: readonly Fault[] = UNGUARDED.map(([name, what, tidy]): Fault => ({
  ...trusting({
    name: `path-${name}-unguarded`,
    title: `Serves a path with ${what} without a token`,
    how: "The guard goes by the path as it arrived; the router tidies it up first.",
    when: ({ url, authorization }) => authorization.length === 0 && tidy(url) !== url,
  }),
  more: [{ step: "resolveUrl", patch: () => tidy }],
}));

export const TRANSPORT_FAULTS: readonly Fault[] = [...SCHEMES, ...HEADERS, ...METHODS, ...PATHS];

/** A caller that is taken for the service itself. */
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

/** POST with another method in a header, which reaches an organization beside the guards of the routes. */
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
    title: `Serves a POST that says to be ${method} without a token`,
    rule: "receiver.token-required",
    how: "The guards stand on the methods of the routes; what overrides them is resolved behind.",
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
