import { randomUUID } from "node:crypto";

import { isObject } from "../../lib/json.ts";
import { entityTag } from "../answers.ts";
import type { Answer, Call, Handler } from "../model.ts";
import { changingAnswers } from "../patches.ts";
import { appliedLater, idempotencyKeyOf, storedAnswersOf, perReceiver } from "../per-receiver.ts";
import { Refusal } from "../refusal.ts";
import { good, ownFeed } from "../routes.ts";
import { changeNamed, type Change, type Organization } from "../store.ts";
import { type Variants, withOperation, without } from "./variant.ts";

/** A state of an organization, and the time from which it is shown. */
interface Version {
  readonly shownFrom: number;
  readonly organization: Organization;
}

/** Changes that wait for review, by organization, kept apart from the feed, newest first. */
const queuesOf = perReceiver(() => new Map<string, Change[]>());
/** The states of organizations by id, oldest first. */
const historiesOf = perReceiver(() => new Map<string, Version[]>());
/** The refused requests so far. */
const refusalsOf = perReceiver(() => ({ count: 0, at: 0 }));
const LAG_MS = 1000;
const EDIT_TAKES_MS = 300;

/** Freedoms in the effect of edits and submissions, and in their answers. */
export const RESOURCE_VARIANTS: Variants = {
  "edits-need-if-match": {
    title:
      "An edit must name the current ETag of the organization: 428 without one, 412 with another",
    uses: ["edit"],
    viewOrganization: (original) => (call) => {
      const answer = original(call);
      return { ...answer, headers: { ...answer.headers, etag: entityTag(call.organization) } };
    },
    editOrganization: (original) => (call) => {
      const wanted = call.headers["if-match"];
      if (wanted === undefined) throw new Refusal(428, "If-Match is required.");
      if (wanted !== entityTag(call.organization))
        throw new Refusal(412, "The organization has changed.");
      return original(call);
    },
    describe: (profile) =>
      withOperation(profile, "editOrganization", (edit) => ({
        ...edit,
        headers: { "If-Match": "${etag}" },
      })),
  },
  "views-noted": {
    title:
      "The view repeats the query, and has the time, the number of views and a signed link, which change by themselves",
    viewOrganization(original) {
      let views = 0;
      return (call) =>
        original({
          ...call,
          organization: call.organization && {
            ...call.organization,
            ...noted(call.receiver.steps.now(), (views += 1)),
            query: call.query,
          },
        });
    },
  },
  "refusals-noted": {
    title: "The view has the time and the number of refused requests",
    errorAnswer: (original) => (error, receiver) => {
      const refused = refusalsOf(receiver);
      refused.count += 1;
      refused.at = receiver.steps.now();
      return original(error, receiver);
    },
    viewOrganization: (original) => (call) => {
      const { count, at } = refusalsOf(call.receiver);
      const refused = { refusals: count, lastRefused: new Date(at * 1000).toISOString() };
      return original({
        ...call,
        organization: call.organization && { ...call.organization, ...refused },
      });
    },
  },
  "submissions-idempotent": {
    title:
      "A submission with a used Idempotency-Key gets the stored answer, and 422 if its body is another one",
    submitChange: storing,
  },
  "writes-idempotent": {
    title:
      "A write with a used Idempotency-Key gets the stored answer, and 422 if its body is another one",
    submitChange: storing,
    editOrganization: storing,
  },
  "submissions-amended": {
    title: "A submission amends the change that waits for review, if there is one",
    uses: ["submission"],
    submitChange: amending,
  },
  "review-queue": {
    title: "A submission is not in the feed before its review, but can be read by its id",
    uses: ["submission"],
    submitChange: queued,
    readChange: (original) => (call) => {
      const waiting = changeNamed(queueOf(call), call.changeId);
      if (!waiting || !call.organization) return original(call);
      return good(call, { data: waiting });
    },
  },
  "review-hidden": {
    title: "A submission is not visible before its review, not even by its id",
    uses: ["submission"],
    submitChange: (original) => answering(queued(original), 202, () => ({})),
    describe: (profile) => without(profile, ["id"]),
  },
  "submissions-applied": {
    title: "A submission is applied at once, and answered with 200",
    uses: ["submission", "edit"],
    submitChange: () => (call) => call.receiver.steps.editOrganization(call),
  },
  "writes-204": {
    title: "An edit is answered with 204 without a body, a submission with 201 and only Location",
    uses: ["submission", "edit"],
    ...changingAnswers((answer, call) => {
      const { status, headers = {} } = answer;
      if (call?.operation === "editOrganization" && status === 200) return { status: 204, headers };
      if (call?.operation === "submitChange" && status === 202) return { status: 201, headers };
      return answer;
    }),
    describe: (profile) => without(profile, ["id"]),
  },
  "writes-303": {
    title: "A write is answered with 303 to what was written",
    uses: ["submission", "edit"],
    editOrganization: (original) => leadingTo(original, () => ""),
    submitChange: (original) =>
      leadingTo(original, (call) => `/changes/${String(ownFeed(call)[0]?.id)}`),
    describe: (profile) => without(profile, ["id"]),
  },
  "submissions-as-tasks": {
    title:
      "A submission is answered with the id and the Location of a task, and the feed lists the change",
    uses: ["submission"],
    submitChange: (original) => (call) => {
      original(call);
      const id = randomUUID();
      const location = `${call.receiver.baseUrl}/tasks/${id}`;
      return { status: 202, headers: { location }, body: { id, state: "waiting" } };
    },
    describe: (profile) => without(profile, ["id"]),
  },
  "submissions-204": {
    title: "A submission is answered with 204, and nothing names it",
    uses: ["submission"],
    submitChange: (original) => answering(original, 204),
    describe: (profile) => without(profile, ["id"]),
  },
  "location-relative": {
    title: "A submission is answered with 201 without a body, with a relative Location",
    uses: ["submission"],
    submitChange: (original) => (call) => {
      const location = original(call).headers?.["location"] ?? "";
      const from = location.lastIndexOf("changes/");
      return { status: 201, headers: { location: location.slice(from) } };
    },
    describe: (profile) => without(profile, ["id"]),
  },
  "edits-202": {
    title: "An edit is answered with 202, and applied a moment later",
    uses: ["edit"],
    editOrganization: (original) => (call) => ({
      ...appliedLater(original, EDIT_TAKES_MS)(call),
      status: 202,
    }),
  },
  "edits-ignore-id": {
    title: "An `id` in the body of an edit is ignored, whatever its value",
    editOrganization: (original) => (call) => {
      if (!isObject(call.body)) return original(call);
      const { id: _, ...body } = call.body;
      return original({ ...call, body });
    },
  },
  "edits-return-organization": {
    title: "An edit is answered with the organization",
    uses: ["edit"],
    editOrganization: (original) =>
      answering(original, 200, (call) => {
        const data = call.receiver.store.organizations.get(call.orgId ?? "");
        return call.receiver.steps.shape({ data });
      }),
  },
  "edits-return-nothing": {
    title: "An edit is answered with 200 without a body",
    uses: ["edit"],
    editOrganization: (original) => answering(original, 200),
  },
  "view-lags": {
    title: "The view shows edits after a second",
    editOrganization: (original) => (call) => {
      const before = call.organization;
      const answer = original(call);
      const after = before && call.receiver.store.organizations.get(before.id);
      if (before && after) {
        const history = historyOf(call, before);
        history.push({ shownFrom: Date.now() + LAG_MS, organization: after });
      }
      return answer;
    },
    viewOrganization: (original) => (call) => {
      const now = Date.now();
      if (call.organization) {
        const history = historyOf(call, call.organization);
        const shown = history.findLast(({ shownFrom }) => shownFrom <= now);
        call.organization = shown?.organization;
      }
      return original(call);
    },
  },
};

