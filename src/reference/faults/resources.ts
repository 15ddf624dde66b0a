import { isObject } from "../../lib/json.ts";
import { isBound } from "../checks.ts";
import { mergePatch, patchErrors } from "../merge-patch.ts";
import type { Answer, Call } from "../model.ts";
import { Refusal } from "../refusal.ts";
import { feedOf } from "../routes.ts";
import { accessibleIds, OTHER, PRIMARY, type Change, type Organization } from "../store.ts";
import type { Fault } from "./fault.ts";

/** For each receiver, a cache of views by organization that is never invalidated. */
const CACHES = new WeakMap<object, Map<string, Answer>>();

/** The number of submissions of each receiver. */
const SUBMISSIONS = new WeakMap<object, number>();

/** The number of edits of each receiver. */
const EDITS = new WeakMap<object, number>();

/** Faults in what is shown and stored: organizations, edits, submissions, the feed. */
export const RESOURCE_FAULTS: readonly Fault[] = [
  {
    name: "list-item-without-id",
    title: "Lists some organizations without an id",
    rule: "resources.list",
    how: "Records of an older import have their id in another column.",
    step: "listOrganizations",
    patch: () => (call) =>
      list(call, ({ id, ...rest }) => (rowOf(id) % 3 ? { id, ...rest } : rest)),
  },
  {
    name: "list-ids-numeric",
    title: "Lists row numbers as ids",
    rule: "resources.list",
    how: "The list serializes the table's own key. The UUID is in another column, which only the view uses.",
    step: "listOrganizations",
    patch: () => (call) =>
      list(call, (organization) => ({ ...organization, id: rowOf(organization.id) })),
  },
  {
    name: "list-misses-organization",
    title: "Omits an organization from the list that can be viewed",
    rule: "resources.list",
    how: "The list joins a table that does not have a row for every organization.",
    step: "visibleOrganizations",
    patch: (original) => (call) => original(call).filter((id) => id !== OTHER || isBound(call)),
  },
  {
    name: "view-shows-first",
    title: "Shows the first organization, whichever was requested",
    rule: "resources.view",
    how: "A query builder loses the condition, and the first row of the table is used.",
    step: "viewOrganization",
    patch: (original) => (call) => original(showing(call, PRIMARY)),
  },
  {
    name: "view-shows-another",
    title: "Shows another organization than the requested one",
    rule: "resources.view",
    how: "The cache key is the route without the id, and another request came first.",
    step: "viewOrganization",
    patch: (original) => (call) => original(showing(call, OTHER)),
  },
  {
    name: "view-by-token",
    title: "Shows an unbound token the first organization that its subject may act on",
    rule: "resources.view",
    how: "The organization is taken from the token, as on the routes of the web site, not from the path.",
    step: "viewOrganization",
    patch: (original) => (call) => {
      if (isBound(call)) return original(call);
      return original(showing(call, accessibleIds(call.receiver.store, call.claims["sub"])[0]));
    },
  },
  {
    name: "view-without-id",
    title: "Omits the id from the view",
    rule: "resources.view",
    how: "The client asked for the id, so the author assumed that it knows it.",
    step: "viewOrganization",
    patch: () => (call) => {
      const { id: _, ...rest } = call.organization as Organization;
      return { status: 200, body: call.receiver.steps.shape({ data: rest }) };
    },
  },
  {
    name: "view-id-numeric",
    title: "Shows the row number as id in the view",
    rule: "resources.view",
    how: "The path is looked up by UUID, and the record is serialized with its own key.",
    step: "viewOrganization",
    patch: () => (call) => ({
      status: 200,
      body: call.receiver.steps.shape({ data: { ...call.organization, id: 7 } }),
    }),
  },
  {
    name: "edit-not-saved",
    title: "Answers an edit with 200, and saves nothing",
    rule: "resources.edit",
    how: "The object is changed and serialized, and the transaction is never committed.",
    step: "editOrganization",
    patch: (original) => (call) => {
      const answer = original(call);
      if (call.organization) save(call, call.organization);
      return answer;
    },
  },
  {
    name: "edit-not-saved-202",
    title: "Answers an edit with 202, and never applies it",
    rule: "resources.edit",
    how: "The edit is put into a queue that nothing processes.",
    step: "editOrganization",
    patch: (original) => (call) => {
      const answer = original(call);
      if (call.organization) save(call, call.organization);
      return { ...answer, status: 202 };
    },
  },
  {
    name: "edit-applied-in-part",
    title: "Applies the valid members of an edit that it refuses",
    rule: "resources.edit",
    how: "Each member is validated and saved in turn, and nothing is rolled back at the first invalid one.",
    step: "editOrganization",
    patch: (original) => (call) => {
      try {
        return original(call);
      } catch (error) {
        const { organization, body } = call;
        if (organization && isObject(body)) {
          const valid = Object.entries(body).filter(
            ([name, value]) => patchErrors({ [name]: value }, organization.id).length === 0,
          );
          save(call, mergePatch(organization, Object.fromEntries(valid)) as Organization);
        }
        throw error;
      }
    },
  },
  {
    name: "edit-every-third-lost",
    title: "Accepts every edit, and loses every third one",
    rule: "resources.edit",
    how: "Edits go to one of three workers, and one of them has lost its database.",
    step: "editOrganization",
    patch: (original) => (call) => {
      const { store } = call.receiver;
      const count = (EDITS.get(store) ?? 0) + 1;
      EDITS.set(store, count);
      const { organization } = call;
      const before = organization && store.organizations.get(organization.id);
      const answer = original(call);
      if (before && count % 3 === 0) store.organizations.set(before.id, before);
      return answer;
    },
  },
  {
    name: "edit-saved-elsewhere",
    title: "Saves an edit on another organization",
    rule: "resources.edit",
    how: "The id in the path is looked up in a list that was sorted in the meantime.",
    step: "editOrganization",
    patch: (original) => (call) => {
      const answer = original(call);
      const edited = call.receiver.store.organizations.get(call.orgId ?? "");
      if (call.organization) save(call, call.organization);
      if (edited) save(call, { ...edited, id: OTHER });
      return answer;
    },
  },
  {
    name: "edit-saved-everywhere",
    title: "Saves an edit on every organization",
    rule: "resources.edit",
    how: "The update has no condition.",
    step: "editOrganization",
    patch: (original) => (call) => {
      const answer = original(call);
      const { organizations } = call.receiver.store;
      const edited = organizations.get(call.orgId ?? "");
      for (const id of organizations.keys()) if (edited) save(call, { ...edited, id });
      return answer;
    },
  },
  {
    name: "edit-by-body-id",
    title: "Applies an edit to the organization that the body names",
    rule: "resources.edit",
    how: "The body is mapped to an entity, which is merged by its own id.",
    step: "editOrganization",
    patch: (original) => (call) => {
      const { id } = call.body as { readonly id?: string };
      return original(id === undefined ? call : showing(call, id));
    },
  },
  {
    name: "view-cached",
    title: "Does not show an edit in the view",
    rule: "resources.edit",
    how: "The view is cached, and an edit does not invalidate the cache.",
    step: "viewOrganization",
    patch: (original) => (call) => {
      const cache = CACHES.get(call.receiver.store) ?? new Map<string, Answer>();
      CACHES.set(call.receiver.store, cache);
      const answer = cache.get(call.orgId ?? "") ?? original(call);
      cache.set(call.orgId ?? "", answer);
      return answer;
    },
  },
  {
    name: "submission-lost",
    title: "Answers a submission with an id, and does not store it",
    rule: "resources.submit",
    how: "The submission goes into the queue of another environment.",
    step: "submitChange",
    patch: (original) => (call) => {
      const answer = original(call);
      if (call.organization) feedOf(call.receiver, call.organization).shift();
      return answer;
    },
  },
  {
    name: "submission-every-third-lost",
    title: "Accepts every submission, and loses every third one",
    rule: "resources.submit",
    how: "Submissions go to one of three partitions of a queue, and one of them has no consumer.",
    step: "submitChange",
    patch: (original) => (call) => {
      const { store } = call.receiver;
      const count = (SUBMISSIONS.get(store) ?? 0) + 1;
      SUBMISSIONS.set(store, count);
      const answer = original(call);
      if (count % 3 === 0) ownFeed(call).shift();
      return answer;
    },
  },
  {
    name: "submission-id-wrong",
    title: "Answers a submission with an id that cannot be read",
    rule: "resources.submit",
    how: "The id identifies the message in the queue, not the change.",
    step: "submitChange",
    patch: (original) => (call) => {
      const { status, body } = original(call);
      const { data } = body as { readonly data?: object };
      return { status, body: data ? { data: { ...data, id: "message-1" } } : body };
    },
  },
  {
    name: "feed-ids-unknown",
    title: "Lists changes in the feed with ids that cannot be read",
    rule: "resources.feed",
    how: "The feed shows positions in the log, and the route of one change expects a UUID.",
    step: "readChangesFeed",
    patch: () => (call) =>
      feed(call, ownFeed(call), (change) => ({ ...change, id: `log-${change.id}` })),
  },
  {
    name: "feed-edits-unreadable",
    title: "Lists direct edits in the feed with ids that cannot be read",
    rule: "resources.feed",
    how: "The feed combines two tables, and the route of one change reads only the table of submissions.",
    step: "readChange",
    patch: (original) => (call) => {
      const found = ownFeed(call).find(({ id }) => String(id) === call.changeId);
      if (!found?.snapshot || found.source === "import") return original(call);
      throw new Refusal(404, "There is no such change.");
    },
  },
  {
    name: "change-always-latest",
    title: "Shows the latest change, whichever was requested",
    rule: "resources.change",
    how: "The code checks that the change exists, and then shows the organization's current one.",
    step: "readChange",
    patch: (original) => (call) => {
      original(call);
      return { status: 200, body: call.receiver.steps.shape({ data: ownFeed(call)[0] }) };
    },
  },
  {
    name: "change-content-of-latest",
    title: "Shows the content of the latest change under the requested id",
    rule: "resources.change",
    how: "The content is stored by organization, and each submission overwrites the previous one.",
    step: "readChange",
    patch: (original) => (call) => {
      const latest = ownFeed(call).find(({ snapshot }) => !snapshot);
      const asked = ownFeed(call).find(({ id }) => String(id) === call.changeId);
      if (!latest || !asked || asked.snapshot) return original(call);
      const data = { ...latest, id: asked.id };
      return { status: 200, body: call.receiver.steps.shape({ data }) };
    },
  },
  {
    name: "change-under-any-organization",
    title: "Shows a change under any organization",
    rule: "resources.change-isolated",
    how: "The id of a change is unique, so the code does not use the organization in the path.",
    step: "readChange",
    patch: (original) => (call) => changeAnywhere(call) ?? original(call),
  },
  {
    name: "change-under-any-organization-unbound",
    title: "Shows an unbound token a change under any organization",
    rule: "resources.change-isolated",
    how: "The query is limited to the token's organization. If there is none, the query has no limit.",
    step: "readChange",
    patch: (original) => (call) =>
      isBound(call) ? original(call) : (changeAnywhere(call) ?? original(call)),
  },
  {
    name: "submission-kept-elsewhere",
    title: "Stores a submission under another organization",
    rule: "resources.change-isolated",
    how: "The worker uses the organization of the last request that it handled.",
    step: "submitChange",
    patch: (original) => (call) => original(showing(call, OTHER)),
  },
  {
    name: "edit-in-feed-elsewhere",
    title: "Lists an edit in the feed of another organization too",
    rule: "resources.change-isolated",
    how: "Events are sent to every subscriber, and one of them stores them under its own organization.",
    step: "editOrganization",
    patch: (original) => (call) => {
      const answer = original(call);
      const { organizations } = call.receiver.store;
      const [edit] = ownFeed(call);
      const other = organizations.get(OTHER);
      if (edit && other && call.orgId !== OTHER) feedOf(call.receiver, other).unshift(edit);
      return answer;
    },
  },
  {
    name: "feed-of-all-organizations",
    title: "Shows the changes of every organization in the feed",
    rule: "resources.change-isolated",
    how: "There is one log for all, and the condition is missing.",
    step: "readChangesFeed",
    patch: () => (call) => feed(call, everyFeed(call)),
  },
  {
    name: "feed-of-all-organizations-unbound",
    title: "Shows an unbound token the changes of every organization in the feed",
    rule: "resources.change-isolated",
    how: "The log is limited to the token's organization. If there is none, the log has no limit.",
    step: "readChangesFeed",
    patch: (original) => (call) => (isBound(call) ? original(call) : feed(call, everyFeed(call))),
  },
];

