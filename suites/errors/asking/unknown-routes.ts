import type { HttpRequest } from "../../../src/http/exchange.ts";
import type {
  Mutation,
  MutationContext,
  UnspecifiedMutation,
} from "../../../src/mutations/mutation.ts";

/** Requests for which the contract has no route. */

function strayPath(
  name: string,
  what: string,
  path: (spec: HttpRequest, context: MutationContext) => string,
): Mutation {
  return { name, what, request: (spec, context) => ({ ...spec, path: path(spec, context) }) };
}

/** Names that no route has. They depend on the seed, so that a deployment cannot prepare for them. */
export const strayPaths: readonly Mutation[] = [
  strayPath(
    "unknown-path",
    "the path names nothing below the base URL",
    (_spec, { target, uuid }) => `${target.basePath}/conformance-${uuid("path")}`,
  ),
  strayPath(
    "unknown-path-below",
    "the path names nothing below the organization",
    ({ path }, { uuid }) => `${path}/conformance-${uuid("path")}`,
  ),
];

/** A method that no route of the contract has. */
export const put: Mutation = {
  name: "put",
  what: "the method is PUT",
  request: (spec) => ({
    ...spec,
    method: "PUT",
    headers: [...spec.headers, ["content-type", "application/json"]],
    body: "{}",
  }),
};

/** A method that no route of the contract has. */
export const del: Mutation = {
  name: "delete",
  what: "the method is DELETE",
  request: (spec) => ({ ...spec, method: "DELETE" }),
};

/** The same mutation without a token. */
export function tokenless(mutation: Mutation): Mutation {
  return {
    ...mutation,
    name: `${mutation.name}-without-token`,
    what: `${mutation.what}, and there is no Authorization header`,
    authorization: () => [],
  };
}

/** Methods that servers answer on their own, in different ways. */
export const openMethods: readonly UnspecifiedMutation[] = [
  {
    name: "head",
    what: "the method is HEAD",
    level: "OBSERVE",
    request: (spec) => ({ ...spec, method: "HEAD" }),
  },
  {
    name: "options-without-token",
    what: "the method is OPTIONS, and there is no Authorization header",
    level: "OBSERVE",
    authorization: () => [],
    request: (spec) => ({ ...spec, method: "OPTIONS" }),
  },
];
