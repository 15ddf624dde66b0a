import { OTHER, PRIMARY } from "../../src/reference/store.ts";
import type { Showing } from "./access-showings.ts";
import { BINDING, member, send, submitted } from "./client.ts";

const MISSION = "Seen again.";

/** Edits an organization, and then looks for it. */
const edited =
  (orgId: string, seenIn: string = orgId): Showing =>
  async (receiver) => {
    await send(receiver, { operation: "viewOrganization", orgId: seenIn });
    await send(receiver, { operation: "editOrganization", orgId, body: { mission: MISSION } });
    return { operation: "viewOrganization", orgId: seenIn };
  };

/** Edits an organization several times, and then looks for the last edit. */
const editedTimes =
  (times: number): Showing =>
  async (receiver) => {
    for (let time = 1; time <= times; time++) {
      await send(receiver, { operation: "editOrganization", body: { mission: `Edit ${time}.` } });
    }
    return { operation: "viewOrganization" };
  };

const reading =
  (orgId: string, token: Record<string, unknown> = {}): Showing =>
  async (receiver) => ({
    operation: "readChange",
    orgId,
    changeId: await submitted(receiver),
    token: { claims: token },
  });

const followed: Showing = async (receiver) => {
  const changeId = await submitted(receiver);
  await send(receiver, { operation: "submitChange", body: { mission: "Another." } });
  return { operation: "readChange", changeId };
};

/** Edits an organization, and then reads the feed of another one. */
const listedElsewhere: Showing = async (receiver) => {
  await send(receiver, { operation: "editOrganization", body: { mission: MISSION } });
  return { operation: "readChangesFeed", orgId: OTHER };
};

const feedAfter =
  (token: Record<string, unknown> = {}): Showing =>
  async (receiver) => {
    await submitted(receiver);
    return { operation: "readChangesFeed", orgId: OTHER, token: { claims: token } };
  };

/** Requests that show the faults of resources. */
export const RESOURCE_SHOWINGS: Readonly<Record<string, Showing>> = {
  "list-item-without-id": () => ({ operation: "listOrganizations" }),
  "list-ids-numeric": () => ({ operation: "listOrganizations" }),
  "list-misses-organization": () => ({ operation: "listOrganizations" }),
  "list-repeats-organization": () => ({ operation: "listOrganizations" }),
  "view-shows-first": () => ({ orgId: OTHER }),
  "view-shows-another": () => ({ orgId: PRIMARY }),
  "view-by-token": () => ({ orgId: OTHER }),
  "view-without-id": () => ({}),
  "view-id-numeric": () => ({}),
  "edit-not-saved": edited(PRIMARY),
  "edit-not-saved-202": edited(PRIMARY),
  "edit-applied-in-part": async (receiver) => {
    await send(receiver, { operation: "editOrganization", body: { mission: MISSION, name: 7 } });
    return { operation: "viewOrganization" };
  },
  "submission-every-third-lost": async (receiver) => {
    await submitted(receiver);
    await submitted(receiver);
    return { operation: "readChange", changeId: await submitted(receiver) };
  },
  "edit-every-third-lost": editedTimes(3),
  "edit-every-fifth-lost": editedTimes(5),
  "edit-unbound-lost": edited(PRIMARY),
  "edit-saved-elsewhere": edited(PRIMARY, OTHER),
  "edit-saved-everywhere": edited(PRIMARY, OTHER),
  "view-cached": edited(PRIMARY),
  "edit-before-scope-queued": edited(PRIMARY),
  "edit-takes-body-id": async (receiver) => {
    await send(receiver, {
      operation: "editOrganization",
      body: { id: OTHER, mission: MISSION },
    });
    return { orgId: PRIMARY };
  },
  "edit-by-body-id": async (receiver) => {
    await send(receiver, {
      operation: "editOrganization",
      body: { id: OTHER, mission: MISSION },
    });
    return { orgId: OTHER };
  },
  "edit-in-feed-elsewhere": listedElsewhere,
  "submission-kept-elsewhere": reading(PRIMARY),
  "submission-lost": reading(PRIMARY),
  "submission-id-wrong": reading(PRIMARY),
  "feed-leaves-some-out": async (receiver) => {
    for (let left = 4; left > 0; left -= 1) await submitted(receiver);
    return { operation: "readChangesFeed" };
  },
  "feed-ids-unknown": () => ({ operation: "readChangesFeed" }),
  "feed-edits-unreadable": async (receiver) => {
    await send(receiver, { operation: "editOrganization", body: { mission: MISSION } });
    const { body } = await send(receiver, { operation: "readChangesFeed" });
    const [latest] = member(body, "items") as readonly unknown[];
    return { operation: "readChange", changeId: String(member(latest, "id")) };
  },
  "change-ids-repeated": followed,
  "change-among-all": followed,
  "change-always-latest": followed,
  "change-always-oldest": followed,
  "change-content-of-latest": followed,
  "change-under-any-organization": reading(OTHER, { [BINDING]: OTHER }),
  "change-under-any-organization-unbound": reading(OTHER),
  "feed-begins-with-latest-of-another": listedElsewhere,
  "feed-of-all-organizations": feedAfter({ [BINDING]: OTHER }),
  "feed-of-subsidiaries-too": async (receiver) => {
    await send(receiver, { operation: "readChangesFeed", orgId: OTHER });
    return { operation: "readChangesFeed", orgId: PRIMARY };
  },
  "feed-of-all-organizations-unbound": feedAfter(),
};