/** A number that an organization always has. */
function rowOf(id: string): number {
  return Number.parseInt(id.slice(-6), 16);
}

function list(call: Call, item: (organization: Organization) => unknown): Answer {
  const { steps, store } = call.receiver;
  const page = steps.paginate(call, steps.visibleOrganizations(call));
  const organizations = page.items.flatMap((id) => store.organizations.get(id) ?? []);
  return {
    status: 200,
    body: steps.shape({ ...page, items: organizations.map((one) => item(one)) }),
  };
}

function feed(
  call: Call,
  changes: readonly Change[],
  item: (change: Change) => unknown = (change) => change,
): Answer {
  const { steps } = call.receiver;
  const page = steps.paginate(call, changes);
  return { status: 200, body: steps.shape({ ...page, items: page.items.map((one) => item(one)) }) };
}

function ownFeed(call: Call): Change[] {
  return call.organization ? feedOf(call.receiver, call.organization) : [];
}

function everyFeed(call: Call): Change[] {
  ownFeed(call);
  return [...call.receiver.store.feeds.values()].flat();
}

function changeAnywhere(call: Call): Answer | undefined {
  const data = everyFeed(call).find(({ id }) => String(id) === call.changeId);
  return data && { status: 200, body: call.receiver.steps.shape({ data }) };
}

function showing(call: Call, id: string | undefined): Call {
  return { ...call, organization: call.receiver.store.organizations.get(id ?? "") };
}

function save({ receiver: { store } }: Call, organization: Organization): void {
  store.organizations.set(organization.id, organization);
}
