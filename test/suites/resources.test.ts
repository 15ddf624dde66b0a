import { describe, expect, test } from "vitest";

import { inWords } from "../../src/probe/phrase.ts";
import type { Call } from "../../src/reference/model.ts";
import type { Patch } from "../../src/reference/steps.ts";
import { type Change, OTHER, PRIMARY } from "../../src/reference/store.ts";
import { type Ran, rulesWith, runAgainstReference } from "../support/run-against.ts";

const RESOURCES = ["resources.*"];
const ORIGINAL = "To be kept in step everywhere.";

function observation({ finished }: Ran, id: string): string | undefined {
  const seen = finished.observations.find((one) => one.id === id);
  return seen && inWords(seen.value);
}

/** Outcomes by case, without the given prefix of the ids. */
function outcomes({ results }: Ran, prefix: string): Record<string, string> {
  return Object.fromEntries(
    results
      .filter(({ id }) => id.startsWith(prefix))
      .map(({ id, outcome }) => [id.slice(prefix.length), outcome]),
  );
}

function setOperation(profile: Record<string, unknown>, id: string, value: unknown): void {
  const operations = profile["operations"] as Record<string, unknown>;
  operations[id] = typeof value === "object" ? { ...(operations[id] as object), ...value } : value;
}

/** The observation of what is left behind if edits set a member that did not exist before. */
async function leftBy(contentType: string): Promise<string | undefined> {
  const body = { mission: "${unique}", motto: "${unique}" };
  const ran = await runAgainstReference(
    {},
    {
      patterns: ["routes.*"],
      patienceMs: 0,
      profile: (profile) => setOperation(profile, "editOrganization", { contentType, body }),
    },
  );
  return observation(ran, "resources.edit/left-behind");
}

describe("an edit by the suite", () => {
  test("is reverted, and what cannot be reverted is reported", async () => {
    const ran = await runAgainstReference({}, { patterns: RESOURCES });
    const last = [...ran.exchanges.values()].findLast(
      ({ caseId: sender }) => sender === "resources.edit/set-back",
    );
    expect(last?.request.method).toBe("GET");
    expect(last?.response?.body).toContain(ORIGINAL);
    const left = observation(ran, "resources.edit/left-behind");
    expect(left).toMatch(
      /^edits of [\da-f-]+, 8 in number; submitted changes of [\da-f-]+, 3 in number$/,
    );
    expect(ran.finished.writes).toEqual({ editOrganization: 8, submitChange: 3 });
  });

  test("is reverted whatever was selected", async () => {
    const ran = await runAgainstReference({}, { patterns: ["routes.reachable/editOrganization"] });
    const sent = [...ran.exchanges.values()].filter(({ request }) => request.method === "PATCH");
    expect(sent.at(-1)?.request.body).toBe(JSON.stringify({ mission: ORIGINAL }));
  });

  test("is reported if there was no view before", async () => {
    const ran = await runAgainstReference(
      {},
      {
        patterns: ["routes.*"],
        profile: (profile) => setOperation(profile, "viewOrganization", false),
      },
    );
    expect(observation(ran, "resources.edit/left-behind")).toMatch(
      /^mission of [\da-f-]+, not restored: there was no view of it; /,
    );
  });

  test("is reported if it could not be reverted", async () => {
    // A new member can be removed if the media type has a way to do so.
    expect(await leftBy("application/json")).toMatch(/^motto of [\da-f-]+, not restored; edits/);
    expect(await leftBy("application/merge-patch+json")).toMatch(/^edits/);
  });

  test("that replaces the whole organization is reported, though an earlier one has lost the members", async () => {
    const replacing: Patch = {
      step: "editOrganization",
      patch: (original) => (call) => {
        const { organizations } = call.receiver.store;
        const { id = "" } = call.organization ?? {};
        organizations.set(id, { id, name: "" });
        return original({ ...call, organization: organizations.get(id) });
      },
    };
    const patterns = ["receiver.scope-sufficient", "resources.edit"];
    const ran = await runAgainstReference({ patches: [replacing] }, { patterns });
    expect(observation(ran, "resources.edit/unnamed-members@editOrganization")).toMatch(
      /^lost: .*name/,
    );
    expect(observation(ran, "resources.edit/left-behind")).toMatch(
      /name.* of [\da-f-]+, which no edit named; edits/,
    );
  });

  test("does not exist if writes are not allowed", async () => {
    const ran = await runAgainstReference({}, { patterns: RESOURCES, readOnly: true });
    expect(observation(ran, "resources.edit/left-behind")).toBeUndefined();
    expect(ran.finished.writes).toEqual({});
    expect(outcomes(ran, "resources.")).toMatchObject({
      "list/ids@listOrganizations": "pass",
      "view/other@viewOrganization": "pass",
      "feed/first@readChangesFeed": "pass",
      "change/known@readChange": "pass",
      "change-isolated/bound@readChange": "pass",
      "change-isolated/bound@readChangesFeed": "pass",
    });
    expect(ran.finished.verdict).toBe("partial");
  });
});

