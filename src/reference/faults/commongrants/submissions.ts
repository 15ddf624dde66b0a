import { goodAnswers } from "../../commongrants.ts";
import type { Call, Handler } from "../../model.ts";
import { ownFeed } from "../../routes.ts";
import type { Organization } from "../../store.ts";
import { type Faults, ownedBy } from "../fault.ts";

/** Faults in what becomes of edits and submissions. */
export const SUBMISSION_FAULTS: Faults = ownedBy("commongrants.submission", {
  "cg-edit-unseen": {
    title: "Answers an edit as accepted, and does not apply it",
    how: "The transaction is never committed.",
    editOrganization: unapplied,
  },
  "cg-accepted-unseen": {
    title: "Answers a submission as accepted, and does not apply it",
    how: "The worker that applies it looks for pending ones.",
    variants: ["cg-submissions-accepted"],
    submitChange: unapplied,
  },
  "cg-accepted-replaces": {
    title: "Replaces the profile with a submission that is accepted",
    how: "The worker saves the patch as the new profile.",
    variants: ["cg-submissions-accepted"],
    submitChange: (original) => (call) => {
      const { organization, receiver, body } = call;
      const answer = original(call);
      if (organization) {
        const { id, name } = organization;
        const replaced = { id, name, ...(body as object) } as Organization;
        receiver.store.organizations.set(id, replaced);
      }
      return answer;
    },
  },
  "cg-pending-applied": {
    title: "Applies a submission at once, and says that it is pending",
    how: "The review was switched off, and the status was forgotten.",
    submitChange: (original) => (call) => {
      const { organization, receiver, body } = call;
      const answer = original(call);
      if (organization) {
        const merged = receiver.steps.merge(organization, body as object as Organization);
        receiver.store.organizations.set(organization.id, merged);
      }
      return answer;
    },
  },
  "cg-location-missing": {
    title: "Answers a pending submission without Location",
    how: "The body has the id already.",
    ...locating(() => undefined),
  },
  "cg-location-other-host": {
    title: "Names another host in Location",
    how: "The receiver makes URLs of its own name behind the gateway.",
    ...locating((location) => location.replace(/^https?:\/\/[^/]+/, "http://orgs.internal:8080")),
  },
  "cg-location-of-organization": {
    title: "Names the organization in Location",
    how: "The framework makes the URL of the parent.",
    ...locating((location) => location.replace(/\/changes\/.*$/, "")),
  },
  "cg-location-unknown": {
    title: "Names a path in Location that does not exist",
    how: "The path has the prefix of an older version.",
    ...locating((location) => location.replace("/orgs/", "/v1/orgs/")),
  },
  "cg-location-of-another": {
    title: "Names the change before in Location",
    how: "The key is read before the row is inserted.",
    ...locating((location, call) => location.replace(/[^/]+$/, String(ownFeed(call)[1]?.id))),
  },
  "cg-location-host-relative": {
    title: "Names a path in Location that lacks the base path",
    how: "The receiver does not know under which path it is mounted.",
    ...locating((location) => location.replace(/^https?:\/\/[^/]+\/[^/]+/, "")),
  },
});

function unapplied(original: Handler): Handler {
  return (call) => {
    const before = call.organization;
    const answer = original(call);
    if (before) call.receiver.store.organizations.set(before.id, before);
    return answer;
  };
}

function locating(
  change: (location: string, call: Call) => string | undefined,
): ReturnType<typeof goodAnswers> {
  return goodAnswers(["submitChange"], ({ headers = {}, ...answer }, call) => {
    const { location = "", ...others } = headers;
    const changed = change(location, call);
    return {
      ...answer,
      headers: { ...others, ...(changed !== undefined && { location: changed }) },
    };
  });
}
