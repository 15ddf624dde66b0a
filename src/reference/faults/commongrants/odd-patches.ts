import { isObject } from "../../../lib/json.ts";
import { mergePatch, patchErrors } from "../../merge-patch.ts";
import type { Call, Handler } from "../../model.ts";
import { Refusal } from "../../refusal.ts";
import { ownFeed } from "../../routes.ts";
import type { Organization } from "../../store.ts";
import { type Faults, ownedBy } from "../fault.ts";

/** Faults in patches that a receiver may refuse, and in those that it has to refuse as a whole. */
export const ODD_PATCH_FAULTS: Faults = ownedBy("commongrants.merge-patch", {
  "cg-edit-refuses-merge-patch": {
    title: "Refuses an edit as application/merge-patch+json",
    how: "The framework parses application/json alone.",
    editOrganization: refusingMergePatch,
  },
  "cg-submission-refuses-merge-patch": {
    title: "Refuses a submission as application/merge-patch+json",
    how: "The framework parses application/json alone.",
    submitChange: refusingMergePatch,
  },
  "cg-id-taken": {
    title: "Gives an organization the id of a patch",
    how: "The body is merged into the record, and no member is protected. The row has a key of its own.",
    editOrganization: (original) => (call) => {
      const { orgId: key = "", organization, receiver } = call;
      if (!organization || !isObject(call.body)) return original(call);
      const { id: sent = organization.id, ...body } = call.body;
      const answer = original({ ...call, body, organization: { ...organization, id: key } });
      const edited = receiver.store.organizations.get(key);
      if (edited) receiver.store.organizations.set(key, { ...edited, id: String(sent) });
      return answer;
    },
  },
  "cg-version-taken": {
    title: "Gives a profile the version and the times of a patch",
    how: "All columns of the row can be written.",
    variants: ["cg-profile-times"],
    merge: (original) => (organization, patch) => ({
      ...original(organization, patch),
      sentMembers: Object.fromEntries(
        Object.entries(patch).filter(([name]) => /^(?:datasetVersion|lastModifiedAt)$/.test(name)),
      ),
    }),
    viewOrganization: (original) => (call) => {
      const answer = original(call);
      const { data, ...body } = answer.body as { readonly data: Organization };
      const { sentMembers, ...profile } = data;
      return { ...answer, body: { ...body, data: { ...profile, ...(sentMembers as object) } } };
    },
  },
  "cg-name-removed": {
    title: "Removes the name for null",
    how: "The patch is applied before it is validated, and the validation is of the patch.",
    patchErrors: () => withoutNameCheck,
  },
  "cg-name-emptied": {
    title: "Empties the name for null",
    how: "The column is not nullable, and has a default.",
    patchErrors: () => withoutNameCheck,
    merge: (original) => (organization, patch) =>
      original(organization, patch["name"] === null ? { ...patch, name: "" } : patch),
  },
  "cg-name-null-500": {
    title: "Answers null for the name 500",
    how: "The constraint of the database is the only check.",
    editOrganization: (original) => (call) => {
      if (isObject(call.body) && call.body["name"] === null)
        throw new Refusal(500, "The receiver failed.");
      return original(call);
    },
  },
  "cg-refused-and-applied": {
    title: "Refuses null for the name, and has removed it",
    how: "The answer is made of a validation that comes after the write.",
    editOrganization: (original) =>
      applyingWhenRefused(original, ({ name }) => (name === null ? { name } : {})),
  },
  "cg-empty-refused": {
    title: "Refuses a patch without members",
    how: "The schema wants at least one property.",
    editOrganization: (original) => (call) => {
      if (isEmptyBody(call)) throw new Refusal(400, "There is nothing to change.");
      return original(call);
    },
  },
  "cg-empty-clears": {
    title: "Clears the mission for a patch without members",
    how: "A body without members is taken for an empty form.",
    merge: (original) => (organization, patch) =>
      Object.keys(patch).length === 0
        ? original(organization, { mission: null })
        : original(organization, patch),
  },
  "cg-refused-applied-in-part": {
    title: "Applies the valid members of an edit that it refuses",
    how: "Each member is validated and saved in turn, and nothing is rolled back.",
    editOrganization: (original) =>
      applyingWhenRefused(original, (body, id) =>
        Object.fromEntries(
          Object.entries(body).filter(
            ([name, value]) => patchErrors({ [name]: value }, id).length === 0,
          ),
        ),
      ),
  },
  "cg-refused-applied-until": {
    title: "Applies the members of an edit before the one for which it refuses it",
    how: "Each member is validated and saved in turn, and the first that is invalid ends it.",
    editOrganization: (original) =>
      applyingWhenRefused(original, (body, id) => {
        const all = Object.entries(body);
        const until = all.findIndex(
          ([name, value]) => patchErrors({ [name]: value }, id).length > 0,
        );
        return Object.fromEntries(all.slice(0, until));
      }),
  },
  "cg-refused-submission-recorded": {
    title: "Records a submission that it refuses",
    how: "The change is stored first, so that somebody can look at it.",
    submitChange: (original) => (call) => {
      try {
        return original(call);
      } catch (error) {
        const { body } = call;
        original({ ...call, body: {} });
        const feed = ownFeed(call);
        const [latest, ...others] = feed;
        if (latest && isObject(body))
          feed.splice(0, feed.length, { ...latest, patch: body }, ...others);
        throw error;
      }
    },
  },
});

function refusingMergePatch(original: Handler): Handler {
  return (call) => {
    if (String(call.headers["content-type"]).startsWith("application/merge-patch+json"))
      throw new Refusal(415, "The media type is not supported.");
    return original(call);
  };
}

function withoutNameCheck(body: unknown, id: string): ReturnType<typeof patchErrors> {
  return patchErrors(body, id).filter(({ message }) => message !== "cannot be removed");
}

function isEmptyBody({ body }: Call): boolean {
  return isObject(body) && Object.keys(body).length === 0;
}

/** An edit that applies something of a body although it refuses it. */
function applyingWhenRefused(
  original: Handler,
  partOf: (
    body: Readonly<Record<string, unknown>>,
    id: string,
  ) => Readonly<Record<string, unknown>>,
): Handler {
  return (call) => {
    try {
      return original(call);
    } catch (error) {
      const { organization, body, receiver } = call;
      if (organization && isObject(body)) {
        const part = partOf(body, organization.id);
        receiver.store.organizations.set(
          organization.id,
          mergePatch(organization, part) as Organization,
        );
      }
      throw error;
    }
  };
}