test("an internal error shows no change of another organization if it is the answer for every unknown change", async () => {
  const ran = await runAgainstReference(
    { faults: ["unknown-change-500"] },
    { patterns: ["resources.change-isolated/*@readChange"] },
  );
  expect(outcomes(ran, "resources.change-isolated/")).toEqual({
    "bound@readChange": "pass",
    "unbound@readChange": "pass",
    "denied@readChange": "pass",
    "of-other@readChange": "pass",
    "edited@readChange": "pass",
  });
});

test("a change that unbound tokens find by its id alone is a violation where policy denies its organization", async () => {
  const ran = await runAgainstReference(
    { faults: ["change-under-any-organization-unbound"] },
    { patterns: ["resources.change-isolated/*@readChange"] },
  );
  expect(outcomes(ran, "resources.change-isolated/")).toEqual({
    "bound@readChange": "pass",
    "unbound@readChange": "warn",
    "denied@readChange": "fail",
    "of-other@readChange": "pass",
    "edited@readChange": "pass",
  });
});

/** A receiver that finds some changes by their ids alone, whatever organization the path names. */
function findingAnywhere(found: (change: Change, call: Call) => boolean): Patch {
  return {
    step: "readChange",
    patch: (original) => (call) => {
      const changes = [...call.receiver.store.feeds.values()].flat();
      const data = changes.find((one) => one.id === call.changeId && found(one, call));
      return data ? { status: 200, body: call.receiver.steps.shape({ data }) } : original(call);
    },
  };
}

test.each([
  ["an edit", "edited", findingAnywhere(({ status }) => status.value === "accepted")],
  [
    "a change of the other organization",
    "of-other",
    findingAnywhere((_change, { orgId }) => orgId === PRIMARY),
  ],
])("%s that is found by its id alone is a violation by itself", async (_what, id, patch) => {
  const ran = await runAgainstReference(
    { patches: [patch] },
    { patterns: ["resources.change-isolated/*@readChange"] },
  );
  const { [`${id}@readChange`]: judged, ...others } = outcomes(ran, "resources.change-isolated/");
  expect(judged).toBe("fail");
  expect(others).toMatchObject({ "bound@readChange": "pass", "denied@readChange": "pass" });
});

test("an organization that only the list names is viewed too", async () => {
  const firstElse: Patch = {
    step: "viewOrganization",
    patch: (original) => (call) => {
      const organization = call.receiver.store.organizations.get(PRIMARY);
      return original(call.orgId === OTHER ? call : { ...call, organization });
    },
  };
  const ran = await runAgainstReference(
    { patches: [firstElse] },
    { patterns: ["resources.view", "resources.list/ids*"] },
  );
  expect(outcomes(ran, "resources.view/")).toEqual({
    "primary@viewOrganization": "pass",
    "primary-unbound@viewOrganization": "pass",
    "other@viewOrganization": "pass",
    "other-unbound@viewOrganization": "pass",
    "listed@viewOrganization": "fail",
  });
});

test("what the list shows a bound token has ids too", async () => {
  const nameless: Patch = {
    step: "listOrganizations",
    patch: (original) => (call) => {
      const answer = original(call);
      const { items, ...page } = answer.body as { items: readonly { name: string }[] };
      const bound = Object.hasOwn(call.claims, call.receiver.bindingClaim);
      return {
        ...answer,
        body: { ...page, items: bound ? items.map(({ name }) => ({ name })) : items },
      };
    },
  };
  const ran = await runAgainstReference({ patches: [nameless] }, { patterns: ["resources.list"] });
  expect(outcomes(ran, "resources.list/")).toMatchObject({
    "ids@listOrganizations": "pass",
    "bound@listOrganizations": "fail",
  });
});

