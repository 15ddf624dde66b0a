import type { HttpRequest } from "../../../src/http/exchange.ts";
import { type Mutation, open } from "../../../src/mutations/mutation.ts";
import { INJECTIONS } from "../../../src/mutations/near-misses.ts";

/** Requests with a good token and a wrong path or body. */

/** Send it for an organization from `Probe.uuid`. */
export const unknownOrganization: Mutation = {
  name: "unknown-organization",
  what: "the organization in the path does not exist",
};

export const malformedOrganization: Mutation = {
  name: "malformed-organization",
  what: "the organization in the path is not a UUID",
};

/** Send it for a change from `Probe.uuid`. */
export const unknownChange: Mutation = {
  name: "unknown-change",
  what: "the change in the path does not exist",
};

export const malformedChange: Mutation = {
  name: "malformed-change",
  what: "the change in the path is the word `conformance`",
};

/** A path with an id that differs from the right one. The rule makes the id. */
function withOtherId(name: string, what: string): (of: "organization" | "change") => Mutation {
  return (of) => ({ name: `${name}-${of}`, what: `the id of the ${of} in the path has ${what}` });
}

const extended = withOtherId("extended", "one letter too many");
const pattern = withOtherId(
  "pattern",
  "an underscore, which matches any character in a pattern of SQL, in place of its last character",
);

export const extendedOrganization: Mutation = extended("organization");
export const extendedChange: Mutation = extended("change");
export const patternOrganization: Mutation = pattern("organization");
export const patternChange: Mutation = pattern("change");

/** Ids that reach a query; each with the value that stands in the path. */
export const injectedIds: readonly {
  readonly id: string;
  readonly of: (what: "organization" | "change") => Mutation;
}[] = INJECTIONS.map(({ name, what, value }) => ({
  id: value(""),
  of: (of) => ({
    name: `${name}-${of}`,
    what: `the id of the ${of} in the path ${what}`,
    source: "contract, Errors; RFC 9110 §15.5.5; CWE-89",
  }),
}));

function bodied(name: string, what: string, body: (spec: HttpRequest) => string): Mutation {
  return { name, what, request: (spec) => ({ ...spec, body: body(spec) }) };
}

export const notJson: Mutation = bodied(
  "not-json",
  "the body ends in the middle of a JSON object",
  () => '{"conformance":',
);

export const noBody: Mutation = {
  name: "no-body",
  what: "there is no body",
  request: ({ body: _body, ...spec }) => spec,
};

/** Bodies whose validity neither the contract nor the profile states. */
export const openBodies: readonly Mutation[] = [
  noBody,
  bodied(
    "json-array",
    "the body is an array that contains the good body",
    ({ body }) => `[${body ?? ""}]`,
  ),
  bodied("json-string", "the body is a JSON string", () => '"conformance"'),
  bodied("json-null", "the body is null", () => "null"),
  {
    name: "text-plain",
    what: "the good body has the media type text/plain",
    request: (spec: HttpRequest): HttpRequest => ({
      ...spec,
      headers: spec.headers.map(([name, value]) =>
        name === "content-type" ? [name, "text/plain"] : [name, value],
      ),
    }),
  },
].map(({ name, what, ...parts }) => open(name, what, parts));

/** The usual names of an organization in a query, a form or a body. */
export const ORGANIZATION_NAMES: readonly string[] = [
  "orgId",
  "org_id",
  "organizationId",
  "organization_id",
  "id",
  "tenantId",
  "tenant_id",
  "tenant",
  "org",
  "organization",
];
