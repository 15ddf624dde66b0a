import { OPERATION_IDS, type OperationId } from "../../../contract/operations.ts";
import type { ProfileObject } from "../../profile.ts";
import { Refusal } from "../../refusal.ts";
import type { Variant, Variants } from "../variant.ts";
import { withOperation } from "../variant.ts";

/** A receiver without some routes. */
function lacking(title: string, missing: readonly OperationId[]): Omit<Variant, "name"> {
  return {
    title,
    offered: () => () => OPERATION_IDS.filter((id) => !missing.includes(id)),
    describe: (profile) => ({
      ...profile,
      operations: {
        ...(profile["operations"] as ProfileObject),
        ...Object.fromEntries(missing.map((id) => [id, false])),
      },
    }),
  };
}

/** Freedoms in which routes are offered, and which media types and parameters they take. */
export const ROUTE_VARIANTS: Variants = {
  "cg-no-feed": lacking("There is no feed", ["readChangesFeed"]),
  "cg-no-change": lacking("There is no route of one change", ["readChange"]),
  "cg-no-ledger": lacking("There is neither a feed nor a route of one change", [
    "readChangesFeed",
    "readChange",
  ]),
  "cg-no-edits": lacking("There are no edits, only submissions", ["editOrganization"]),
  "cg-no-submissions": lacking("There are no submissions, only edits", ["submitChange"]),
  "cg-no-list": lacking("There is no list", ["listOrganizations"]),
  "cg-reads-only": lacking("There are the list and the view alone", [
    "editOrganization",
    "submitChange",
    "readChangesFeed",
    "readChange",
  ]),
  "cg-merge-patch-only": {
    title: "Writes are refused as application/json",
    editOrganization: (original) => (call) => {
      refuseJson(call.headers["content-type"]);
      return original(call);
    },
    submitChange: (original) => (call) => {
      refuseJson(call.headers["content-type"]);
      return original(call);
    },
    describe: (profile) => {
      const contentType = "application/merge-patch+json";
      const edited = withOperation(profile, "editOrganization", (one) => ({ ...one, contentType }));
      return withOperation(edited, "submitChange", (one) => ({ ...one, contentType }));
    },
  },
  "cg-at-refused": {
    title: "A view at another time is refused",
    viewOrganization: (original) => (call) => {
      if (call.query["at"] !== undefined) throw new Refusal(400, "Only today's profile is shown.");
      return original(call);
    },
  },
};

function refuseJson(mediaType: unknown): void {
  if (String(mediaType).startsWith("application/json"))
    throw new Refusal(415, "The media type is not supported.");
}
