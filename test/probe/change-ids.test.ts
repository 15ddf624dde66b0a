import { describe, expect, test } from "vitest";

import type { Reply } from "../../src/http/exchange.ts";
import { parseJson } from "../../src/lib/json.ts";
import {
  changeIds,
  likelyChangeIds,
  listedChanges,
  mentionsId,
  sameId,
  submittedChangeIds,
} from "../../src/probe/read/change-ids.ts";
import { exactJson } from "../../src/probe/read/shapes.ts";

const ORGANIZATION = "3f6c1d52-8a0e-4b7d-9c41-5e2a7f90b813";
const ids = (value: unknown): string[] => changeIds(value, ORGANIZATION).map(({ id }) => id);

describe("the ids of a change are found in", () => {
  test.each<[string, unknown, string[]]>([
    ["a record", { id: "c-1", patch: { id: "not this" } }, ["c-1"]],
    ["a record with a number", { id: 17 }, ["17"]],
    ["a record with another name for the id", { id: 90, changeId: "c-1" }, ["c-1", "90"]],
    ["an envelope", { data: { id: "c-1" } }, ["c-1"]],
    ["an envelope with its own id", { id: "req-1", change: { id: "c-1" } }, ["req-1", "c-1"]],
    ["an edge", { cursor: "x", node: { id: "c-1" } }, ["c-1"]],
    ["a member for the kind of change", { snapshot: { id: "c-1" } }, ["c-1"]],
    ["HAL", { _links: { self: { href: "/v1/orgs/o/changes/c-1" } }, status: "x" }, ["c-1"]],
    ["JSON:API", { type: "changes", id: "c-1", links: { self: "/changes/c-1?x=1" } }, ["c-1"]],
    ["a text", "c-1", ["c-1"]],
    ["a URL", "https://x/orgs/o/changes/c%201", ["c 1", "https://x/orgs/o/changes/c%201"]],
    ["an id that is a URL", { id: "/orgs/o/changes/c-1" }, ["c-1", "/orgs/o/changes/c-1"]],
    ["a number", 17, ["17"]],
    ["an array of one", [{ id: "c-1" }], ["c-1"]],
  ])("%s", (_shape, value, expected) => {
    expect(ids(value)).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ["a number that JSON.parse has rounded", JSON.parse('{"id":9007199254740993}')],
    ["the snapshot of an organization", { id: ORGANIZATION.toUpperCase(), name: "x" }],
    ["a snapshot beside other members", { at: "2026", snapshot: { id: "o-1" } }],
    ["an empty id", { id: "" }],
    ["a number under another name", { number: 4 }],
  ])("not in %s", (_shape, value) => {
    expect(ids(value)).toEqual([]);
  });
});

test("values that may be ids are found beside those that cannot be", () => {
  const record = { sequence: 7, orgId: ORGANIZATION, status: "x", revision_no: "r-1", at: 4 };
  expect(likelyChangeIds({ data: record }, ORGANIZATION)).toEqual(["7", "r-1"]);
  expect(likelyChangeIds({ data: { at: 4, patch: { key: "k" } } }, ORGANIZATION)).toEqual([]);
});

const answer = (body: string): Pick<Reply, "json" | "body"> => ({
  body,
  json: () => parseJson(body),
});

test("changes of a feed without an id are left out", () => {
  const body = { items: [{ id: 1 }, { at: "x" }, { id: 2 }] };
  const listed = listedChanges(answer(JSON.stringify(body)), {}, ORGANIZATION);
  expect(listed?.map((change) => change.ids[0]?.id)).toEqual(["1", "2"]);
  expect(listedChanges(answer('{"total":0}'), {}, ORGANIZATION)).toBeUndefined();
});

test("an id that is an integer beyond 2^53 is read digit by digit", () => {
  const [even, odd] = ["9007199254740992", "9007199254740993"];
  const feed = answer(`{"items":[{"id":${even}},{"id":${odd}},{"id":-${odd}},{"id":"${odd}"}]}`);
  const listed = listedChanges(feed, {}, ORGANIZATION);
  expect(listed?.map((change) => change.ids[0]?.id)).toEqual([even, odd, `-${odd}`, odd]);
  const at = answer(`{"note":"\\"id\\":${even}\\\\","id":${odd},"rate":${odd}.5}`);
  const exchange = { request: { url: "https://a.example/orgs/o/changes" } };
  const submitted = submittedChangeIds({ ...at, headers: {}, exchange }, {}, ORGANIZATION);
  expect(submitted).toEqual([{ id: odd, at: "/id" }]);
  expect(exactJson(at)).toMatchObject({ rate: Number(`${odd}.5`) });
});

function found(body: unknown, location?: string, id?: string): string[] {
  const headers = { ...(location !== undefined && { location }) };
  const exchange = { request: { url: "https://a.example/x/orgs/o/changes" } };
  const reply = { ...answer(JSON.stringify(body) ?? ""), headers, exchange };
  return submittedChangeIds(reply, { id }, ORGANIZATION).map((one) => `${one.id} at ${one.at}`);
}

describe("the ids of a submission come from", () => {
  test.each(
    Object.entries<[unknown, string | undefined, string | undefined, string[]]>({
      "the place in the profile": [{ a: { key: 5 }, id: 6 }, undefined, "/a/key", ["5 at /a/key"]],
      "an absolute Location": [
        undefined,
        "https://a.example/x/changes/c%2F1",
        undefined,
        ["c/1 at Location"],
      ],
      "a relative Location": [undefined, "changes/../changes/17/", undefined, ["17 at Location"]],
      "a Location beside the request": [undefined, "changes/c-1", undefined, ["c-1 at Location"]],
      "a Location below the host": [undefined, "/changes/c-1?v=1", undefined, ["c-1 at Location"]],
      "nothing in an invalid Location": [undefined, "http://", undefined, []],
      "its body": [{ data: { id: "c-1" } }, undefined, undefined, ["c-1 at /data/id"]],
      both: [{ id: 1 }, "/orgs/o/changes/1", undefined, ["1 at Location", "1 at /id"]],
      "its body, if Location leads elsewhere": [{ id: 1 }, "/jobs/9", undefined, ["1 at /id"]],
      "its body, if Location leads further": [
        { id: 1 },
        "/changes/1/status",
        undefined,
        ["1 at /id"],
      ],
      nothing: [undefined, undefined, undefined, []],
      "nothing in a text": ["accepted", undefined, undefined, []],
    }),
  )("%s", (_what, [body, location, id, expected]) => {
    expect(found(body, location, id)).toEqual(expected);
  });
});

test("an id is found only as a whole value", () => {
  const body = { reference: "CHG-17", nested: [{ number: 18 }] };
  expect(mentionsId(body, "CHG-17")).toBe(true);
  expect(mentionsId(body, "18")).toBe(true);
  expect(mentionsId(body, "17")).toBe(false);
});

test("UUIDs are compared without regard to case, other ids exactly", () => {
  expect(sameId(ORGANIZATION, ORGANIZATION.toUpperCase())).toBe(true);
  expect(sameId("abc", "ABC")).toBe(false);
  expect(sameId("abc", undefined)).toBe(false);
});
