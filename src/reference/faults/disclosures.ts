import { isObject } from "../../lib/json.ts";
import type { Call } from "../model.ts";
import { changingAnswers } from "../patches.ts";
import { ownFeed } from "../routes.ts";
import { type FaultEntry, type Faults, ownedBy, type When } from "./fault.ts";

/** Faults of refusals that carry what they refuse to show. */
export const DISCLOSURE_FAULTS: Faults = ownedBy("receiver.no-disclosure", {
  "refused-organization-shown": carrying({
    title: "Puts the organization into the answer that refuses it",
    how: "The record is loaded and serialized for the response, and the guard then changes only the status and adds the error.",
    when: ({ operation }) => operation === "viewOrganization",
  }),
  "forged-organization-shown": carrying({
    title: "Puts the organization into the answer to a token that is not valid",
    how: "The error handler dumps the context of the request for debugging, with the record that was loaded by then.",
    when: (_call, status) => status === 401,
  }),
  "refused-edit-shown": carrying({
    title: "Puts the organization into the answer that refuses an edit without org:write",
    how: "The client should be able to show the current state beside the error.",
    when: ({ operation, claims }) =>
      operation === "editOrganization" &&
      /^(?!.*org:write).*org:read/.test(String(claims["scope"])),
  }),
  "refused-list-shown": carrying({
    title: "Puts the list into the answer that refuses it",
    how: "The rows are loaded and rendered in any case, and the guard sets only the status.",
    when: ({ operation }) => operation === "listOrganizations",
    carried: ({ receiver }) => ({ items: [...receiver.store.organizations.values()] }),
  }),
  "refused-feed-shown": carrying({
    title: "Puts the feed into the answer that refuses it",
    how: "The controller renders the list in any case, and the guard sets only the status.",
    when: ({ operation }) => operation === "readChangesFeed",
    carried: (call) => call.organization && { items: ownFeed(call) },
  }),
  "refused-organization-quoted": carrying({
    title: "Puts the organization as text into the answer that refuses it",
    how: "The error handler appends the record to a text for debugging, as JSON within a string.",
    when: ({ operation }) => operation === "viewOrganization",
    carried: ({ organization }) =>
      organization && { detail: `The token does not allow ${JSON.stringify(organization)}` },
  }),
  "refused-organization-told": carrying({
    title: "Describes the organization in the message that refuses it",
    how: "The message is made for the person who has to ask for access.",
    when: ({ operation }) => operation === "viewOrganization",
    carried: ({ organization }) =>
      organization && {
        message: `The token does not allow ${organization.name} (${String(organization["mission"])})`,
      },
  }),
});

/**
 * Adds members to the body of some refusals.
 * @param carried the members, of a call with the organization of its path if there is one; default: the organization
 */
function carrying({
  when,
  carried = ({ organization }) => organization && { organization },
  ...fault
}: When<[call: Call, status: number]> & {
  readonly carried?: (call: Call) => object | undefined;
}): FaultEntry {
  return {
    ...fault,
    ...changingAnswers((answer, call, { store }) => {
      const { status, body } = answer;
      const isRefused = status === 401 || status === 403;
      if (!call || !isRefused || !isObject(body) || !when(call, status)) return answer;
      const organization = store.organizations.get(call.orgId ?? "");
      return { ...answer, body: { ...body, ...carried({ ...call, organization }) } };
    }),
  };
}
