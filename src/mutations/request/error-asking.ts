import type { Level } from "../../contract/levels.ts";
import type { HttpRequest } from "../../http/exchange.ts";
import type { Mutation } from "../mutation.ts";

/** Requests that differ in how an error is asked for, or in what a server in front may answer alone. */

/** What a client says that it takes. */
export interface Asking {
  readonly name: string;
  readonly what: string;
  /** Absent: the client says nothing. */
  readonly accept?: string;
  readonly level: Level;
}

/** What browsers send for a page. */
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

export const ASKING: readonly Asking[] = [
  { name: "without-accept", what: "there is no Accept header", level: "MUST" },
  {
    name: "accept-anything",
    what: "Accept is */*, as curl sends it",
    accept: "*/*",
    level: "MUST",
  },
  { name: "accept-page", what: "Accept is a browser's", accept: BROWSER, level: "SHOULD" },
];

/** A request that is asked for in that way. */
export function asked(mutation: Mutation, { name, what, accept }: Asking): Mutation {
  return {
    ...mutation,
    name: `${mutation.name}-${name}`,
    what: `${mutation.what}; ${what}`,
    request: (spec, ...rest) => ({
      ...(mutation.request?.(spec, ...rest) ?? spec),
      standing: { accept },
    }),
  };
}

/** A request that a server may refuse before any application sees it. */
export interface FrontMutation extends Mutation {
  readonly level: Exclude<Level, "MUST">;
}

/** Something else stands for the organization in the path. */
function path(
  name: string,
  level: FrontMutation["level"],
  what: string,
  id: string,
): FrontMutation {
  return {
    name,
    level,
    what,
    request: (spec, { organization = "" }) => ({
      ...spec,
      path: spec.path.replace(organization, id),
    }),
  };
}

const LONG_ID = 1000;
/** Beyond what nginx, Apache, Node and Tomcat take of a header. */
const LONG_HEADER = 20_000;
/** Beyond the 1 MiB that nginx takes, and Fastify. */
const LARGE_BODY = 2 * 1024 * 1024;

/** On a read below an organization. The first two pass the usual servers in front, the others some of them only. */
export const frontReads: readonly FrontMutation[] = [
  path(
    "path-undecodable",
    "SHOULD",
    "the organization in the path is %FF, which is no UTF-8",
    "%FF",
  ),
  path(
    "id-long",
    "SHOULD",
    `the organization in the path has ${LONG_ID} characters`,
    "a".repeat(LONG_ID),
  ),
  path(
    "path-no-escape",
    "OBSERVE",
    "the organization in the path is %zz, which is no escape",
    "%zz",
  ),
  path("path-nul", "OBSERVE", "the organization in the path is %00", "%00"),
  {
    name: "header-long",
    level: "OBSERVE",
    what: `a header field has ${LONG_HEADER} characters`,
    request: (spec) => ({
      ...spec,
      headers: [...spec.headers, ["x-conformance", "a".repeat(LONG_HEADER)]],
    }),
  },
];

/** On a write. */
export const frontWrite: FrontMutation = {
  name: "body-of-megabytes",
  level: "OBSERVE",
  what: "no Authorization header, and a body of 2 MiB that ends in the middle of a JSON object",
  authorization: () => [],
  request: (spec): HttpRequest => ({ ...spec, body: `{"conformance":"${"a".repeat(LARGE_BODY)}` }),
};
