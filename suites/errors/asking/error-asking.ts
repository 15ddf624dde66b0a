import type { Level } from "../../../src/contract/levels.ts";
import type { HttpRequest } from "../../../src/http/exchange.ts";
import type { Mutation } from "../../../src/mutations/mutation.ts";

/** Requests that ask for errors in different ways, or that a front server may answer. */

/** A client's `Accept` header. */
export interface Asking {
  readonly name: string;
  readonly what: string;
  /** Absent: the client sends no `Accept`. */
  readonly accept?: string;
  readonly level: Level;
}

/** The `Accept` header that browsers send for a page. */
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

/**
 * A mutation that also sends another `Accept` header. Its name gets the suffix `-<name>`; the answer is judged only by
 * the rule that asked.
 */
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

/** Replaces the organization in the path. */
function path(
  name: string,
  level: FrontMutation["level"],
  what: string,
  id: string,
  source: string,
): FrontMutation {
  return {
    name,
    level,
    what,
    source,
    request: (spec, { organization = "" }) => ({
      ...spec,
      path: spec.path.replace(organization, id),
    }),
  };
}

const LONG_ID = 1000;
/** More than the limits of nginx, Apache, Node and Tomcat for a header. */
const LONG_HEADER = 20_000;
/** More than the limit of 1 MiB of nginx and Fastify. */
const LARGE_BODY = 2 * 1024 * 1024;

/** Changes to a read. The usual front servers let the first two pass, and some the others. */
export const frontReads: readonly FrontMutation[] = [
  path(
    "path-undecodable",
    "SHOULD",
    "the organization in the path is %FF, which is not UTF-8",
    "%FF",
    "contract, Errors; RFC 3986 §2.5",
  ),
  path(
    "id-long",
    "SHOULD",
    `the organization in the path has ${LONG_ID} characters`,
    "a".repeat(LONG_ID),
    "contract, Errors; RFC 9110 §4.1",
  ),
  path(
    "path-no-escape",
    "OBSERVE",
    "the organization in the path is %zz, which is not a valid escape",
    "%zz",
    "RFC 3986 §2.1",
  ),
  path("path-nul", "OBSERVE", "the organization in the path is %00", "%00", "RFC 3986 §7.3"),
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

/** A change to a write. */
export const frontWrite: FrontMutation = {
  name: "body-of-megabytes",
  level: "OBSERVE",
  what: "no Authorization header, and a body of 2 MiB that ends in the middle of a JSON object",
  authorization: () => [],
  request: (spec): HttpRequest => ({ ...spec, body: `{"conformance":"${"a".repeat(LARGE_BODY)}` }),
};
