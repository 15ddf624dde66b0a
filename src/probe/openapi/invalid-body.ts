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
