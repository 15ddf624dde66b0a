import type { Mutation } from "../../mutations/mutation.ts";
import { bodyText, newUnique } from "../request.ts";

/** Replaces the good body by the `invalidBody` that the profile declares for the operation. */
export const invalidBody: Mutation = {
  name: "invalid-body",
  what: "the body is the one that the profile declares invalid",
  request: (spec, { target, operation }) => ({
    ...spec,
    body: bodyText(target.operations[operation.id]?.invalidBody, newUnique()),
  }),
};

/** Replaces the good body by the declared `invalidBody`, with another `Content-Type`. */
function typed(name: string, what: string, type: string): Mutation {
  return {
    name: `invalid-body-${name}`,
    what: `${invalidBody.what}, ${what}`,
    request(spec, context, token) {
      const invalid = invalidBody.request?.(spec, context, token) ?? spec;
      const headers = invalid.headers.map(([field, value]): readonly [string, string] => [
        field,
        field === "content-type" ? type : value,
      ]);
      return { ...invalid, headers };
    },
  };
}

/** Media types that are all `application/json`, RFC 9110 §8.3.1: a validator may be bound to one spelling. */
export const respelledJson: readonly Mutation[] = [
  typed(
    "space",
    "and a space comes before the charset of its media type",
    "application/json ; charset=utf-8",
  ),
  typed(
    "quoted",
    "and the charset of its media type is quoted",
    'application/json;charset="UTF-8"',
  ),
  typed("capitals", "and its media type has capitals", "Application/JSON"),
  // Parameters may be empty, RFC 9110 §5.6.6.
  typed("semicolon", "and its media type ends in a semicolon", "application/json;"),
];

/** Media types that a receiver may take for JSON, or refuse. */
export const otherJson: readonly Mutation[] = [
  typed("text-json", "as text/json", "text/json"),
  typed("merge-patch", "as application/merge-patch+json", "application/merge-patch+json"),
].map((mutation) => ({ ...mutation, level: "OBSERVE" as const }));
