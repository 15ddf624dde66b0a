import { onlyOn, skipped } from "../check-patches.ts";
import { checkBinding, checkExpiry, checkScope } from "../checks.ts";
import type { Call, Steps } from "../model.ts";
import type { Patch } from "../steps.ts";
import type { Fault } from "./fault.ts";

/** The checks that come too late. */
type LateCheck = "checkBinding" | "checkExpiry" | "checkScope";

const LATE: Readonly<Record<LateCheck, (call: Call) => void>> = {
  checkBinding,
  checkExpiry,
  checkScope,
};

/** The handler does its work before a failing check stops the request. */
export function doneBefore(
  check: LateCheck,
  operation: "editOrganization" | "submitChange",
): Patch & Pick<Fault, "rule" | "how" | "more"> {
  return {
    rule: "receiver.no-side-effects",
    how: "The guard runs in parallel with the handler and does not stop it, or after it.",
    step: check,
    patch: onlyOn(operation, skipped),
    more: [
      {
        step: operation,
        patch: (original) => (call) => {
          const answer = original(call);
          LATE[check](call);
          return answer;
        },
      },
    ],
  };
}

/** The route of an edit checks no scope itself; `edit` decides what comes of an edit without it. */
export function editedBeforeScope(
  edit: (original: Steps["editOrganization"]) => Steps["editOrganization"],
): Patch & Pick<Fault, "rule" | "more"> {
  return {
    rule: "receiver.no-side-effects",
    step: "checkScope",
    patch: onlyOn("editOrganization", skipped),
    more: [{ step: "editOrganization", patch: edit }],
  };
}
