import { isObject } from "../../lib/json.ts";
import type { Answer, Call, Steps } from "../model.ts";
import { ownFeed } from "../routes.ts";
import type { Organization } from "../store.ts";
import type { Fault, FaultWords } from "./fault.ts";

/** Faults of refusals that carry what they refuse to show. */
export const DISCLOSURE_FAULTS: readonly Fault[] = [
  carrying("refused-organization-shown", {
    title: "Puts the organization into the answer that refuses it",
    how: "The record is loaded and serialized for the response, and the guard then changes only the status and adds the error.",
    when: (_answer, { operation }) => operation === "viewOrganization",
  }),
  carrying("forged-organization-shown", {
    title: "Puts the organization into the answer to a token that is not valid",
    how: "The error handler dumps the context of the request for debugging, with the record that was loaded by then.",
    when: ({ status }) => status === 401,
  }),
  carrying("refused-edit-shown", {
    title: "Puts the organization into the answer that refuses an edit without org:write",
    how: "The client should be able to show the current state beside the error.",
    when: (_answer, { operation, claims }) =>
      operation === "editOrganization" &&
      /^(?!.*org:write).*org:read/.test(String(claims["scope"])),
  }),
  {
    name: "refused-list-shown",
    title: "Puts the list into the answer that refuses it",
    rule: "receiver.no-disclosure",
    how: "The rows are loaded and rendered in any case, and the guard sets only the status.",
    finish: (original) => (answer, receiver, call) =>
      original(
        call?.operation === "listOrganizations" && isRefused(answer)
          ? withMember(answer, "items", [...receiver.store.organizations.values()])
          : answer,
        receiver,
        call,
      ),
  },
  {
    name: "refused-feed-shown",
    title: "Puts the feed into the answer that refuses it",
    rule: "receiver.no-disclosure",
    how: "The controller renders the list in any case, and the guard sets only the status.",
    finish: (original) => (answer, receiver, call) => {
      const organization = receiver.store.organizations.get(call?.orgId ?? "");
      return original(
        call?.operation === "readChangesFeed" && organization && isRefused(answer)
          ? withMember(answer, "items", ownFeed({ ...call, organization }))
          : answer,
        receiver,
        call,
      );
    },
  },
  {
    name: "refused-organization-quoted",
    title: "Puts the organization as text into the answer that refuses it",
    rule: "receiver.no-disclosure",
    how: "The error handler appends the record to a text for debugging, as JSON within a string.",
    finish: telling((answer, organization) =>
      withMember(answer, "detail", `The token does not allow ${JSON.stringify(organization)}`),
    ),
  },
  {
    name: "refused-organization-told",
    title: "Describes the organization in the message that refuses it",
    rule: "receiver.no-disclosure",
    how: "The message is made for the person who has to ask for access.",
    finish: telling((answer, { name, mission }) =>
      withMember(answer, "message", `The token does not allow ${name} (${String(mission)})`),
    ),
  },
];

function telling(
  tell: (answer: Answer, organization: Organization) => Answer,
): (original: Steps["finish"]) => Steps["finish"] {
  return (original) => (answer, receiver, call) => {
    const organization = receiver.store.organizations.get(call?.orgId ?? "");
    return original(
      call?.operation === "viewOrganization" && organization && isRefused(answer)
        ? tell(answer, organization)
        : answer,
      receiver,
      call,
    );
  };
}

interface Carrying extends FaultWords {
  readonly when: (answer: Answer, call: Call) => boolean;
}

function carrying(name: string, { when, ...words }: Carrying): Fault {
  return {
    name,
    rule: "receiver.no-disclosure",
    ...words,
    finish: (original) => (answer, receiver, call) => {
      const organization = receiver.store.organizations.get(call?.orgId ?? "");
      return original(
        call && organization && isRefused(answer) && when(answer, call)
          ? withMember(answer, "organization", organization)
          : answer,
        receiver,
        call,
      );
    },
  };
}

function isRefused({ status }: Answer): boolean {
  return status === 401 || status === 403;
}

function withMember(answer: Answer, name: string, value: unknown): Answer {
  return isObject(answer.body) ? { ...answer, body: { ...answer.body, [name]: value } } : answer;
}
