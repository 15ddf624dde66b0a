import { describe, expect, test } from "vitest";

import { leavesOf, restoringBody } from "../../src/probe/write/restore.ts";

const asked = "3f6c1d52-8a0e-4b7d-9c41-5e2a7f90b813";
const JSON_TYPE = "application/json";
const MERGE = "application/merge-patch+json";
const restoring = (body: unknown, view: unknown, contentType = JSON_TYPE): unknown =>
  restoringBody(body, contentType, { body: view, profile: {}, asked });

describe("members are restored to the values that were seen", () => {
  test.each(
    Object.entries<[unknown, unknown, unknown]>({
      "of a bare view": [{ mission: "${unique}" }, { id: asked, mission: "m" }, { mission: "m" }],
      "of a wrapped view": [
        { mission: "${unique}" },
        { data: { id: asked, mission: "m" } },
        { mission: "m" },
      ],
      "of a wrapped body": [
        { organization: { mission: "${unique}" } },
        { id: asked, mission: "m" },
        { organization: { mission: "m" } },
      ],
      "of a nested member": [
        { socials: { website: "https://${unique}", fax: null } },
        { id: asked, socials: { website: "w", fax: "f" } },
        { socials: { website: "w", fax: "f" } },
      ],
      "of JSON:API": [
        { data: { type: "orgs", attributes: { mission: "${unique}" } } },
        { data: { type: "orgs", id: asked, attributes: { mission: "m" } } },
        { data: { type: "orgs", attributes: { mission: "m" } } },
      ],
      "of a body that is text": [
        '{"mission":"${unique}"}',
        { id: asked, mission: "m" },
        { mission: "m" },
      ],
      "beside members that were never seen": [
        { reason: "a test", mission: "${unique}" },
        { id: asked, mission: "m" },
        { reason: "a test", mission: "m" },
      ],
      "beside a member that was not seen": [
        { motto: "${unique}", mission: "${unique}" },
        { id: asked, mission: "m" },
        { mission: "m" },
      ],
    }),
  )("%s", (_what, [body, view, expected]) => {
    expect(restoring(body, view)).toEqual(expected);
  });

  test("a merge patch removes members that did not exist", () => {
    expect(restoring({ motto: "${unique}" }, { id: asked }, MERGE)).toEqual({ motto: null });
    expect(restoring({ motto: "${unique}" }, { id: asked })).toBeUndefined();
  });
});

test("a body that is not an object has no members", () => {
  expect(leavesOf([{ op: "replace", path: "/mission", value: "${unique}" }])).toEqual([]);
  expect(leavesOf("mission=${unique}")).toEqual([]);
  expect(leavesOf({ a: { b: [1], c: "x" } }).map(({ path }) => path)).toEqual([
    ["a", "b"],
    ["a", "c"],
  ]);
});