test("a write that cannot be recognised is inconclusive, with the reason", async () => {
  const body = { mission: "the same every time" };
  const ran = await runAgainstReference(
    {},
    {
      patterns: ["resources.edit", "resources.submit", "resources.change"],
      profile(profile) {
        setOperation(profile, "editOrganization", { body });
        setOperation(profile, "submitChange", { body });
      },
    },
  );
  const seen = ran.results.find(({ id }) => id === "resources.edit/seen@editOrganization");
  expect(seen).toMatchObject({
    outcome: "inconclusive",
    reason: expect.stringContaining("operations.editOrganization.body has no ${unique}"),
  });
  // Changes can still be distinguished by their ids.
  expect(outcomes(ran, "resources.change/")).toMatchObject({ "submitted@readChange": "pass" });
  expect(outcomes(ran, "resources.submit/")).toMatchObject({ "readable@submitChange": "pass" });
});

test("an edit is not missed in a view that shows nothing but the id", async () => {
  const idOnly: Patch = {
    step: "shape",
    patch: (original) => (body) => {
      const { data } = body as { data?: { id: unknown; name?: unknown } };
      return original(data && "name" in data ? { data: { id: data.id } } : body);
    },
  };
  const ran = await runAgainstReference(
    { patches: [idOnly] },
    { patterns: ["resources.edit/seen@editOrganization"], patienceMs: 0 },
  );
  expect(ran.results.find(({ id }) => id === "resources.edit/seen@editOrganization")).toMatchObject(
    { outcome: "inconclusive", reason: expect.stringContaining("nothing of the organization but") },
  );
});

