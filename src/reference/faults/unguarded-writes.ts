import { isDeepStrictEqual } from "node:util";

import { OPERATIONS } from "../../contract/operations.ts";
import { isObject } from "../../lib/json.ts";
import { mergePatch } from "../merge-patch.ts";
import { type Call, CHECK_NAMES, type CheckName } from "../model.ts";
import { onlyOn, passing } from "../patches.ts";
import { Refusal } from "../refusal.ts";
import { good } from "../routes.ts";
import type { Patch } from "../steps.ts";
import { accepts, type Faults, ownedBy, trusting } from "./fault.ts";

const early =
  "The handler compares the body with what is stored first, returns where nothing has to be done, and asks for permission only before it saves.";
const byType =
  "The guard is registered for a media type, which it compares as a text. The parser of bodies reads all spellings.";

/** Faults of guards that some writes pass: edits that change nothing, and bodies with another spelling of their media type. */
export const UNGUARDED_WRITE_FAULTS: Faults = ownedBy("receiver.token-required", {
  "no-op-edit-unguarded": {
    title: "Asks for no token if an edit changes nothing",
    how: early,
    ...checkedLate(CHECK_NAMES, changesNothing),
  },
  "bodiless-edit-unguarded": {
    title: "Asks for no token if an edit has no body",
    how: "The guard is part of the code that reads the body, which does not run where there is none.",
    ...checkedLate(CHECK_NAMES, ({ body }) => !isObject(body)),
  },
  "no-op-edit-unscoped": {
    title: "Accepts an edit with the values that are there already without the scope",
    rule: "receiver.scope",
    how: early,
    ...checkedLate(["checkScope"], (call) => changesNothing(call) && hasMembers(call)),
  },
  "empty-edit-unbound": {
    title: "Accepts an edit with the body {} for another organization than the token's",
    rule: "receiver.binding",
    how: early,
    ...checkedLate(["checkBinding"], (call) => changesNothing(call) && !hasMembers(call)),
  },
  "quoted-charset-unguarded": trusting({
    title: "Asks for no token if the charset of a write's media type is quoted",
    how: byType,
    when: (call) => /charset="/.test(typeOf(call)),
  }),
  "parameters-of-type-unscoped": {
    title: "Accepts a write without the scope if its media type has parameters",
    rule: "receiver.scope",
    how: byType,
    checkScope: passing((call) => typeOf(call).includes(";")),
  },
  "capitals-of-type-unverified": accepts({
    title: "Does not verify the signature of a write whose media type has capitals",
    how: byType,
    when: (_token, call) => /[A-Z]/.test(typeOf(call).replace(/;.*/, "")),
  }),
});

function typeOf({ operation, headers }: Call): string {
  return OPERATIONS[operation].writes ? String(headers["content-type"]) : "";
}

function changesNothing({ organization, body }: Pick<Call, "organization" | "body">): boolean {
  return isObject(body) && isDeepStrictEqual(mergePatch(organization, body), organization);
}

function hasMembers({ body }: Call): boolean {
  return isObject(body) && Object.keys(body).length > 0;
}

/** The first refusal of these checks is kept for the handler of edits, which does not look at it in some. */
function checkedLate(checks: readonly CheckName[], isUnguarded: (call: Call) => boolean): Patch {
  const refusals = new WeakMap<Call, Refusal>();
  const late = onlyOn<void | Promise<void>>("editOrganization", (original) => async (call) => {
    if (refusals.has(call)) return;
    try {
      await original(call);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusals.set(call, error);
    }
  });
  return {
    ...Object.fromEntries(checks.map((check) => [check, late])),
    editOrganization: (original) => (call) => {
      const organization = call.receiver.store.organizations.get(call.orgId ?? "");
      if (organization && isUnguarded({ ...call, organization })) {
        return good(call, { data: organization });
      }
      const refusal = refusals.get(call);
      if (refusal) throw refusal;
      return original(call);
    },
  };
}
