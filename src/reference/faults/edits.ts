import { isObject } from "../../lib/json.ts";
import { isBound } from "../checks.ts";
import { mergePatch, patchErrors } from "../merge-patch.ts";
import type { Call, Handler } from "../model.ts";
import { cachedBy } from "../patches.ts";
import { OTHER, type Organization } from "../store.ts";
import { type Faults, ownedBy, showing } from "./fault.ts";

export const EDIT_FAULTS: Faults = ownedBy("resources.edit", {
  "edit-not-saved": {
    title: "Answers an edit with 200, and saves nothing",
    shows: "Answers an edit with success, and does not show it in the view",
    how: "The object is changed and serialized, and the transaction is never committed.",
    editOrganization: losing(() => true),
  },
  "edit-not-saved-202": {
    title: "Answers an edit with 202, and never applies it",
    shows: "Answers an edit with 202, and does not show it in the view",
    how: "The edit is put into a queue that nothing processes.",
    editOrganization: (original) => (call) => ({
      ...losing(() => true)(original)(call),
      status: 202,
    }),
  },
  "edit-applied-in-part": {
    title: "Applies the valid members of an edit that it refuses",
    how: "Each member is validated and saved in turn, and nothing is rolled back at the first invalid one.",
    editOrganization: (original) => (call) => {
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
  "edit-every-third-lost": {
    title: "Accepts every edit, and loses every third one",
    shows: "Accepts every edit, and does not show some of them in the view",
    how: "Edits go to one of three workers, and one of them has lost its database.",
    editOrganization: losingEvery(3),
  },
  "edit-every-fifth-lost": {
    title: "Accepts every edit, and loses every fifth one",
    shows: "Accepts every edit, and does not show some of them in the view",
    how: "A cache takes edits until it is written to the database, and one of five processes is restarted before that.",
    editOrganization: losingEvery(5),
  },
  "edit-unbound-lost": {
    title: "Answers an edit with an unbound token with 200, and saves nothing",
    shows: "Answers an edit with an unbound token with success, and does not show it in the view",
    how: "The update is limited to the organization that the token is bound to, and without one it matches no row.",
    editOrganization: losing((call) => !isBound(call)),
  },
  "edit-saved-elsewhere": {
    title: "Saves an edit on another organization",
    how: "The id in the path is looked up in a list that was sorted in the meantime.",
    editOrganization: (original) => (call) => {
      const answer = original(call);
      const edited = call.receiver.store.organizations.get(call.orgId ?? "");
      if (call.organization) save(call, call.organization);
      if (edited) save(call, { ...edited, id: OTHER });
      return answer;
    },
  },
  "edit-saved-everywhere": {
    title: "Saves an edit on every organization",
    how: "The update has no condition.",
    editOrganization: (original) => (call) => {
      const answer = original(call);
      const { organizations } = call.receiver.store;
      const edited = organizations.get(call.orgId ?? "");
      for (const id of organizations.keys()) if (edited) save(call, { ...edited, id });
      return answer;
    },
  },
  "edit-by-body-id": {
    title: "Applies an edit to the organization that the body names",
    how: "The body is mapped to an entity, which is merged by its own id.",
    editOrganization: (original) => (call) => {
      const { id } = call.body as { readonly id?: string };
      return original(id === undefined ? call : showing(call, id));
    },
  },
  "edit-takes-body-id": {
    title: "Gives an organization the id that the body of an edit names",
    how: "The body is merged into the record, and no member is protected. The row has a key of its own, so that the path still finds it.",
    editOrganization: (original) => (call) => {
      const { organizations } = call.receiver.store;
      const { orgId: key = "", organization } = call;
      const { id: named, ...body } = call.body as { readonly id?: string };
      const answer = original({
        ...call,
        body,
        organization: organization && { ...organization, id: key },
      });
      const id = named ?? organization?.id;
      const edited = organizations.get(key);
      if (edited && id !== undefined) organizations.set(key, { ...edited, id });
      return answer;
    },
  },
  "view-cached": {
    title: "Does not show an edit in the view",
    shows: "Answers an edit with success, and does not show it in the view",
    how: "The view is cached, and an edit does not invalidate the cache.",
    viewOrganization: cachedBy(({ orgId = "" }) => orgId),
  },
});

function save({ receiver: { store } }: Call, organization: Organization): void {
  store.organizations.set(organization.id, organization);
}

/** Edits that are answered as usual, and of which some are undone. */
function losing(condition: (call: Call) => boolean): (original: Handler) => Handler {
  return (original) => (call) => {
    const isLost = condition(call);
    const before = call.receiver.store.organizations.get(call.organization?.id ?? "");
    const answer = original(call);
    if (before && isLost) save(call, before);
    return answer;
  };
}

/** Edits of which each n-th is undone. */
function losingEvery(n: number): (original: Handler) => Handler {
  return (original) => {
    let edits = 0;
    return losing(() => (edits += 1) % n === 0)(original);
  };
}
