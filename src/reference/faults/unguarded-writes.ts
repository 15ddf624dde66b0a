import { isDeepStrictEqual } from "node:util";

import { OPERATIONS } from "../../contract/operations.ts";
import { isObject } from "../../lib/json.ts";
import { reject } from "../checks.ts";
import { mergePatch } from "../merge-patch.ts";
import type { Call, CheckName, Handler } from "../model.ts";
import { onlyIf, passing } from "../patches.ts";
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
    title: "Accepts an edit that changes nothing without a token",
    how: early,
    ...unauthenticatedIf(changesNothing),
  },
  "bodiless-edit-unguarded": {
    title: "Accepts an edit without a body without a token",
    how: "The guard is part of the code that reads the body, which does not run where there is none.",
    ...unauthenticatedIf(({ body }) => !isObject(body)),
  },
  "no-op-edit-unscoped": {
    title: "Accepts an edit with the values that are there already without the scope",
    rule: "receiver.scope",
    how: early,
    ...checkedLate("checkScope", (call) => changesNothing(call) && hasMembers(call)),
  },
  "empty-edit-unbound": {
    title: "Accepts an edit with the body {} for another organization than the token's",
    rule: "receiver.binding",
    how: early,
    ...checkedLate("checkBinding", (call) => changesNothing(call) && !hasMembers(call)),
  },
  "quoted-charset-unguarded": trusting({
    title: "Accepts a write without a token if the charset of its media type is quoted",
    how: byType,
    when: (call) => call.authorization.length === 0 && /charset="/.test(typeOf(call)),
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

function changesNothing({ organization, body }: Call): boolean {
  return isObject(body) && isDeepStrictEqual(mergePatch(organization, body), organization);
}

function hasMembers({ body }: Call): boolean {
  return isObject(body) && Object.keys(body).length > 0;
}

function unchanged(call: Call): ReturnType<Handler> {
  return good(call, { data: call.organization });
}

function isTokenless({ authorization, operation }: Call): boolean {
  return authorization.length === 0 && operation === "editOrganization";
}

/** Edits without a token are refused by the handler, except some; those with one are good without a change. */
function unauthenticatedIf(condition: (call: Call) => boolean): Patch {
  return {
    checks: (original) => (call) => (isTokenless(call) ? [] : original(call)),
    editOrganization: (original) => (call) => {
      call.organization ??= call.receiver.store.organizations.get(call.orgId ?? "");
      if (call.organization && condition(call)) return unchanged(call);
      if (isTokenless(call)) throw reject(call, "readCredentials", "An access token is required.");
      return original(call);
    },
  };
}

/** The refusal of a check is kept for the handler of edits, which does not look at it in some. */
function checkedLate(check: CheckName, unless: (call: Call) => boolean): Patch {
  const refusals = new WeakMap<Call, Refusal>();
  return {
    [check]: onlyIf(
      ({ operation }) => operation === "editOrganization",
      (original: (call: Call) => void | Promise<void>) => async (call: Call) => {
        try {
          await original(call);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          refusals.set(call, error);
        }
      },
    ),
    editOrganization: (original) => (call) => {
      if (unless(call)) return unchanged(call);
      const refusal = refusals.get(call);
      if (refusal) throw refusal;
      return original(call);
    },
  };
}
