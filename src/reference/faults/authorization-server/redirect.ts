import { CALLBACK_PATH } from "../../authorization-server/clients.ts";
import { type FaultEntry, type Faults, ownedBy } from "../fault.ts";

export const REDIRECT_FAULTS: Faults = ownedBy("authorization-server.redirect", {
  "server-redirect-of-scope-errors": {
    title: "Sends the error for an unknown scope to any redirect URI",
    how: "The parameters are checked in the order of the specification, and each check sends its own error.",
    openRedirect: () => (query) =>
      query.get("scope") === "conformance" ? (query.get("redirect_uri") ?? undefined) : undefined,
  },
  "server-redirects-by-prefix": {
    title: "Redirects to any host that begins like the registered one",
    how: "Loopback addresses may have any port, and hand-written code cuts off what follows the host.",
    source: "Keycloak CVE-2024-8883",
    openRedirect: () => (query) => {
      const wanted = query.get("redirect_uri") ?? "";
      const { hostname } = new URL(wanted || "http://127.0.0.1");
      return hostname !== LOOPBACK && wanted.startsWith("http://127.0.0.1") ? wanted : undefined;
    },
  },
  "server-redirects-anywhere": {
    title: "Redirects an error to any requested redirect URI",
    how: "Errors are returned before the redirect URI is compared.",
    openRedirect: () => (query, memory) => {
      const { redirect_uris: registered = [] } =
        memory.clients.find(({ client_id: id }) => id === query.get("client_id")) ?? {};
      const wanted = new URL(query.get("redirect_uri") ?? "http://127.0.0.1");
      wanted.port = "";
      return registered.includes(wanted.href)
        ? undefined
        : (query.get("redirect_uri") ?? undefined);
    },
  },
  "server-redirects-below": loose({
    title: "Redirects to every path that begins with the registered one",
    how: "Paths are compared by prefix, so that an application may have several.",
    takes: (wanted) => isLoopback(wanted) && wanted.pathname.startsWith(`${CALLBACK_PATH}/`),
  }),
  "server-redirects-above": loose({
    title: "Redirects to every path that the registered one begins with",
    how: "The arguments of the comparison by prefix are in the wrong order.",
    takes: (wanted) =>
      isLoopback(wanted) &&
      wanted.pathname !== CALLBACK_PATH &&
      CALLBACK_PATH.startsWith(wanted.pathname),
  }),
  "server-redirects-by-backslash": loose({
    title: "Takes what precedes a backslash and `@` for a user name",
    how: "The URI is parsed by the rules of RFC 3986, and browsers follow those of the WHATWG.",
    takes: (_wanted, text) => text.includes(`\\@${LOOPBACK}`),
  }),
  "server-redirects-by-dots": loose({
    title: "Compares a path before its dot segments are removed",
    how: "The path is compared as sent, and returned as a URL library has normalized it.",
    source: "Keycloak CVE-2024-1132",
    takes: (_wanted, text) => text.includes(`${CALLBACK_PATH}/../`),
  }),
  "server-redirects-by-encoded-dots": loose({
    title: "Redirects to the registered path followed by encoded dots",
    how: "A pattern that allows no `..` is matched against the path before decoding.",
    source: "Keycloak CVE-2026-3872",
    takes: (_wanted, text) => /%2e%2e|%252e|\.\.;/i.test(text),
  }),
  "server-redirects-to-scripts": loose({
    title: "Redirects to URIs of the schemes `javascript` and `data`",
    how: "Custom schemes of applications are allowed, and these two look like such schemes.",
    source: "better-auth#9838",
    takes: ({ protocol }) => protocol === "javascript:" || protocol === "data:",
  }),
  "server-redirects-to-the-second": {
    title: "Compares the first of several redirect URIs, and redirects to the last",
    how: "Two layers read the parameter, each in its own way.",
    source: "goiabada#228",
    openRedirect: () => (query) => {
      const all = query.getAll("redirect_uri");
      return all.length > 1 ? all.at(-1) : undefined;
    },
  },
  "server-redirects-to-the-first": {
    title: "Compares the last of several redirect URIs, and redirects to the first",
    how: "Two layers read the parameter, each in its own way.",
    openRedirect: () => (query) => {
      const all = query.getAll("redirect_uri");
      return all.length > 1 ? all[0] : undefined;
    },
  },
  "server-redirects-to-https": loose({
    title: "Does not compare the scheme of a redirect URI",
    how: "The code compares only what follows the scheme, because the gateway changes the scheme.",
    takes: ({ protocol, hostname, pathname }) =>
      protocol === "https:" && hostname === LOOPBACK && pathname === CALLBACK_PATH,
  }),
  "server-redirects-with-query": loose({
    title: "Does not compare the query of a redirect URI",
    how: "Applications put their own data into it.",
    source: "fosite CVE-2020-15233",
    takes: (wanted) =>
      isRegistered(wanted) && [...wanted.searchParams.keys()].some((name) => name !== "tenant"),
  }),
  "server-redirects-with-fragment": loose({
    title: "Accepts a redirect URI with a fragment",
    how: "The fragment is not part of the comparison.",
    takes: (wanted) => isRegistered(wanted) && wanted.hash !== "",
  }),
  "server-redirects-in-any-case": loose({
    title: "Compares the paths of redirect URIs without regard to case",
    how: "The database compares text without regard to case.",
    takes: (wanted) =>
      isLoopback(wanted) &&
      wanted.pathname !== CALLBACK_PATH &&
      wanted.pathname.toLowerCase() === CALLBACK_PATH,
  }),
  "server-redirects-with-slash": loose({
    title: "Ignores a trailing slash of a redirect URI",
    how: "Both URIs are normalized before the comparison.",
    takes: (wanted) => isLoopback(wanted) && wanted.pathname === `${CALLBACK_PATH}/`,
  }),
  "server-redirects-decoded": loose({
    title: "Decodes a redirect URI before the comparison",
    how: "The framework passes on the decoded path.",
    source: "fosite CVE-2020-15234",
    takes: (wanted) =>
      isLoopback(wanted) &&
      wanted.pathname !== CALLBACK_PATH &&
      !/%2e|%25/i.test(wanted.pathname) &&
      decodeURIComponent(wanted.pathname) === CALLBACK_PATH,
  }),
});

const LOOPBACK = "127.0.0.1";

/** A server that also redirects to URIs that resemble the registered one, by URL or text. */
function loose({
  takes,
  ...fault
}: FaultEntry & { readonly takes: (wanted: URL, text: string) => boolean }): FaultEntry {
  return {
    ...fault,
    openRedirect: () => (query) => {
      const [text = "", ...more] = query.getAll("redirect_uri");
      if (more.length > 0 || !URL.canParse(text)) return undefined;
      return takes(new URL(text), text) ? text : undefined;
    },
  };
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && hostname === LOOPBACK;
}

function isRegistered(wanted: URL): boolean {
  return isLoopback(wanted) && wanted.pathname === CALLBACK_PATH;
}