/** Gives the stored answer to a used Idempotency-Key, and 422 if its body is another one. */
function storing(original: Handler): Handler {
  return (call) => {
    const key = idempotencyKeyOf(call);
    if (key === undefined) return original(call);
    const answers = storedAnswersOf(call.receiver);
    const body = JSON.stringify(call.body);
    const known = answers.get(key);
    if (known && known.body !== body) throw new Refusal(422, "The key was used before.");
    const answer = known?.answer ?? original(call);
    answers.set(key, { body, answer });
    return answer;
  };
}

/** Changes the answer, not the effect. */
function answering(original: Handler, status: number, body?: (call: Call) => unknown): Handler {
  return (call): Answer => {
    original(call);
    return body ? { status, body: body(call) } : { status };
  };
}

/** Answers with a 303 to a path below the organization. */
function leadingTo(original: Handler, below: (call: Call) => string): Handler {
  return (call): Answer => {
    original(call);
    const location = `${call.receiver.baseUrl}/orgs/${call.organization?.id}${below(call)}`;
    return { status: 303, headers: { location } };
  };
}

/** Removes a submission from the feed, and stores it elsewhere until its review. */
function queued(original: Handler): Handler {
  return (call) => {
    const answer = original(call);
    const change = ownFeed(call).shift();
    if (change) queueOf(call).unshift(change);
    return answer;
  };
}

function queueOf({ receiver, orgId = "" }: Call): Change[] {
  const queues = queuesOf(receiver);
  const queue = queues.get(orgId) ?? [];
  queues.set(orgId, queue);
  return queue;
}

function historyOf({ receiver }: Call, organization: Organization): Version[] {
  const histories = historiesOf(receiver);
  const history = histories.get(organization.id) ?? [{ shownFrom: 0, organization }];
  histories.set(organization.id, history);
  return history;
}

/** Replaces the pending change of the organization, and keeps its id. */
function amending(original: Handler): Handler {
  return (call) => {
    const feed = ownFeed(call);
    const at = feed.findIndex(({ status }) => status.value === "pending");
    const answer = original(call);
    const latest = at < 0 ? undefined : feed.shift();
    const pending = feed[at];
    if (!latest || !pending) return answer;
    const data = { ...latest, id: pending.id };
    feed[at] = data;
    return { ...good(call, { data }), status: answer.status };
  };
}

/** Members that change with time and with each view. */
function noted(now: number, views: number): object {
  return {
    lastAccessed: new Date(now * 1000).toISOString().slice(0, 19),
    views,
    logo: `https://files.example/logo.png?signature=${Math.round(now * 1e6).toString(36)}`,
  };
}
