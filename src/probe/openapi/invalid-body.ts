import type { Mutation } from "../../mutations/mutation.ts";
import { bodyText, newUnique } from "../request.ts";

/** The body that the profile declares invalid for an operation, `invalidBody`, instead of the good one. */
export const invalidBody: Mutation = {
  name: "invalid-body",
  what: "the body is the one that the profile declares invalid",
  request: (spec, { target, operation }) => ({
    ...spec,
    body: bodyText(target.operations[operation.id]?.invalidBody, newUnique()),
  }),
};
