import { isUuid } from "../../contract/uuid.ts";
import { isObject, mapTexts } from "../../lib/json.ts";
import type { Page } from "../model.ts";
import { UNPAGINATED } from "../patches.ts";
import type { Patch } from "../steps.ts";
import type { Change } from "../store.ts";
import { type Variants, without } from "./variant.ts";

/** All profile keys that state where something is in an answer. */
export const POINTERS: readonly string[] = ["items", "pagination", "organization", "id"];

/** Freedoms in the shape of answers. The profile states none of them, so the suite must find the data itself. */
export const SHAPE_VARIANTS: Variants = {
  "bare-bodies": {
    title: "A list is a bare array, and a single resource a bare object; nothing is paginated",
    uses: ["envelope", "pages"],
    ...shaping(
      ({ items }) => items,
      (data) => data,
    ),
    ...UNPAGINATED,
    describe: (profile) =>
      without(profile, ["paginated", "items", "pagination", "organization", "id"]),
  },
  "json-api": {
    title: "Answers are JSON:API documents",
    uses: ["envelope"],
    ...shaping(
      ({ items, paginationInfo }) => ({
        links: { self: "/", next: null },
        data: items.map(resource),
        meta: paginationInfo,
        included: [{ type: "registry", id: "00000000-0000-4000-8000-000000000000" }],
      }),
      (data) => ({ data: resource(data) }),
    ),
    describe: (profile) => without(profile, POINTERS),
  },
  hal: {
    title: "Answers are HAL, and the id of a change is only in its link",
    uses: ["envelope"],
    ...shaping(
      ({ items, paginationInfo }) => ({
        _links: { curies: [{ name: "o", href: "/rels/{rel}" }] },
        ...paginationInfo,
        _embedded: { "o:entries": items.map(linked) },
      }),
      linked,
    ),
    describe: (profile) => without(profile, POINTERS),
  },
  edges: {
    title: "Answers have the edges and nodes of GraphQL connections",
    uses: ["envelope"],
    ...shaping(
      ({ items, paginationInfo }) => ({
        data: { connection: { edges: items.map((node) => ({ cursor: "c", node })) } },
        pageInfo: paginationInfo,
      }),
      (node) => ({ data: { node } }),
    ),
    describe: (profile) => without(profile, POINTERS),
  },
  "wrapped-items": {
    title: "Each resource is wrapped in its own name, in lists too, beside an id of the answer",
    uses: ["envelope"],
    ...shaping(
      ({ items, paginationInfo }) => ({
        requestId: "req-1",
        results: items.map(named),
        paginationInfo,
      }),
      (data) => ({ id: "9d7d0c52-0a5e-4a0e-9a34-0d6b3c5f1e77", ...named(data) }),
    ),
    describe: (profile) => without(profile, POINTERS),
  },
  "upper-case-uuids": {
    title: "UUIDs are written in upper case",
    shape: (original) => (content) =>
      mapTexts(original(content), (text) => (isUuid(text) ? text.toUpperCase() : text)),
    readChange: (original) => (call) =>
      original({ ...call, changeId: call.changeId?.toLowerCase() }),
  },
  "escaped-json": {
    title: "Every character of a JSON string is escaped",
    encode: (original) => (answer) => {
      const wire = original(answer);
      const { payload, headers } = wire;
      const isJson = typeof payload === "string" && /json/.test(headers["content-type"] ?? "");
      return isJson ? { ...wire, payload: escaped(payload) } : wire;
    },
  },
  "volatile-members": {
    title: "Every answer, and every organization and change in it, contains a counter",
    shape: (original) => {
      let made = 0;
      const counted = (thing: unknown): unknown =>
        isObject(thing) ? { ...thing, shownAs: (made += 1) } : thing;
      return (content) =>
        counted(
          original(
            "data" in content
              ? { data: counted(content.data) }
              : { ...content, items: content.items.map(counted) },
          ),
        );
    },
  },
  "deep-envelope": {
    title: "One resource is wrapped in four objects",
    uses: ["envelope"],
    ...shaping(
      (page) => page,
      (record) => ({ envelope: { body: { response: { record } } } }),
    ),
    describe: (profile) => without(profile, ["organization", "id"]),
  },
  "items-among-others": {
    title: "The list has its own name, beside other arrays of objects",
    uses: ["envelope"],
    ...shaping(({ items, paginationInfo }) => ({
      trail: [{ label: "Home", href: "/" }, { label: "All" }, { label: "Here" }],
      grantees: items,
      paging: paginationInfo,
    })),
    describe: (profile) => without(profile, ["items", "pagination"]),
  },
  "feed-split": {
    title: "The feed has patches and snapshots in two arrays",
    uses: ["envelope"],
    readChangesFeed: (original) => (call) => {
      const { items, ...rest } = original(call).body as { items: Change[] };
      const snapshots = items.filter(({ snapshot }) => snapshot);
      const patches = items.filter(({ snapshot }) => !snapshot);
      return { status: 200, body: { patches, snapshots, ...rest } };
    },
    describe: (profile) => without(profile, ["items"], "readChangesFeed"),
  },
  "feed-of-ids": {
    title: "The feed lists only ids",
    uses: ["envelope"],
    ...shaping((page) => ({
      ...page,
      items: page.items.map((item) => (isObject(item) && isChange(item) ? item["id"] : item)),
    })),
  },
};

/** A JSON text with every character of its strings as an escape, RFC 8259 section 7. */
function escaped(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"/g, (string) => {
    const bytes = Buffer.from(JSON.parse(string) as string, "utf16le").swap16();
    const codes = bytes.toString("hex").match(/.{4}/g) ?? [];
    return `"${codes.map((code) => `\\u${code}`).join("")}"`;
  });
}

/**
 * Makes answers of lists and of single resources.
 * @param one default: as the receiver does
 */
export function shaping(
  list: (page: Page<unknown>) => unknown,
  one: (data: unknown) => unknown = (data) => ({ data }),
): Patch {
  return {
    shape: () => (content) => ("data" in content ? one(content.data) : list(content)),
  };
}

function resource(data: unknown): unknown {
  if (!isObject(data)) return data;
  const { id, ...attributes } = data;
  return { type: isChange(data) ? "changes" : "orgs", id: String(id), attributes };
}

function linked(data: unknown): unknown {
  if (!isObject(data) || !isChange(data)) return data;
  const { id, ...rest } = data;
  return { _links: { self: { href: `/changes/${String(id)}` } }, ...rest };
}

function named(data: unknown): Record<string, unknown> {
  return isObject(data) && isChange(data) ? { change: data } : { organization: data };
}

export function isChange(data: Readonly<Record<string, unknown>>): boolean {
  return Object.hasOwn(data, "patch");
}
