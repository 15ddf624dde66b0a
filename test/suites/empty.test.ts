import { describe, expect, test } from "vitest";

import type { OperationId } from "../../src/contract/operations.ts";
import type { Page } from "../../src/reference/model.ts";
import { Refusal } from "../../src/reference/refusal.ts";
import type { Patch } from "../../src/reference/steps.ts";
import { DENIED, PARTNER, PRIMARY, SUBJECT } from "../../src/reference/store.ts";
import { rulesWith, type Ran } from "../support/run-against.ts";
import { runCases } from "./support.ts";

interface Deployment {
  readonly patches: readonly Patch[];
  readonly profile?: object;
}

/** A receiver that changes the items of a collection. */
function showing(
  operation: OperationId,
  pick: (items: readonly unknown[]) => readonly unknown[],
): Patch {
  return {
    paginate: (original) => (call, items) =>
      original(call, call.operation === operation ? (pick(items) as typeof items) : items),
  };
}

const none = (): readonly unknown[] => [];
const emptyFeed = showing("readChangesFeed", none);
const oneChange = showing("readChangesFeed", (items) => items.slice(-1));
const emptyList: Patch = { visibleOrganizations: () => () => [] };
const listOfAll: Patch = {
  visibleOrganizations:
    () =>
    ({ receiver }) => [...receiver.store.organizations.keys()],
};
const oneOrganization: Patch = {
  visibleOrganizations: (original) => (call) => original(call).slice(0, 1),
};
const unnamedOrganizations: Patch = {
  shape: (original) => (content) =>
    original(
      "items" in content
        ? {
            ...content,
            items: content.items.map((item) => ({ name: (item as { name?: unknown }).name })),
          }
        : content,
    ),
};

/**
 * Who may act on what is the same for everybody, but for what a test says.
 * @param refuses whether a request is refused with 403, or the status with which it is refused
 */
function policy(
  refuses: (subject: unknown, organization: string, exists: boolean) => boolean | number,
): Patch {
  return {
    applyPolicy: () => (call) => {
      const { orgId, claims, receiver } = call;
      if (orgId === undefined) return;
      const refused = refuses(claims["sub"], orgId, receiver.store.organizations.has(orgId));
      if (refused === false) return;
      const status = refused === true ? 403 : refused;
      throw new Refusal(status, "The subject may not act on this organization.");
    },
  };
}

async function run({ patches, profile }: Deployment, ...patterns: string[]): Promise<Ran> {
  return runCases(patterns, { patches, patienceMs: 0, profile: { openapi: null, ...profile } });
}

/** The outcomes of judged cases, each once. */
async function kinds(deployment: Deployment, ...patterns: string[]): Promise<string[]> {
  const found = await outcomes(deployment, ...patterns);
  return [...new Set(found.map((one) => one.split(" ", 1)[0] ?? ""))];
}

/** The outcome of each judged case, with its name. */
async function outcomes(deployment: Deployment, ...patterns: string[]): Promise<string[]> {
  const { results } = await run(deployment, ...patterns);
  return results
    .filter(({ level }) => level !== "OBSERVE")
    .map(({ id, outcome }) => `${outcome} ${id.split("@", 1)[0]}`);
}

/** The verdict, and why cases are inconclusive, each reason once. */
async function verdictAndReasons(
  deployment: Deployment,
  ...patterns: string[]
): Promise<[string, string[]]> {
  const { finished, results } = await run(deployment, ...patterns);
  const inconclusive = results.filter(({ outcome }) => outcome === "inconclusive");
  return [finished.verdict, [...new Set(inconclusive.map(({ reason }) => reason ?? ""))]];
}

const LAWS = [
  "page-length/at-most",
  "partition/pages",
  "partition/beyond-the-end",
  "totals/items",
  "totals/pages",
];
const onFeed = LAWS.map((law) => `pagination.${law}@readChangesFeed`);
const onList = LAWS.map((law) => `pagination.${law}@listOrganizations`);
const changeUnknown = { operations: { readChange: { changeId: null } } };

