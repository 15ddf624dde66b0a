import { OPERATION_IDS } from "../../../contract/operations.ts";
import { isUuid } from "../../../contract/uuid.ts";
import { isObject, mapTexts } from "../../../lib/json.ts";
import { bodies, goodAnswers, lacking, profiles, revisions } from "../../commongrants.ts";
import type { Variants } from "../variant.ts";

/** Freedoms in what good answers show. */
export const ANSWER_VARIANTS: Variants = {
  "cg-extra-members": {
    title: "Envelopes, profiles and revisions have members that nobody published",
    ...bodies(OPERATION_IDS, (body) =>
      mapObjects({ ...body, requestId: "req-1", links: { self: "/" } }, (one) =>
        Object.hasOwn(one, "id") || Object.hasOwn(one, "patch")
          ? { ...one, kind: "x", tags: ["a"] }
          : one,
      ),
    ),
  },
  "cg-message-empty": {
    title: "`message` is an empty text",
    ...bodies(OPERATION_IDS, (body) => ({ ...body, message: "" })),
  },
  "cg-optional-absent": {
    title: "Revisions have neither source nor patch nor snapshot",
    ...revisions(lacking("source", "patch", "snapshot")),
  },
  "cg-no-snapshots": { title: "Revisions have no snapshot", ...revisions(lacking("snapshot")) },
  "cg-optional-null": {
    title: "Optional members without a value are null",
    ...profiles((profile) => ({
      mission: null,
      yearFounded: null,
      emails: null,
      addresses: null,
      phones: null,
      orgType: null,
      customFields: null,
      ...profile,
    })),
  },
  "cg-status-described": {
    title: "A status has a description, and a custom value that is null",
    ...revisions((revision) => ({
      ...revision,
      status: {
        ...(revision["status"] as object),
        customValue: null,
        description: "As it stands.",
      },
    })),
  },
  "cg-uuids-upper-case": {
    title: "UUIDs are in upper case",
    ...bodies(OPERATION_IDS, (body) =>
      mapTexts(body, (text) => (isUuid(text) ? text.toUpperCase() : text)),
    ),
    readChange: (original) => (call) =>
      original({ ...call, changeId: call.changeId?.toLowerCase() }),
  },
  "cg-location-relative": {
    title: "Location of a submission is a path",
    ...goodAnswers(["submitChange"], (answer) => ({
      ...answer,
      headers: {
        ...answer.headers,
        location: new URL(answer.headers?.["location"] ?? "").pathname,
      },
    })),
  },
  "cg-info-short": {
    title: "paginationInfo has no totals",
    ...bodies(["listOrganizations", "readChangesFeed"], ({ paginationInfo, ...body }) => {
      const { page, pageSize } = paginationInfo as Readonly<Record<string, unknown>>;
      return { ...body, paginationInfo: { page, pageSize } };
    }),
  },
  "cg-times-with-offset": {
    title: "Times are in another zone, without fractions of a second",
    ...revisions((revision) => ({
      ...revision,
      createdAt: inZone(revision["createdAt"]),
      lastModifiedAt: inZone(revision["lastModifiedAt"]),
    })),
  },
};

const TWO_HOURS_MS = 7_200_000;

function inZone(time: unknown): string {
  const shifted = new Date(Date.parse(String(time)) + TWO_HOURS_MS).toISOString();
  return `${shifted.slice(0, 19)}+02:00`;
}

function mapObjects(
  value: unknown,
  change: (one: Readonly<Record<string, unknown>>) => unknown,
): unknown {
  if (Array.isArray(value)) return value.map((one) => mapObjects(one, change));
  if (!isObject(value)) return value;
  return change(
    Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapObjects(one, change)])),
  );
}
