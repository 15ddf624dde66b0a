import { posix } from "node:path";

import { bindingOf, isBound } from "../checks.ts";
import { passing } from "../patches.ts";
import { accepts, type FaultEntry, type Faults, ownedBy } from "./fault.ts";

/** Faults of guards that read the path as received, before a router that normalizes it. */
export const PATH_FAULTS: Faults = ownedBy("receiver.binding", {
  "path-guard-before-dots": guarding({
    title: "Checks the binding before it decodes slashes and resolves dot segments",
    how: "The guard takes the first id from the path as received, and the framework parses the URL, which resolves dots.",
    resolve: (path) => new URL(path.replaceAll(/%2f/gi, "/"), "http://localhost").pathname,
  }),
  "path-guard-before-decoding": guarding({
    title: "Checks the binding before it decodes the path",
    how: "A proxy decodes the path that it forwards, and the service decodes it again.",
    resolve: (path) => posix.normalize(decoded(decoded(path))),
  }),
  "path-guard-before-parameters": guarding({
    title: "Checks the binding before it removes path parameters",
    how: "The container drops what follows a semicolon in a segment, and the filter before it does not.",
    resolve: (path) => posix.normalize(path.replaceAll(/;[^/]*/g, "")),
  }),
  "path-guard-of-plain-ids": guarding({
    title: "Checks the binding only if no character of the id is percent-encoded",
    how: "The guard searches the path as received for a UUID, and the router decodes each segment.",
    resolve: (path) => path,
  }),
  "policy-by-plain-path": {
    title: "Applies local policy only to paths without percent-encoding",
    rule: "receiver.local-policy",
    how: "Denials are matched with the path as received, and the router decodes it.",
    applyPolicy: passing(({ url }) => url.includes("%")),
  },
  "path-guard-exact": guarding({
    title: "Checks the binding only on exact paths, and serves other spellings too",
    how: "The guard is mounted on a pattern, and the router accepts other spellings of the same route.",
    guarded: (path) => /\/orgs\/([\da-f-]{36})(?:\/changes(?:\/[\w-]+)?)?$/.exec(path)?.[1],
    resolve: (path) =>
      path
        .toLowerCase()
        .replaceAll(/;[^/]*/g, "")
        .replaceAll(/\/{2,}/g, "/")
        .replace(/(?:\.json|\/)$/, ""),
  }),
  "signature-unchecked-on-respelled-paths": accepts({
    title: "Does not verify the signature if the path is spelled in another way",
    how: "A gateway verifies tokens on the paths that it knows. The service normalizes paths, and only reads the token.",
    when: (_token, { url }) => normalized(url) !== url,
    resolveUrl: () => normalized,
  }),
  "scope-unchecked-on-respelled-paths": {
    title: "Does not check the scope if the path is spelled in another way",
    rule: "receiver.scope",
    how: "A gateway has a list of routes with their scopes, and passes what is not in it to the service, which normalizes paths.",
    checkScope: passing(({ url }) => normalized(url) !== url),
    resolveUrl: () => normalized,
  },
});

function normalized(url: string): string {
  const [path, query] = split(url);
  return posix.normalize(decoded(path).replaceAll(/;[^/]*/g, "")) + query;
}

/**
 * A fault of a guard that reads another path than the router.
 * @param guarded the organization that the guard sees in a path as received; if it sees none, the request passes. Default: the
 * first id
 * @param resolve the path that is served
 */
function guarding({
  guarded = firstId,
  resolve,
  ...fault
}: FaultEntry & {
  readonly guarded?: (path: string) => string | undefined;
  readonly resolve: (path: string) => string;
}): FaultEntry {
  return {
    ...fault,
    checkBinding: (original) => (call) => {
      const seen = guarded(split(call.url)[0]);
      if (isBound(call) && (seen === undefined || seen === bindingOf(call))) return;
      return original(call);
    },
    resolveUrl: () => (url) => {
      const [path, query] = split(url);
      return resolve(path) + query;
    },
  };
}

function firstId(path: string): string | undefined {
  return /\/orgs\/+([\da-f-]{36})/i.exec(path)?.[1];
}

function split(url: string): [path: string, query: string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at)];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
