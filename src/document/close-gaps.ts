import { OPERATION_IDS } from "../contract/operations.ts";
import type { DeploymentDocument } from "../profile/document.ts";
import type { OperationProfile } from "../profile/operation.ts";
import type { Target } from "../profile/target.ts";

/**
 * A target with the gaps that its profile leaves closed by its document: the type and content of
 * request bodies, good ones and invalid ones, which operations are paginated, and the slash at the
 * end of a path. What the profile says stands. Which operations are offered is not the document's to say.
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

/** A key without a value says nothing. */
function said(profile: OperationProfile): OperationProfile {
  return Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined));
}
