import { OPERATION_IDS } from "../../../contract/operations.ts";
import {
  bodies,
  goodAnswers,
  lacking,
  profiles,
  revisions,
  SHOWING_REVISIONS,
} from "../../commongrants.ts";
import { type Faults, ownedBy } from "../fault.ts";

/** Faults in the envelope and the shapes of good answers. */
export const ENVELOPE_FAULTS: Faults = ownedBy("commongrants.envelope", {
  "cg-view-without-envelope": {
    title: "Answers a view with the profile itself",
    how: "The handler serializes the entity.",
    ...bodies(["viewOrganization"], ({ data }) => data),
  },
  "cg-envelope-without-status": {
    title: "Leaves `status` out of good answers",
    how: "The status line has it already.",
    ...bodies(OPERATION_IDS, lacking("status")),
  },
  "cg-envelope-status-text": {
    title: "Answers with `status` as a text",
    how: "The member is declared as a string.",
    ...bodies(OPERATION_IDS, (body) => ({ ...body, status: String(body["status"]) })),
  },
  "cg-envelope-status-of-another": {
    title: "Answers a submission 202, with the status 200 in the body",
    how: "The envelope has a default, and only the response was changed.",
    ...bodies(["submitChange"], (body) => ({ ...body, status: 200 })),
  },
  "cg-envelope-without-message": {
    title: "Leaves `message` out of good answers",
    how: "A message was thought to be for errors alone.",
    ...bodies(OPERATION_IDS, lacking("message")),
  },
  "cg-envelope-message-null": {
    title: "Answers with null for `message`",
    how: "The member is there, and nobody sets it.",
    ...bodies(OPERATION_IDS, (body) => ({ ...body, message: null })),
  },
  "cg-list-of-results": {
    title: "Lists organizations under `results`",
    how: "The framework's own pagination is used.",
    ...bodies(["listOrganizations"], ({ items, ...body }) => ({ ...body, results: items })),
  },
  "cg-feed-of-changes": {
    title: "Lists changes under `changes`",
    how: "The collection is named by what it holds.",
    ...bodies(["readChangesFeed"], ({ items, ...body }) => ({ ...body, changes: items })),
  },
  "cg-info-renamed": {
    title: "Answers lists with `pagination` in place of `paginationInfo`",
    how: "The older name is used.",
    ...bodies(["listOrganizations", "readChangesFeed"], ({ paginationInfo, ...body }) => ({
      ...body,
      pagination: paginationInfo,
    })),
  },
  "cg-edit-204": {
    title: "Answers an edit 204",
    how: "The framework answers a PATCH so.",
    ...goodAnswers(["editOrganization"], () => ({ status: 204 })),
  },
  "cg-edit-201": {
    title: "Answers an edit 201",
    how: "A revision is created, after all.",
    ...goodAnswers(["editOrganization"], (answer) => ({
      ...answer,
      status: 201,
      body: { ...(answer.body as object), status: 201 },
    })),
  },
  "cg-submission-200": {
    title: "Answers a submission 200",
    how: "The status is that of an edit, whose handler it shares.",
    ...goodAnswers(["submitChange"], (answer) => ({
      ...answer,
      status: 200,
      body: { ...(answer.body as object), status: 200 },
    })),
  },
  "cg-submission-201": {
    title: "Answers a submission 201",
    how: "The framework answers a POST so.",
    ...goodAnswers(["submitChange"], (answer) => ({
      ...answer,
      status: 201,
      body: { ...(answer.body as object), status: 201 },
    })),
  },
  "cg-change-in-array": {
    title: "Answers with one change in an array",
    how: "The query returns rows, and all of them are sent.",
    ...bodies(["readChange"], ({ data, ...body }) => ({ ...body, data: [data] })),
  },
  "cg-profile-without-name": {
    title: "Shows profiles without their name",
    how: "The member is called legalName there.",
    ...profiles(({ name, ...profile }) => ({ ...profile, legalName: name })),
  },
  "cg-profile-socials-array": {
    title: "Shows the social links of a profile as an array",
    how: "The table of links is sent as it is.",
    ...profiles((profile) => ({
      ...profile,
      socials: Object.entries(profile["socials"] ?? {}).map(([kind, link]) => ({
        kind,
        link,
      })),
    })),
  },
  "cg-revision-without-modified": {
    title: "Shows revisions without `lastModifiedAt`",
    how: "A revision is never modified, it was thought.",
    ...revisions(lacking("lastModifiedAt")),
  },
  "cg-revision-without-id": {
    title: "Answers a submission with a revision without an id",
    how: "The id is given when a worker stores it.",
    ...revisions(lacking("id"), ["submitChange"]),
  },
  "cg-revision-status-text": {
    title: "Shows the status of a revision as a text",
    how: "The status is an enumeration in the code.",
    ...revisions((revision) => ({
      ...revision,
      status: (revision["status"] as { value?: unknown }).value,
    })),
  },
  "cg-snapshot-text": {
    title: "Shows a snapshot as a text of JSON",
    how: "The column has text, and nobody parses it.",
    ...revisions((revision) =>
      revision["snapshot"] === undefined
        ? revision
        : { ...revision, snapshot: JSON.stringify(revision["snapshot"]) },
    ),
  },
  "cg-source-object": {
    title: "Shows the source of a revision as an object",
    how: "The source is a record with an id and a name.",
    ...revisions(
      (revision) => ({ ...revision, source: { id: 1, name: revision["source"] } }),
      [...SHOWING_REVISIONS],
    ),
  },
});
