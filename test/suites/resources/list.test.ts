import { expect, test } from "vitest";

import type { Patch } from "../../../src/reference/steps.ts";
import { rule } from "../../../suites/resources/list.ts";
import { type Answer, OTHER, PRIMARY, refusal, runTiny } from "../../engine/tiny.ts";
import { runAgainstReference } from "../../support/run-against.ts";
import { runCases } from "../support.ts";
import { outcomes } from "./support.ts";

/** The outcome of each case of the rule with a receiver that answers so for its list. */
async function outcomesOf(list: (isBound: boolean) => Answer): Promise<Record<string, string>> {
  const { results } = await runTiny([rule], {
    behaviour: ({ operation, claims }) =>
      operation === "listOrganizations" && claims
        ? list(Object.hasOwn(claims, "https://example.com/org_id"))
        : undefined,
  });
  return Object.fromEntries(results.map(({ id, outcome }) => [id.split(/[/@]/)[1], outcome]));
}

const items = [{ id: OTHER }];

test.each<[string, Omit<Answer, "status">, string]>([
  ["is not told to go on", { body: { items } }, "warn"],
  [
    "shows all that it counts",
    { body: { items, info: { page: 1, pageSize: 9, totalItems: 1 } } },
    "warn",
  ],
  [
    "counts more than it shows",
    { body: { items, info: { page: 1, pageSize: 9, totalItems: 99 } } },
    "observed",
  ],
  [
    "has more pages",
    { body: { items, info: { page: 1, pageSize: 1, totalPages: 99 } } },
    "observed",
  ],
  ["has as many items as a page", { body: { items, info: { page: 1, pageSize: 1 } } }, "observed"],
  [
    "has a link to the next page",
    { body: { items }, headers: { link: '</x>; rel="next"' } },
    "observed",
  ],
  ["names a next page", { body: { items, links: { next: "/x" } } }, "observed"],
  ["has no next page", { body: { items, links: { next: null } } }, "warn"],
])("an organization is missing in a list only if that is whole: one that %s", async (...row) => {
  const [, answer, outcome] = row;
  expect(await outcomesOf(() => ({ status: 200, ...answer }))).toMatchObject({
    ids: "pass",
    primary: outcome,
    other: "pass",
  });
});

test.each([
  [
    "a record that wraps it",
    { id: "9a8b7c6d-0000-4000-8000-000000000001", organization: { id: OTHER } },
    "pass",
  ],
  ["another organization that names it", { id: PRIMARY, organization: { id: OTHER } }, "warn"],
])("an organization is listed by its own record: %s", async (_what, item, outcome) => {
  const body = { items: [{ id: PRIMARY }, item] };
  expect(await outcomesOf(() => ({ status: 200, body }))).toMatchObject({
    primary: "pass",
    other: outcome,
  });
});

test.each([
  ["that has only a number", 7, "fail"],
  ["of a record around it", undefined, "pass"],
])(
  "an organization that a bound token lists needs an id of its own: one %s",
  async (_what, id, outcome) => {
    const list = (isBound: boolean): Answer => ({
      status: 200,
      body: { items: [isBound ? { id, organization: { id: OTHER } } : { id: PRIMARY }] },
    });
    expect(await outcomesOf(list)).toMatchObject({ bound: outcome });
  },
);

/** What comes of records that are listed together. */
async function ofRecords(...shown: readonly unknown[]): Promise<string | undefined> {
  const found = await outcomesOf(() => ({ status: 200, body: { items: shown } }));
  return found["once"];
}

test("an organization is listed twice only if all its members are the same", async () => {
  const record = { id: PRIMARY, role: "editor" };
  expect(await ofRecords(record, { role: "editor", id: PRIMARY })).toBe("warn");
  expect(await ofRecords(record, { ...record, role: "owner" })).toBe("pass");
});

/** What comes of a list in pages of two, where so many organizations are added at its start before each answer. */
async function ofPages(
  added: (answers: number) => number,
  ids: readonly string[],
): Promise<string | undefined> {
  let answers = 0;
  const { results } = await runTiny([rule], {
    patterns: ["resources.list/once@*"],
    behaviour({ operation, path, claims }) {
      if (operation !== "listOrganizations" && !path.startsWith("/orgs?")) return undefined;
      if (!claims) return refusal(401);
      const page = Number(/page=(\d+)/.exec(path)?.[1] ?? 1);
      const more = Array.from({ length: added(++answers) }, (_, at) => serial(at)).toReversed();
      const all = [...more, ...ids].map((id) => ({ id }));
      const info = {
        page,
        pageSize: 2,
        totalItems: all.length,
        totalPages: Math.ceil(all.length / 2),
      };
      return { status: 200, body: { items: all.slice(2 * page - 2, 2 * page), info } };
    },
  });
  return results[0]?.outcome;
}

function serial(at: number): string {
  return `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
}

test("an organization that moves to the next page while a list is read is not listed twice", async () => {
  expect(await ofPages((answers) => answers, [PRIMARY, OTHER])).toBe("observed");
  expect(await ofPages(() => 2, [PRIMARY, OTHER])).toBe("pass");
  expect(await ofPages(() => 1, [PRIMARY, PRIMARY])).toBe("warn");
  expect(await ofPages((answers) => answers, [PRIMARY, PRIMARY])).toBe("observed");
});

/** What comes of the ids where an unbound token is shown nothing, and a bound one these items. */
async function ofIds(...shown: readonly unknown[]): Promise<string | undefined> {
  const found = await outcomesOf((isBound) => ({
    status: 200,
    body: { items: isBound ? shown : [] },
  }));
  return found["ids"];
}

test("where an unbound token is shown nothing, ids are those that a bound one is shown", async () => {
  expect(await ofIds({ id: PRIMARY })).toBe("pass");
  expect(await ofIds({ id: 7, uuid: PRIMARY })).toBe("fail");
  expect(await ofIds()).toBe("inconclusive");
});

test("what the list shows a bound token has ids too", async () => {
  const nameless: Patch = {
    listOrganizations: (original) => (call) => {
      const answer = original(call);
      const { items: whole, ...page } = answer.body as { items: readonly { name: string }[] };
      const bound = Object.hasOwn(call.claims, call.receiver.bindingClaim);
      return {
        ...answer,
        body: { ...page, items: bound ? whole.map(({ name }) => ({ name })) : whole },
      };
    },
  };
  const ran = await runCases("resources.list", { patches: [nameless] });
  expect(outcomes(ran, "resources.list/")).toMatchObject({
    "ids@listOrganizations": "pass",
    "bound@listOrganizations": "fail",
  });
});

test("an organization that is not on the first page of a long list is not reported as missing", async () => {
  const options = {
    patterns: ["resources.list"],
    profile: { organizations: { other: "5eedc0de-0000-4000-8000-000000000400" } },
  };
  const ran = await runAgainstReference({ organizations: 2000 }, options);
  expect(outcomes(ran, "resources.list/")).toEqual({
    "ids@listOrganizations": "pass",
    "bound@listOrganizations": "pass",
    "primary@listOrganizations": "pass",
    "once@listOrganizations": "pass",
    "other@listOrganizations": "observed",
  });
  const few = await runAgainstReference({ organizations: 300 }, options);
  expect(outcomes(few, "resources.list/")["other@listOrganizations"]).toBe("warn");
});
