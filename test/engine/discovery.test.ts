import { describe, expect, test } from "vitest";

import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { type Answer, type Behaviour, OTHER, PRIMARY, refusal, refusing, runTiny } from "./tiny.ts";

const ALL = [refusing(OPERATION_IDS)];

/** Answers the good requests of one operation with a body. */
function saying(operation: string, body: unknown, headers = {}): Behaviour {
  return (call) =>
    call.operation === operation && call.claims && !call.isBad
      ? { status: 200, body, headers }
      : undefined;
}

describe("with a base URL alone", () => {
  const alone = { organizations: {}, writes: false, operations: {} };

  test("the run takes the organizations from the list, and writes nothing", async () => {
    const { outcomes, calls } = await runTiny(ALL, { profile: alone });
    expect(outcomes).toEqual({
      "tiny.refusing/bad@listOrganizations": "pass",
      "tiny.refusing/bad@viewOrganization": "pass",
      "tiny.refusing/bad@editOrganization": "not-provisioned",
      "tiny.refusing/bad@submitChange": "not-provisioned",
      "tiny.refusing/bad@readChangesFeed": "pass",
      "tiny.refusing/bad@readChange": "pass",
    });
    const asked = calls.map(({ organization }) => organization).filter(Boolean);
    expect(new Set(asked)).toEqual(new Set([PRIMARY]));
  });

  test.each<[string, unknown]>([
    ["a bare array", [{ id: PRIMARY }]],
    ["a nested array", { data: { items: [{ organization: { id: PRIMARY } }] } }],
    ["a list with other things", { warnings: ["a"], items: [{ id: 7 }, { id: PRIMARY }] }],
  ])("the organizations are found in %s", async (_what, body) => {
    const { calls } = await runTiny(ALL, {
      behaviour: saying("listOrganizations", body),
      profile: alone,
    });
    expect(calls.some(({ organization }) => organization === PRIMARY)).toBe(true);
  });

  test.each<[string, unknown]>([
    ["an empty list", []],
    ["a body without a list", { hello: "world" }],
    ["a list of other things", [{ id: "one" }, 2, null]],
    ["a list of ids that contain paths", [{ id: "../../admin" }]],
    ["a body that is not JSON", undefined],
  ])("%s leads to no requests, and the missing key is named", async (_what, body) => {
    const { results, calls } = await runTiny(ALL, {
      behaviour: saying("listOrganizations", body),
      profile: alone,
    });
    expect(results.map(({ outcome }) => outcome)).toEqual([
      "pass",
      ...Array.from({ length: 5 }, () => "not-provisioned"),
    ]);
    expect(results[1]?.missing).toEqual(["organizations.primary"]);
    expect(results[2]?.missing).toEqual(["writes", "organizations.primary"]);
    expect(calls.every(({ path }) => path === "/orgs")).toBe(true);
  });

  test("an organization that the profile denies is not used", async () => {
    const { calls } = await runTiny(ALL, {
      profile: { ...alone, denied: { organization: PRIMARY } },
    });
    const asked = calls.map(({ organization }) => organization).filter(Boolean);
    expect(new Set(asked)).toEqual(new Set([OTHER]));
  });
});

const changeIdsRead = async (
  behaviour: Behaviour,
  profile: Record<string, unknown> = {},
): Promise<(string | undefined)[]> => {
  const { calls } = await runTiny([refusing(["readChange"])], { behaviour, profile });
  return [
    ...new Set(
      calls
        .filter(({ operation }) => operation === "readChange")
        .map(({ path }) => path.split("/")[4]),
    ),
  ];
};

describe("a change to read is found", () => {
  test("in the profile first", async () => {
    const operations = { readChange: { changeId: "known" } };
    expect((await changeIdsRead(() => undefined, { operations }))[0]).toBe("known");
  });

  test("in the feed", async () => {
    expect(await changeIdsRead(saying("readChangesFeed", [{ id: "from the/feed" }]))).toEqual([
      "from%20the%2Ffeed",
    ]);
  });

  test.each<[string, unknown, Record<string, string>]>([
    ["in the answer to a submission", { mutation: { id: 17 } }, {}],
    ["in its Location", {}, { location: "/base/orgs/x/changes/17" }],
    [
      "in its absolute Location",
      {},
      { location: "https://elsewhere.example/orgs/x/changes/17?a=b" },
    ],
  ])("%s", async (_what, body, headers) => {
    const submission = saying("submitChange", body, headers);
    const feed = saying("readChangesFeed", []);
    const ids = await changeIdsRead(
      async (call) => (await answer(submission, call)) ?? answer(feed, call),
    );
    expect(ids).toEqual(["17"]);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ["the first", ["c1", "gone-1"], ["c1"]],
    ["the third", ["gone-1", "gone-2", "c1"], ["gone-1", "gone-2", "c1"]],
    [
      "the fourth, which is not tried",
      ["gone-1", "gone-2", "gone-3", "c1"],
      ["gone-1", "gone-2", "gone-3"],
    ],
  ])("by trying those in the feed until one is readable: %s", async (_what, listed, tried) => {
    const feed = saying(
      "readChangesFeed",
      listed.map((id) => ({ id })),
    );
    const ids = await changeIdsRead(
      (call) => (call.path.includes("/gone-") ? refusal(404) : answer(feed, call)),
      // A change that the suite submits could be read too.
      { writes: false },
    );
    expect(ids).toEqual(tried);
  });

  test("or the missing profile key is named", async () => {
    const { results } = await runTiny([refusing(["readChange"])], {
      behaviour: saying("readChangesFeed", []),
      profile: { writes: false },
    });
    expect(results[0]).toMatchObject({
      outcome: "not-provisioned",
      missing: ["operations.readChange.changeId"],
    });
  });

  test.each<[string, unknown]>([
    ["half a character", [{ id: "\ud800" }]],
    ["megabytes", [{ id: "x".repeat(1_000_000) }]],
    ["a path to a parent", [{ id: "../.." }]],
    ["nothing", [{ id: "" }, { id: null }, { id: {} }, 5]],
    ["deeply nested lists", JSON.parse("[".repeat(300) + "]".repeat(300))],
  ])("although the feed names %s", async (_what, body) => {
    const { finished } = await runTiny([refusing(["readChange", "readChangesFeed"])], {
      behaviour: saying("readChangesFeed", body),
      profile: { writes: false },
    });
    expect(finished.suiteErrors).toEqual([]);
  });
});

async function answer(
  behaviour: Behaviour,
  call: Parameters<Behaviour>[0],
): Promise<Answer | undefined> {
  const found = await behaviour(call);
  return found === "hang" ? undefined : found;
}

describe("a feed whose changes have no usual id", () => {
  const wordless = { operations: { readChange: {}, submitChange: false } };
  const feed = saying("readChangesFeed", { items: [{ sequence: 7, patch: {} }] });
  const readBy =
    (id: string | undefined): Behaviour =>
    (call) => {
      if (call.operation !== "readChange" || !call.claims || call.isBad) return feed(call);
      return call.path.endsWith(`/changes/${id}`) ? { status: 200, body: {} } : refusal(404);
    };

  test.each([
    ["a value that a read accepts is one", "7", "pass"],
    ["a value that no read accepts says nothing", undefined, "not-provisioned"],
  ])("%s", async (_what, id, outcome) => {
    const { outcomes } = await runTiny(ALL, { profile: wordless, behaviour: readBy(id) });
    expect(outcomes["tiny.refusing/bad@readChange"]).toBe(outcome);
  });
});
