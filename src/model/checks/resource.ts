import { isUuid, isSameUuid } from "../../contract/uuid.ts";
import { fails, open, type Outcome, passes } from "../outcome.ts";
import type { Check } from "../question.ts";

const NOT_FOUND = "errors.kind.not-found";

/** "{orgId} is the Organization id (UUID)" (Endpoints); what does not exist is not found (Errors). */
export const organization: Check = ({ known: { organizations }, reading }): Outcome | undefined => {
  const { organization: id } = reading;
  if (id === undefined) return undefined;
  if (organizations.existing.includes(id)) return passes("endpoints.org-id");
  if (!isUuid(id)) return fails("endpoints.org-id", "no id", { name: "orgId", value: id });
  if (organizations.existing.some((one) => isSameUuid(one, id))) {
    return open("spelling of an id", "endpoints.org-id", { value: id });
  }
  return organizations.complete
    ? fails(NOT_FOUND, "no such organization", { value: id })
    : open("organization not known", undefined, { value: id });
};

/** "{changeId} identifies a change." (Endpoints) */
export const change: Check = ({ known: { changes }, reading }): Outcome | undefined => {
  const { organization: of, changeId: id } = reading;
  if (id === undefined) return undefined;
  const isThere = changes.existing.some((one) => one.id === id && isSameUuid(one.organization, of));
  if (isThere) return passes("endpoints.change-id");
  return changes.complete
    ? fails(NOT_FOUND, "no such change", { value: id })
    : open("change not known", undefined, { value: id });
};