describe("a feed that is always empty", () => {
  const deployment = { patches: [emptyFeed], profile: changeUnknown };

  test("makes laws over its changes and pages inconclusive", async () => {
    const cases = [
      ...onFeed,
      "resources.feed/first@*",
      "resources.change-isolated/*bound@readChangesFeed",
      "receiver.no-side-effects/rejected@submitChange",
    ];
    expect(await kinds(deployment, ...cases)).toEqual(["inconclusive"]);
    const [verdict, reasons] = await verdictAndReasons(deployment, ...cases);
    expect(verdict).toBe("incomplete");
    for (const reason of reasons) {
      expect(reason).toMatch(/^the feed of the primary organization is empty: it must show /);
    }
  });

  test("lacks consent to writes if there is none", async () => {
    const silent = { patches: [emptyFeed], profile: { writes: false } };
    const { results } = await run(silent, ...onFeed, "resources.feed/first@*");
    for (const result of results) {
      expect(result).toMatchObject({ outcome: "not-provisioned", missing: ["writes"] });
    }
  });

  test("lacks changes where --read-only forbids to make them", async () => {
    const { results } = await runCases([...onFeed, "resources.feed/first@*"], {
      patches: deployment.patches,
      readOnly: true,
    });
    for (const { outcome, reason } of results) {
      expect(outcome).toBe("inconclusive");
      expect(reason).toMatch(/ is empty: .*; make some there, and run again$/);
    }
  });

  test("does not prevent judging what an answer says of itself", async () => {
    const cases = ["results-info/default", "results-info/page", "echo/page", "defaults/both"];
    const patterns = cases.map((id) => `pagination.${id}@readChangesFeed`);
    expect(await kinds(deployment, ...patterns)).toEqual(["pass"]);
  });
});

test("a feed of one change has no second page, but its totals can be judged", async () => {
  expect(await outcomes({ patches: [oneChange] }, ...onFeed)).toEqual([
    "inconclusive pagination.page-length/at-most",
    "inconclusive pagination.partition/pages",
    "pass pagination.partition/beyond-the-end",
    "pass pagination.totals/items",
    "inconclusive pagination.totals/pages",
  ]);
});

test("an empty feed is filled by the suite's own submissions", async () => {
  const { finished } = await runCases([...onFeed, "resources.feed", "resources.change-isolated"], {
    variants: ["feed-starts-empty"],
  });
  // Partial for the rules that were not selected alone.
  expect(finished.verdict).toBe("partial");
});

describe("a feed that only writes make long enough, paginated without its info", () => {
  test("is seen where the run writes", async () => {
    const { results } = await runOnShortFeed("routes.reachable/*");
    expect(rulesWith(results, "fail")).toEqual(["pagination.results-info"]);
  });

  test("makes a run without writes write nothing", async () => {
    const { finished } = await runOnShortFeed();
    expect(finished.writes).toEqual({});
  });
});

/** Runs the cases of the feed's info, and more cases, against a receiver whose feed is short and lacks the info. */
function runOnShortFeed(...more: readonly string[]): Promise<Ran> {
  return runCases(["pagination.results-info/*@readChangesFeed", ...more], {
    faults: ["info-missing-on-readChangesFeed"],
    profile: {
      operations: { readChangesFeed: { paginated: null, items: null, pagination: null } },
    },
  });
}

/** A receiver that changes the info of empty pages. */
function counting(change: (info: object) => object): Patch {
  return {
    shape: (original) => (content) => {
      const { items, paginationInfo: info } = content as Partial<Page<unknown>>;
      const isEmpty = info && items?.length === 0;
      return isEmpty ? { ...content, paginationInfo: change(info) } : original(content);
    },
  };
}

test("totals are not null in an empty list, though they may be absent", async () => {
  const id = "pagination.results-info/empty@listOrganizations";
  const nulls = counting((info) => ({ ...info, totalItems: null }));
  expect(await kinds({ patches: [nulls] }, id)).toEqual(["fail"]);
  const absent = counting((info) => ({ ...info, totalItems: undefined, totalPages: undefined }));
  expect(await kinds({ patches: [absent] }, id)).toEqual(["pass"]);
});

describe("a list of organizations", () => {
  test("that is always empty makes its cases inconclusive", async () => {
    const cases = [...onList, "receiver.{binding-list,local-policy-list}"];
    expect(await kinds({ patches: [emptyList] }, ...cases)).toEqual(["inconclusive"]);
  });

  test("of which a page cannot be read is not known to lack a denied organization", async () => {
    const cases = ["receiver.local-policy-list/unbound*"];
    const inPages: Patch = {
      paginate: (original) => (call, items) =>
        original({ ...call, query: { pageSize: "10", ...call.query } }, items),
    };
    const refusing: Patch = {
      paginate: (original) => (call, items) => {
        if (call.claims["sub"] === PARTNER && call.query["page"] === "2")
          throw new Refusal(500, "");
        return original(call, items);
      },
    };
    expect(await kinds({ patches: [inPages] }, ...cases)).toEqual(["pass"]);
    expect(await kinds({ patches: [inPages, refusing] }, ...cases)).toEqual(["inconclusive"]);
    const all = { patches: [inPages, refusing, listOfAll] };
    expect(await kinds(all, ...cases)).toEqual(["warn"]);
  });

  test("of one organization has no second page", async () => {
    const [verdict, reasons] = await verdictAndReasons({ patches: [oneOrganization] }, ...onList);
    expect(verdict).toBe("incomplete");
    expect(reasons).toEqual([
      "the list shows 1 item: it must show 2 organizations on which the subject may act",
    ]);
  });

  test("that only bound tokens may read has no pages to judge", async () => {
    for (const variant of ["unbound-refused", "unbound-list-empty"]) {
      const { results, finished } = await runCases([...onList, "receiver.binding-list"], {
        variants: [variant],
      });
      expect(finished.verdict).toBe("partial");
      const partition = results.find(({ id }) => id.startsWith("pagination.partition/pages"));
      expect(partition?.outcome).toBe("not-applicable");
    }
  });

  test("in which no organization can be recognised is inconclusive", async () => {
    const cases = ["receiver.binding-list", "receiver.local-policy-list"];
    expect(await kinds({ patches: [unnamedOrganizations] }, ...cases)).toEqual(["inconclusive"]);
  });
});

