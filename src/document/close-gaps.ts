import { OPERATION_IDS } from "../contract/operations.ts";
import type { DeploymentDocument } from "../profile/document.ts";
import type { OperationProfile } from "../profile/operation.ts";
import type { Target } from "../profile/target.ts";

/**
 * Fills the gaps of a target's profile from its document: the type and content of request bodies, good and
 * invalid ones, which operations are paginated, and the slash at the end of a path. The profile takes
 * precedence. The document does not decide which operations are offered.
 */
export function closeGaps(target: Target, document: DeploymentDocument): Target {
  const operations = Object.fromEntries(
    OPERATION_IDS.map((id) => {
      const profile = target.operations[id];
      return [id, profile && { ...document.gaps[id], ...said(profile) }];
    }),
  ) as Target["operations"];
  return { ...target, document, operations };
}

/** The keys of the profile that have a value. */
function said(profile: OperationProfile): OperationProfile {
  return Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined));
}
