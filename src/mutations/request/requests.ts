import type { HttpRequest } from "../../http/exchange.ts";
import type { Mutation, UnspecifiedMutation } from "../mutation.ts";

/** Requests with a good token in which the path or the body is at fault. */

/** To be sent for an organization of `Probe.uuid`. */
export const unknownOrganization: Mutation = {
  name: "unknown-organization",
  what: "the organization in the path does not exist",
};

export const malformedOrganization: Mutation = {
  name: "malformed-organization",
  what: "the organization in the path is no UUID",
};

/** To be sent for a change of `Probe.uuid`. */
export const unknownChange: Mutation = {
  name: "unknown-change",
  what: "the change in the path does not exist",
};

export const malformedChange: Mutation = {
  name: "malformed-change",
  what: "the change in the path is the word `conformance`",
};

export const extendedChange: Mutation = {
  name: "extended-change",
  what: "the id of the change in the path has a letter too many",
};

/** The same request with another body. */
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

/** Bodies of which neither the contract nor the profile says whether they are valid. */
export const openBodies: readonly UnspecifiedMutation[] = (
  [
    noBody,
    bodied(
      "json-array",
      "the body is an array around the good one",
      ({ body }) => `[${body ?? ""}]`,
    ),
    bodied("json-string", "the body is a JSON string", () => '"conformance"'),
    bodied("json-null", "the body is null", () => "null"),
    {
      name: "text-plain",
      what: "the good body is called text/plain",
      request: (spec) => ({
        ...spec,
        headers: spec.headers.map(([name, value]) =>
          name === "content-type" ? [name, "text/plain"] : [name, value],
        ),
      }),
    },
  ] satisfies Mutation[]
).map((mutation): UnspecifiedMutation => ({ ...mutation, level: "OBSERVE" }));