test("a change is not recognised if the answer has neither an id nor the written value", async () => {
  const blank: Patch = { readChange: () => () => ({ status: 200, body: {} }) };
  const found = await outcomes({ patches: [blank] }, "resources.change");
  expect(found).toContain("inconclusive resources.change/known");
  expect(found.filter((outcome) => outcome.startsWith("pass"))).toEqual([]);
});

/** An organization that does not exist. */
const NOWHERE = "00000000-0000-4000-8000-00000000dead";

function denied(pair: { subject?: string; organization: string }): object {
  return { denied: { subject: null, ...pair } };
}

describe("a refusal by local policy", () => {
  /** Cases about the denied subject that need no ETag, and no change of the denied organization. */
  const POLICY = [
    "receiver.local-policy/{bound,unbound,all-scopes,rescued,other-case,encoded,once-allowed}*",
    "receiver.local-policy/denied-{paged,unusual,long-body,head,under}*",
  ];
  const all = (deployment: Deployment): Promise<string[]> => kinds(deployment, ...POLICY);

  test.each<[string, Deployment, string]>([
    [
      "for a subject that is accepted nowhere",
      {
        patches: [policy((subject) => subject !== SUBJECT)],
        profile: denied({ subject: "nobody", organization: PRIMARY }),
      },
      "nobody is accepted nowhere, and may be unknown",
    ],
    [
      "if organizations that do not exist are forbidden too",
      {
        patches: [policy((_subject, _organization, exists) => !exists)],
        profile: denied({ organization: NOWHERE }),
      },
      `it is not known that ${NOWHERE} exists`,
    ],
  ])("is inconclusive %s", async (_when, deployment, why) => {
    const [verdict, [reason]] = await verdictAndReasons(deployment, ...POLICY);
    expect(verdict).toBe("incomplete");
    expect(reason).toContain(why);
  });

  test("with 404 is a failure only if the organization is known to exist", async () => {
    const hiding: Patch = {
      rejectionStatus: (original) => (check) => (check === "applyPolicy" ? 404 : original(check)),
    };
    expect(await all({ patches: [hiding] })).toEqual(["fail", "pass"]);
    const third = { patches: [hiding], profile: denied({ organization: DENIED }) };
    expect(await all(third)).toEqual(["inconclusive"]);
  });

  test.each<[string, string, Parameters<typeof policy>[0]]>([
    [
      "where organizations that do not exist get no clear answer",
      DENIED,
      (_subject, id, exists) => (exists ? id === DENIED : 408),
    ],
    [
      "by a status that organizations that do not exist get too",
      DENIED,
      (_subject, id, exists) => (id === DENIED || !exists ? 410 : false),
    ],
    [
      "by 404 where the organization may be unknown",
      NOWHERE,
      (_subject, id, exists) => (id === NOWHERE ? 404 : !exists),
    ],
  ])("proves nothing %s", async (_what, organization, refuses) => {
    const profile = denied({ organization });
    expect(await all({ patches: [policy(refuses)], profile })).toEqual(["inconclusive"]);
  });

  test("by a status that organizations that do not exist do not get is a failure", async () => {
    const told = policy((_subject, id, exists) => (id === DENIED ? 410 : !exists));
    const profile = denied({ organization: DENIED });
    expect(await all({ patches: [told], profile })).toContain("fail");
  });

  test("counts where the list shows the organization, whatever others get", async () => {
    const forbidden = policy((_subject, id, exists) => id === DENIED || !exists);
    const profile = denied({ organization: DENIED });
    expect(await all({ patches: [forbidden], profile })).toEqual(["inconclusive"]);
    expect(await all({ patches: [forbidden, listOfAll], profile })).toEqual(["pass"]);
  });

  test("may concern the profile's subject on a third organization", async () => {
    expect(await all({ patches: [], profile: denied({ organization: DENIED }) })).toEqual(["pass"]);
  });

  test("that is missing fails", async () => {
    expect(await all({ patches: [policy(() => false)] })).toContain("fail");
  });
});
