import { CHECKS } from "../checks.ts";
import { type Check, CHECK_NAMES, type Handler, type Steps } from "../model.ts";
import { fails, onlyOn, skipped } from "../patches.ts";
import { appliedLater } from "../per-receiver.ts";
import { Refusal } from "../refusal.ts";
import { ownFeed } from "../routes.ts";
import type { Patch } from "../steps.ts";
import { type Faults, ownedBy } from "./fault.ts";

const PARALLEL = "The guard runs in parallel with the handler and does not stop it, or after it.";

/** The checks that run after the work is done. */
const CLAIM_CHECKS = CHECK_NAMES.slice(CHECK_NAMES.indexOf("checkIssuer"));

/** The delay after which a queued edit shows. */
const QUEUE_TAKES_MS = 60;
/** How long after its refusal a rejected edit is applied. */
const REPLAY_TAKES_MS = 300;

/** Faults of work that is done before all checks have passed. */
export const TOO_EARLY_FAULTS: Faults = ownedBy("receiver.no-side-effects", {
  "edit-before-binding": {
    title: "Applies an edit before it checks the binding",
    shows: "Applies an edit that it rejects",
    how: PARALLEL,
    checkBinding: onlyOn("editOrganization", skipped),
    editOrganization: (original) => followedBy(original, CHECKS.checkBinding),
  },
  "edit-before-claims": {
    title: "Applies an edit before it checks any claim of the token",
    shows: "Applies an edit that it rejects",
    how: PARALLEL,
    checks: onlyOn("editOrganization", (): Steps["checks"] => () => [
      "readCredentials",
      "verifySignature",
    ]),
    editOrganization: (original) => (call) => {
      const { organizations } = call.receiver.store;
      call.organization = organizations.get(call.orgId ?? "");
      const answer = call.organization && original(call);
      for (const name of CLAIM_CHECKS) void CHECKS[name](call);
      return answer ?? original(call);
    },
  },
  "submission-before-scope": {
    title: "Records a submitted change before it checks scope",
    shows: "Records a submitted change that it rejects",
    how: PARALLEL,
    checkScope: onlyOn("submitChange", skipped),
    submitChange: (original) => followedBy(original, CHECKS.checkScope),
  },
  "edit-before-scope-queued": {
    title: "Queues an edit, which shows a moment later, before it checks scope",
    shows: "Applies an edit that it rejects",
    how: "The queue is processed, whatever the client was answered in the meantime.",
    ...editedBeforeScope((original) => (call) => {
      const feed = [...ownFeed(call)];
      const answer = appliedLater(original, QUEUE_TAKES_MS)(call);
      if (!fails(CHECKS.checkScope, call)) return answer;
      call.receiver.store.feeds.set(call.orgId ?? "", feed);
      throw noScope();
    }),
  },
  "edit-before-scope-unrecorded": {
    title: "Applies an edit before it checks scope, and does not record it in the feed",
    shows: "Applies an edit that it rejects",
    how: "A hook of the framework saves the record, and the handler writes the event.",
    ...editedBeforeScope((original) => (call) => {
      if (!fails(CHECKS.checkScope, call)) return original(call);
      const { store } = call.receiver;
      const feed = [...(store.feeds.get(call.orgId ?? "") ?? [])];
      original(call);
      store.feeds.set(call.orgId ?? "", feed);
      throw noScope();
    }),
  },
  "rejected-edit-replayed": {
    title: "Applies a rejected edit a moment later, though accepted edits show at once",
    shows: "Applies an edit that it rejects",
    how: "The gateway puts every request into a queue, and its consumer applies what the handler has not applied, without tokens.",
    ...editedBeforeScope((original) => (call) => {
      if (!fails(CHECKS.checkScope, call)) return original(call);
      const { organizations, feeds } = call.receiver.store;
      const replay = (): void => {
        const feed = [...(feeds.get(call.orgId ?? "") ?? [])];
        fails(original, { ...call, organization: organizations.get(call.orgId ?? "") });
        feeds.set(call.orgId ?? "", feed);
      };
      setTimeout(replay, REPLAY_TAKES_MS).unref();
      throw noScope();
    }),
  },
});

function noScope(): Refusal {
  return new Refusal(403, "The scope is not sufficient.");
}

/** The handler does its work before a failing check stops the request. */
function followedBy(original: Handler, check: Check): Handler {
  return (call) => {
    const answer = original(call);
    void check(call);
    return answer;
  };
}

/** The route of an edit checks no scope itself; `edit` decides what comes of an edit without it. */
function editedBeforeScope(edit: (original: Handler) => Handler): Patch {
  return {
    checkScope: onlyOn("editOrganization", skipped),
    editOrganization: edit,
  };
}
