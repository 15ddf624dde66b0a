import { isBound } from "../checks.ts";
import type { Answer, Call } from "../model.ts";
import { Refusal } from "../refusal.ts";
import { feedOf, good, ownFeed, readChangesFeed } from "../routes.ts";
import { changeNamed, OTHER, PRIMARY, type Change } from "../store.ts";
import { type Faults, ownedBy, showing } from "./fault.ts";

/** Faults in submissions, the feed and the view of a change. */
export const CHANGE_FAULTS: Faults = ownedBy("resources.change", {
  "submission-lost": {
    title: "Answers a submission with an id, and does not store it",
    shows: "Answers a submission with an id that cannot be read",
    rule: "resources.submit",
    how: "The submission goes into the queue of another environment.",
    submitChange: (original) => (call) => {
      const answer = original(call);
      ownFeed(call).shift();
      return answer;
    },
  },
  "submission-every-third-lost": {
    title: "Accepts every submission, and loses every third one",
    shows: "Accepts every submission, and does not show some of them",
    rule: "resources.submit",
    how: "Submissions go to one of three partitions of a queue, and one of them has no consumer.",
    submitChange(original) {
      let submissions = 0;
      return (call) => {
        submissions += 1;
        const answer = original(call);
        if (submissions % 3 === 0) ownFeed(call).shift();
        return answer;
      };
    },
  },
  "change-ids-repeated": {
    title: "Gives four changes in a row one id",
    shows: "Gives several changes one id",
    rule: "resources.feed",
    how: "The id is made of the time, and changes come faster than the clock that is used ticks.",
    newChangeId: () => (store) => {
      store.changes += 1;
      return `change-${Math.floor(store.changes / 4)}`;
    },
  },
  "submission-id-wrong": {
    title: "Answers a submission with an id that cannot be read",
    rule: "resources.submit",
    how: "The id identifies the message in the queue, not the change.",
    submitChange: (original) => (call) => {
      const { status, body } = original(call);
      const { data } = body as { readonly data?: object };
      return { status, body: data ? { data: { ...data, id: "message-1" } } : body };
    },
  },
  "feed-ids-unknown": {
    title: "Lists changes in the feed with ids that cannot be read",
    rule: "resources.feed",
    how: "The feed shows positions in the log, and the route of one change expects a UUID.",
    readChangesFeed: () => (call) =>
      readChangesFeed(
        call,
        ownFeed(call).map((change) => ({ ...change, id: `log-${change.id}` })),
      ),
  },
  "feed-leaves-some-out": {
    title: "Omits every fourth change from the feed",
    shows: "Omits some changes from the feed",
    rule: "resources.feed",
    how: "The feed is assembled from four partitions, and one of them is never read.",
    readChangesFeed: () => (call) =>
      readChangesFeed(
        call,
        ownFeed(call).filter((_change, index, { length }) => (length - index) % 4 !== 0),
      ),
  },
  "feed-edits-unreadable": {
    title: "Lists direct edits in the feed with ids that cannot be read",
    rule: "resources.feed",
    how: "The feed combines two tables, and the route of one change reads only the table of submissions.",
    readChange: (original) => (call) => {
      const found = changeNamed(ownFeed(call), call.changeId);
      if (!found?.snapshot || found.source === "import") return original(call);
      throw new Refusal(404, "There is no such change.");
    },
  },
  "change-always-latest": {
    title: "Shows the latest change, whichever was requested",
    how: "The code checks that the change exists, and then shows the organization's current one.",
    readChange: (original) => (call) => {
      original(call);
      return good(call, { data: ownFeed(call)[0] });
    },
  },
  "change-always-oldest": {
    title: "Shows the oldest change, whichever was requested",
    how: "A query builder loses the condition on the id, and the first row of the organization is used.",
    readChange: (original) => (call) => {
      original(call);
      return good(call, { data: ownFeed(call).at(-1) });
    },
  },
  "change-content-of-latest": {
    title: "Shows the content of the latest change under the requested id",
    how: "The content is stored by organization, and each submission overwrites the previous one.",
    readChange: (original) => (call) => {
      const latest = ownFeed(call).find(({ snapshot }) => !snapshot);
      const asked = changeNamed(ownFeed(call), call.changeId);
      if (!latest || !asked || asked.snapshot) return original(call);
      return good(call, { data: { ...latest, id: asked.id } });
    },
  },
  "change-among-all": {
    title: "Answers with all changes of the organization, whichever was requested",
    how: "The code checks that the change exists, and the route of one change then has the handler of the feed.",
    readChange: (original) => (call) => {
      original(call);
      return good(call, { items: ownFeed(call) });
    },
  },
  ...ownedBy("resources.change-isolated", {
    "change-under-any-organization": {
      title: "Shows a change under any organization",
      how: "The id of a change is unique, so the code does not use the organization in the path.",
      readChange: (original) => (call) => changeAnywhere(call) ?? original(call),
    },
    "change-under-any-organization-unbound": {
      title: "Shows an unbound token a change under any organization",
      how: "The query is limited to the token's organization. If there is none, the query has no limit.",
      readChange: (original) => (call) =>
        isBound(call) ? original(call) : (changeAnywhere(call) ?? original(call)),
    },
    "submission-kept-elsewhere": {
      title: "Stores a submission under another organization",
      how: "The worker uses the organization of the last request that it handled.",
      submitChange: (original) => (call) => original(showing(call, OTHER)),
    },
    "edit-in-feed-elsewhere": {
      title: "Lists an edit in the feed of another organization too",
      how: "Events are sent to every subscriber, and one of them stores them under its own organization.",
      editOrganization: (original) => (call) => {
        const answer = original(call);
        const { organizations } = call.receiver.store;
        const [edit] = ownFeed(call);
        const other = organizations.get(OTHER);
        if (edit && other && call.orgId !== OTHER) feedOf(call.receiver, other).unshift(edit);
        return answer;
      },
    },
    "feed-begins-with-latest-of-another": {
      title: "Lists the latest change of one organization in the feed of another",
      how: "The latest change is kept for a notice to every feed, and the notice does not say whose it is.",
      readChangesFeed: (original) => (call) => {
        if (call.orgId !== OTHER) return original(call);
        const own = ownFeed(call);
        const organization = call.receiver.store.organizations.get(PRIMARY);
        const latest = organization ? feedOf(call.receiver, organization).slice(0, 1) : [];
        return readChangesFeed(call, [...latest, ...own]);
      },
    },
    "feed-of-all-organizations": {
      title: "Shows the changes of every organization in the feed",
      how: "There is one log for all, and the condition is missing.",
      readChangesFeed: () => (call) => readChangesFeed(call, everyFeed(call)),
    },
    "feed-of-subsidiaries-too": {
      title: "Shows the changes of a second organization in the feed of the first",
      how: "The feed of a parent organization includes those of its subsidiaries, whatever the token is bound to.",
      readChangesFeed: (original) => (call) =>
        call.orgId === PRIMARY ? readChangesFeed(call, everyFeed(call)) : original(call),
    },
    "feed-of-all-organizations-unbound": {
      title: "Shows an unbound token the changes of every organization in the feed",
      how: "The log is limited to the token's organization. If there is none, the log has no limit.",
      readChangesFeed: (original) => (call) =>
        isBound(call) ? original(call) : readChangesFeed(call, everyFeed(call)),
    },
  }),
});

function everyFeed(call: Call): Change[] {
  ownFeed(call);
  return [...call.receiver.store.feeds.values()].flat();
}

function changeAnywhere(call: Call): Answer | undefined {
  const data = changeNamed(everyFeed(call), call.changeId);
  return data && good(call, { data });
}