test("an organization that is not on the first page of a long list is not reported as missing", async () => {
  const options = {
    patterns: ["resources.list"],
    profile(profile: Record<string, unknown>) {
      const organizations = profile["organizations"] as Record<string, string>;
      organizations["other"] = "5eedc0de-0000-4000-8000-000000000400";
    },
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

test.for([false, true])(
  "invented ids of a feed are blamed on the feed alone: %s",
  async (readOnly) => {
    const ran = await runAgainstReference(
      { faults: ["feed-ids-unknown"] },
      {
        patterns: ["routes.*", "resources.feed"],
        readOnly,
        patienceMs: 200,
        // Only changes in the feed are known.
        profile(profile) {
          (profile["operations"] as Record<string, unknown>)["readChange"] = {};
        },
      },
    );
    expect(rulesWith(ran.results, "fail")).toEqual(["resources.feed"]);
  },
);

test("an edit that changed the organization in its body is reverted there", async () => {
  const ran = await runAgainstReference(
    { faults: ["edit-by-body-id"] },
    { patterns: ["resources.edit"] },
  );
  const id = "resources.edit/body-names-other@editOrganization";
  const failed = ran.results.find((result) => result.id === id);
  expect(failed?.actual).toMatch(/^200 OK, and the view of .* shows conformance-[\da-f]+$/);
  const sent = [...ran.exchanges.values()].filter(
    ({ caseId: sender, request }) =>
      sender === id && request.method === "PATCH" && request.url.includes(OTHER),
  );
  expect(sent.at(-1)?.request.body).toBe(JSON.stringify({ mission: ORIGINAL }));
});

test("an edit that gave the organization the id in its body is blamed alone, and reverted", async () => {
  const ran = await runAgainstReference(
    { faults: ["edit-takes-body-id"] },
    { patterns: ["resources.*"] },
  );
  expect(rulesWith(ran.results, "fail")).toEqual(["resources.edit"]);
  const id = "resources.edit/body-names-other@editOrganization";
  const failed = ran.results.find((result) => result.id === id);
  expect(failed?.actual).toMatch(
    /the view of the organization in the path shows the id [-\da-f]+$/,
  );
});

test("the id in the answer to a submission counts, also where Location names it", async () => {
  const ran = await runAgainstReference(
    { faults: ["change-always-oldest"] },
    {
      patterns: ["resources.change"],
      profile: (profile) => {
        const operations = profile["operations"] as Record<string, Record<string, unknown>>;
        delete operations["submitChange"]?.["id"];
      },
    },
  );
  const found = outcomes(ran, "resources.change/");
  expect(found["submitted@readChange"]).toBe("fail");
});

describe("a submission that nothing names", () => {
  const LISTED = "the feed lists it without an id";
  test.for<[string, string | undefined, unknown, string]>([
    [
      "no body",
      undefined,
      undefined,
      `202 Accepted names no change: it has no Location of one, and no JSON in which an id could be; ${LISTED}; to have this judged, let the answer or the feed name the change`,
    ],
    [
      "a body without an id",
      undefined,
      { state: "received" },
      `no id of the change was recognised in the answer; ${LISTED}; if the answer has one, set operations.submitChange.id to its JSON Pointer`,
    ],
    [
      "a body without what the profile points to",
      "/change/id",
      { state: "received" },
      `operations.submitChange.id, /change/id, points to no id in the answer; ${LISTED}; if the answer has one, set operations.submitChange.id to its JSON Pointer`,
    ],
  ])("has a remedy that fits an answer with %s", async ([, id, body, reason]) => {
    const { results } = await runAgainstReference(
      {
        variants: ["feed-without-ids"],
        patches: [
          {
            step: "submitChange",
            patch: (original) => (call) => {
              original(call);
              return { status: 202, body };
            },
          },
        ],
      },
      {
        patterns: ["resources.submit/readable*"],
        patienceMs: 200,
        profile: (profile) => setOperation(profile, "submitChange", { id }),
      },
    );
    expect(results.map((one) => one.reason)).toEqual([reason]);
  });
});

test("an edit that was only received has no effects to judge", async () => {
  const ran = await runAgainstReference(
    { faults: ["edit-not-saved-202"] },
    { patterns: ["resources.edit"], patienceMs: 200 },
  );
  const { "seen@editOrganization": isSeen, ...others } = outcomes(ran, "resources.edit/");
  expect(isSeen).toBe("warn");
  expect(Object.values(others)).not.toContain("inconclusive");
  expect(ran.finished.verdict).not.toBe("incomplete");
});

test("what the contract leaves open is observed", async () => {
  const options = { patterns: RESOURCES };
  const queue = await runAgainstReference({ variants: ["review-queue"] }, options);
  expect(observation(queue, "resources.submit/in-feed@submitChange")).toBe("not in the feed");
  expect(observation(queue, "resources.submit/applied@submitChange")).toBe("not applied yet");
  const atOnce = await runAgainstReference({ variants: ["submissions-applied"] }, options);
  expect(observation(atOnce, "resources.submit/applied@submitChange")).toBe("applied at once");
  const relative = await runAgainstReference({ variants: ["location-relative"] }, options);
  expect(observation(relative, "resources.submit/id@submitChange")).toBe("Location, relative");
  expect(observation(relative, "shape.submitChange")).toBe("no body (2 times)");
  expect(observation(relative, "shape.viewOrganization")).toContain('"format":"uuid"');
});

test("what is applied of a refused edit is found where the invalid body has a value of its own", async () => {
  const ran = await runAgainstReference(
    { faults: ["edit-applied-in-part"] },
    {
      patterns: ["resources.edit/refused-in-part@editOrganization"],
      profile: (profile) =>
        setOperation(profile, "editOrganization", {
          invalidBody: { name: 7, mission: "Unsound ${unique}" },
        }),
    },
  );
  expect(outcomes(ran, "resources.edit/")).toEqual({ "refused-in-part@editOrganization": "fail" });
});

test("whether a submission that is refused is in the feed is recorded", async () => {
  const first: Patch = {
    step: "submitChange",
    patch: (original) => (call) => {
      try {
        return original(call);
      } catch (error) {
        const { mission } = call.body as { mission?: unknown };
        original({ ...call, body: { mission } });
        throw error;
      }
    },
  };
  const options = { patterns: ["resources.submit/refused-in-part@submitChange"] };
  const seen = async (patches: readonly Patch[]): Promise<string | undefined> =>
    observation(
      await runAgainstReference({ patches }, options),
      "resources.submit/refused-in-part@submitChange",
    );
  expect(await seen([first])).toContain("the feed shows a part of it");
  expect(await seen([])).toContain("the feed does not show it");
});

test("what a run has looked for in vain is not waited for twice", async () => {
  const { exchanges } = await runAgainstReference(
    { faults: ["edit-not-saved"] },
    // Without patience each wait is one look.
    { patterns: ["resources.edit/further@*", "receiver.no-side-effects"], patienceMs: 0 },
  );
  const ids = [...exchanges.keys()];
  const looks = (label: string): string[] =>
    ids.filter((id) => id.startsWith(label) && exchanges.get(id)?.request.method === "GET");
  // The case is tried twice, because it proves nothing.
  expect(looks("resources.edit/further@editOrganization~")).toHaveLength(2);
  // The view and the feed, once for both kinds of writes.
  expect(looks("receiver.no-side-effects/lag~")).toHaveLength(2);
});
