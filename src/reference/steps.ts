import { OPERATION_IDS } from "../contract/operations.ts";
import * as answers from "./answers.ts";
import { SERVER_STEPS } from "./authorization-server/steps.ts";
import { CHECKS } from "./checks.ts";
import { document } from "./document.ts";
import { mergePatch, patchErrors } from "./merge-patch.ts";
import { CHECK_NAMES, type Steps } from "./model.ts";
import * as routes from "./routes.ts";
import type { Organization } from "./store.ts";

export { SERVER_STEPS };

/** The receiver as the contract requires it. */
export const STEPS: Steps = {
  ...SERVER_STEPS,
  resolveUrl: (url) => url,
  offered: () => OPERATION_IDS,
  checks: () => CHECK_NAMES,
  ...CHECKS,
  issuerKeys: ({ keys }) => keys,
  rejectionStatus: answers.rejectionStatus,
  now: () => Date.now() / 1000,
  listOrganizations: routes.listOrganizations,
  viewOrganization: routes.viewOrganization,
  editOrganization: routes.editOrganization,
  submitChange: routes.submitChange,
  readChangesFeed: routes.readChangesFeed,
  readChange: routes.readChange,
  visibleOrganizations: routes.visibleOrganizations,
  isIdentified: routes.isIdentified,
  paginate: routes.paginate,
  merge: (organization, patch) => mergePatch(organization, patch) as Organization,
  patchErrors,
  revision: (change) => change,
  newChangeId: routes.newChangeId,
  shape: answers.shape,
  errorBody: answers.errorBody,
  errorAnswer: answers.errorAnswer,
  unknownRoute: answers.unknownRoute,
  finish: answers.finish,
  encode: answers.encode,
  document,
};

/** For some of the steps, a function that makes another step of it. */
export type Patch = { readonly [Name in keyof Steps]?: (original: Steps[Name]) => Steps[Name] };

/** The names of the steps that a patch replaces. */
export function stepsOf(patch: Patch): (keyof Steps)[] {
  return (Object.keys(STEPS) as (keyof Steps)[]).filter((name) => patch[name] !== undefined);
}

/** `steps` with each patch applied in turn, a later one on top of an earlier one. */
export function applyPatches(steps: Steps, patches: readonly Patch[]): Steps {
  const patched: Record<string, unknown> = { ...steps };
  for (const patch of patches) {
    for (const name of stepsOf(patch)) {
      // TypeScript loses in a loop that each step has its own function.
      patched[name] = (patch[name] as (original: unknown) => unknown)(patched[name]);
    }
  }
  return patched as unknown as Steps;
}
