import type { OperationId } from "../../contract/operations.ts";
import type { Call, Receiver } from "../model.ts";
import { type CheckPatch, onlyOn } from "../patches.ts";
import { perReceiver } from "../per-receiver.ts";
import { ownFeed } from "../routes.ts";
import type { Organization } from "../store.ts";
import { type Faults, ownedBy } from "./fault.ts";

const CLEARED =
  "The handler clears the record before it sets the new values, and the check of the scope ends it in between, without a transaction.";

/** The mission of each organization at the first write. */
const firstMissions: (receiver: Receiver) => Map<string, unknown> = perReceiver(() => new Map());

/** Faults of a check of the scope that comes after a part of the work. */
export const REJECTION_FAULTS: Faults = ownedBy("receiver.no-side-effects", {
  "rejected-edit-blanks": {
    title: "Removes name and mission when it rejects an edit",
    how: CLEARED,
    checkScope: changing("editOrganization", (organization) => ({
      ...organization,
      name: "",
      mission: undefined,
    })),
  },
  "rejected-edit-removes-website": {
    title: "Removes a member that no edit names when it rejects an edit",
    how: CLEARED,
    checkScope: changing("editOrganization", (organization) => ({
      ...organization,
      socials: undefined,
    })),
  },
  "rejected-edit-sets-back": {
    title: "Sets the mission back when it rejects an edit",
    how: "The record is loaded from the seed again when a request fails, and not from the last state.",
    checkScope: changing("editOrganization", (organization, call) => ({
      ...organization,
      mission: firstMissionOf(call),
    })),
  },
  "rejected-submission-adds-record": {
    title: "Adds a record to the organization when it rejects a submitted change",
    how: "An empty draft is created and linked first, and filled once the request is known to be good.",
    checkScope: changing("submitChange", ({ socials, ...rest }) => ({
      ...rest,
      socials: {
        ...(socials as object),
        [`draft-${Object.keys(socials as object).length}`]: "new",
      },
    })),
  },
  "rejected-edit-listed": {
    title: "Lists a rejected edit in the feed, without its content",
    observed: "of the feed without a value of the run",
    how: "The event is written first, so that it has an id that the answer can name.",
    checkScope: changing("editOrganization", (organization, call) => {
      const { store, steps } = call.receiver;
      const feed = ownFeed({ ...call, organization });
      const now = new Date(steps.now() * 1000).toISOString();
      feed.unshift({
        id: steps.newChangeId(store, feed),
        createdAt: now,
        lastModifiedAt: now,
        source: "unknown",
        status: { value: "pending" },
        patch: {},
      });
      return organization;
    }),
  },
});

/** Changes the organization of the path whenever the scope of a write is not sufficient. */
function changing(
  operation: OperationId,
  change: (organization: Organization, call: Call) => Organization,
): CheckPatch {
  return onlyOn(operation, (original) => (call) => {
    firstMissionOf(call);
    try {
      return original(call);
    } catch (error) {
      const { organizations } = call.receiver.store;
      const organization = organizations.get(call.orgId ?? "");
      if (organization) organizations.set(organization.id, change(organization, call));
      throw error;
    }
  });
}

function firstMissionOf({ receiver, orgId = "" }: Call): unknown {
  const missions = firstMissions(receiver);
  if (!missions.has(orgId)) {
    missions.set(orgId, receiver.store.organizations.get(orgId)?.["mission"]);
  }
  return missions.get(orgId);
}
