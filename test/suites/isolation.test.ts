import { describe, expect, test } from "vitest";

import { rule } from "../../suites/receiver/isolation.ts";
import {
  accepting,
  type Answer,
  type Behaviour,
  type Call,
  HARMLESS,
  OTHER,
  PRIMARY,
  refusal,
  runTiny,
} from "../engine/tiny.ts";

const patterns = ["receiver.isolation/side-by-side@viewOrganization"];

test("if no requests overlap, the result is inconclusive", async () => {
  const { results } = await runTiny([rule], {
    patterns,
    concurrency: 1,
    behaviour: ({ claims, organization }) =>
      String(claims?.["scope"]).split(" ").includes("org:read")
        ? { status: 200, body: { id: organization } }
        : refusal(403),
  });
  const [{ outcome, reason } = {}] = results;
  expect(outcome).toBe("inconclusive");
  expect(reason).toMatch(/requests must overlap to judge this, and none did/);
});

test("if the deployment puts off whatever is sent beside others, nothing can be mixed up", async () => {
  const known = new Set<string | undefined>();
  const { results } = await runTiny([rule], {
    patterns,
    behaviour({ token, claims, organization, isControl }) {
      const isNew = !known.has(token);
      known.add(token);
      // The client repeats these one after another.
      if (isNew && !isControl) return { status: 429, headers: { "retry-after": "0" }, body: {} };
      return String(claims?.["scope"]).split(" ").includes("org:read")
        ? { status: 200, body: { id: organization } }
        : refusal(403);
    },
  });
  const [{ outcome, reason } = {}] = results;
  expect(outcome).toBe("not-applicable");
  expect(reason).toMatch(/one request at a time/);
});

test("a limit on concurrent requests does not count as a mix-up of tokens", async () => {
  let underWay = 0;
  const { results } = await runTiny([rule], {
    patterns,
    async behaviour({ claims, organization }) {
      underWay += 1;
      await new Promise((done) => setImmediate(done));
      const crowded = underWay > 1;
      underWay -= 1;
      return !crowded && String(claims?.["scope"]).split(" ").includes("org:read")
        ? { status: 200, body: { id: organization === OTHER ? OTHER : PRIMARY } }
        : refusal(403);
    },
  });
  expect(results.map(({ outcome }) => outcome)).not.toContain("fail");
});

const FEED = "receiver.isolation/side-by-side@readChangesFeed";
const LIST = "receiver.isolation/side-by-side@listOrganizations";
const CHANGE = "receiver.isolation/side-by-side@readChange";
/** So many rounds there are, and so many where less is shown than alone. */
const ROUNDS = { usual: 3, most: 12 };

/**
 * A receiver that is told whether a case's request is one of those that are sent side by side: each kind is sent
 * twice alone before, where both are answered alike, and otherwise once `more`. Of each round the first is answered when the second has arrived,
 * however slow the machine is.
 */
function besides(
  pattern: string,
  {
    kinds,
    ofEach,
    more = 0,
    isLess = false,
    isOpen = isLess,
  }: { kinds: number; ofEach: number; more?: number; isLess?: boolean; isOpen?: boolean },
  answer: (call: Call, place: "alone" | "beside" | "after") => Answer | undefined,
): Behaviour {
  const alone = 2 * kinds + more;
  const ofRound = kinds * ofEach;
  const first = new Set<() => void>();
  return async (call) => {
    const rounds = (isLess ? ROUNDS.most : ROUNDS.usual) * ofRound;
    // If the result is inconclusive, everything is repeated once, and once more at the end of the run.
    const isRepeated = isOpen && call.ofCase <= 2 * (alone + rounds);
    const number = isRepeated ? (call.ofCase - 1) % (alone + rounds) : call.ofCase - 1;
    const at = call.caseId === pattern ? number - alone : -1;
    const isBeside = at >= 0 && at < rounds;
    if (isBeside && at % ofRound === 0) await new Promise<void>((next) => first.add(next));
    else if (isBeside) for (const go of first) go();
    return answer(call, isBeside ? "beside" : at < 0 ? "alone" : "after");
  };
}

function boundOf({ claims }: Call): unknown {
  return claims?.["https://example.com/org_id"];
}

function listed(...ids: readonly unknown[]): Answer {
  return { status: 200, body: { items: ids.map((id) => ({ id })) } };
}

const ofList = { kinds: 4, ofEach: 2 };
const ofFeed = { kinds: 3, ofEach: 3 };
const ofChange = { kinds: 4, ofEach: 2 };

/** A receiver whose list shows both organizations to an unbound token, and `answer` to a bound one. */
function lists(answer: (bound: unknown, place: string) => Answer): Behaviour {
  return besides(LIST, ofList, (call, place) => {
    if (call.operation !== "listOrganizations") return undefined;
    const bound = boundOf(call);
    return bound === undefined ? listed(PRIMARY, OTHER) : answer(bound, place);
  });
}

test("one list that is given to another organization's token is proof", async () => {
  let crossed = false;
  const { results } = await runTiny([rule], {
    patterns: [LIST],
    behaviour: lists((bound, place) => {
      if (place !== "beside" || crossed || bound !== PRIMARY) return listed(bound);
      crossed = true;
      return listed(OTHER);
    }),
  });
  expect(results).toMatchObject([{ outcome: "fail", flaky: true }]);
  expect(results[0]?.actual).toContain(`shown the organization ${OTHER}`);
});

test("a list that is the same for every token is not a mix-up", async () => {
  const { results } = await runTiny([rule], {
    patterns: [LIST],
    behaviour: besides(LIST, ofList, ({ operation, claims }) => {
      if (operation !== "listOrganizations") return undefined;
      return String(claims?.["scope"]).split(" ").includes("org:read")
        ? listed(PRIMARY, OTHER)
        : refusal(403);
    }),
  });
  expect(results).toMatchObject([{ outcome: "pass" }]);
});

test("a list that a bound token is refused alone, and gets correctly in parallel, is not a mix-up", async () => {
  const { results } = await runTiny([rule], {
    patterns: [LIST],
    behaviour: lists((bound, place) => (place === "alone" ? refusal(403) : listed(bound))),
  });
  expect(results).toMatchObject([{ outcome: "pass" }]);
});

const OF_PRIMARY = "aaaaaaaa-0000-4000-8000-000000000001";
const OF_OTHER = "bbbbbbbb-0000-4000-8000-000000000001";

/** Feeds of the two organizations, and the changes of the other one that the primary one's feed shows, by place. */
function feeds(
  own: readonly unknown[],
  others: readonly unknown[],
  shown: readonly string[],
): Behaviour {
  return besides(FEED, ofFeed, ({ operation, organization, claims }, place) => {
    if (operation !== "readChangesFeed") return undefined;
    if (!String(claims?.["scope"]).split(" ").includes("org.changes:read")) return refusal(403);
    if (organization === OTHER) return listed(...others);
    return listed(...own, ...(shown.includes(place) ? others : []));
  });
}

test("a feed that shows another organization's change only in parallel is a mix-up", async () => {
  const { results } = await runTiny([rule], {
    patterns: [FEED],
    behaviour: feeds([OF_PRIMARY], [OF_OTHER], ["beside"]),
  });
  expect(results).toMatchObject([{ outcome: "fail" }]);
  expect(results[0]?.actual).toContain(`shown a change of the organization ${OTHER}`);
});

test("a change that also shows afterwards may have come late, and is inconclusive", async () => {
  const { results } = await runTiny([rule], {
    patterns: [FEED],
    behaviour: feeds([OF_PRIMARY], [OF_OTHER], ["beside", "after"]),
  });
  expect(results.map(({ outcome }) => outcome)).not.toContain("fail");
});

test.each([
  ["numbers that each organization counts separately", [1], [1, 2]],
  ["nothing", [], []],
])("feeds that list %s do not show whose they are", async (_what, own, others) => {
  const { results } = await runTiny([rule], {
    patterns: [FEED],
    behaviour: feeds(own, others, ["beside"]),
  });
  expect(results).toMatchObject([{ outcome: "pass" }]);
});

test.each([
  ["nothing of its own", [], true, "inconclusive"],
  ["its own changes with another time", [{ id: OF_PRIMARY, readAt: "later" }], false, "pass"],
])("a feed that shows %s in parallel", async (_what, shown, isLess, outcome) => {
  const { results } = await runTiny([rule], {
    patterns: [FEED],
    behaviour: besides(
      FEED,
      { ...ofFeed, isLess },
      ({ operation, organization, claims }, place) => {
        if (operation !== "readChangesFeed") return undefined;
        if (!String(claims?.["scope"]).split(" ").includes("org.changes:read")) return refusal(403);
        if (organization === OTHER) return listed();
        const alone = [{ id: OF_PRIMARY, readAt: "now" }];
        return { status: 200, body: { items: place === "alone" ? alone : shown } };
      },
    ),
  });
  expect(results).toMatchObject([{ outcome }]);
});

function changeOf(organization: string | undefined): string {
  return organization === OTHER ? OF_OTHER : OF_PRIMARY;
}

/** A receiver of one change for each organization, in whose stead it shows what `among` says, in some places. */
function changes(among: (call: Call) => string | undefined, places: readonly string[]): Behaviour {
  return besides(CHANGE, ofChange, (call, place) => {
    const { operation, organization, path, claims } = call;
    if (operation === "readChangesFeed") return listed(changeOf(organization));
    if (operation !== "readChange") return undefined;
    if (!String(claims?.["scope"]).split(" ").includes("org.changes:read")) return refusal(403);
    const asked = path.split("/")[4];
    const owned = asked === changeOf(organization) ? asked : undefined;
    const shown = places.includes(place) ? among(call) : owned;
    return shown === undefined ? refusal(404) : { status: 200, body: { data: { id: shown } } };
  });
}

test.each([
  ["the change of a parallel request", () => OF_OTHER],
  ["whatever change it asks for", ({ path }: Call) => path.split("/")[4]],
])("a request for a change that gets %s is a mix-up", async (_what, among) => {
  const { results } = await runTiny([rule], {
    patterns: [CHANGE],
    behaviour: changes(among, ["beside"]),
  });
  expect(results).toMatchObject([{ outcome: "fail" }]);
  expect(results[0]?.actual).toContain("shown a change of the organization");
});

test("requests for changes that are refused in parallel are inconclusive", async () => {
  const { results } = await runTiny([rule], {
    patterns: [CHANGE],
    behaviour: changes(() => undefined, ["beside", "after"]),
  });
  expect(results).toMatchObject([{ outcome: "inconclusive" }]);
});

test("answers side by side that say nothing prove nothing", async () => {
  const { results } = await runTiny([rule], {
    patterns: [FEED],
    behaviour: besides(
      FEED,
      { ...ofFeed, isOpen: true },
      ({ operation, organization, claims }, place) => {
        if (operation !== "readChangesFeed") return undefined;
        if (!String(claims?.["scope"]).split(" ").includes("org.changes:read")) return refusal(403);
        if (place !== "alone") return refusal(408);
        return listed(organization === OTHER ? OF_OTHER : OF_PRIMARY);
      },
    ),
  });
  expect(results).toMatchObject([
    { outcome: "inconclusive", reason: "side by side, not all were answered clearly" },
  ]);
});

const VIEW = "receiver.isolation/side-by-side@viewOrganization";
const THIRD = "33333333-3333-4333-8333-333333333333";

test("a view that shows an organization side by side that nobody asked for has been mixed up", async () => {
  const { results } = await runTiny([rule], {
    patterns: [VIEW],
    behaviour: besides(VIEW, ofFeed, ({ operation, organization, claims }, place) => {
      if (operation !== "viewOrganization") return undefined;
      if (!String(claims?.["scope"]).split(" ").includes("org:read")) return refusal(403);
      const id = place === "beside" && organization === PRIMARY ? THIRD : organization;
      return { status: 200, body: { id } };
    }),
  });
  expect(results).toMatchObject([{ outcome: "fail" }]);
  expect(results[0]?.actual).toContain(`shown the organization ${THIRD}`);
});

describe("where one of the answers alone is that to a request of another case", () => {
  const [ofGood, ofScopeless] = [1, 3];

  /** The first feed that is asked for alone shows a change of the other organization. */
  const shownOnce: Parameters<typeof besides>[2] = (call, place) => {
    const { operation, organization, claims, ofCase, caseId } = call;
    if (operation !== "readChangesFeed") return undefined;
    if (!String(claims?.["scope"]).split(" ").includes("org.changes:read")) return refusal(403);
    if (organization === OTHER) return listed(OF_OTHER);
    const isMixedUp = place === "beside" || (caseId === FEED && ofCase === ofGood);
    return isMixedUp ? listed(OF_PRIMARY, OF_OTHER) : listed(OF_PRIMARY);
  };

  /** The first token without the scope is let in alone. */
  const letInOnce: Parameters<typeof besides>[2] = (call) => {
    const { operation, organization, claims, ofCase, caseId } = call;
    if (operation !== "readChangesFeed") return undefined;
    const isScopeless = !String(claims?.["scope"]).split(" ").includes("org.changes:read");
    const isMixedUp = caseId === FEED && ofCase === ofScopeless;
    if (isScopeless && !isMixedUp) return refusal(403);
    return listed(organization === OTHER ? OF_OTHER : OF_PRIMARY);
  };

  test.each([
    ["shows a change of another organization, the same side by side", shownOnce, "fail"],
    ["lets in a token without the scope, that is no rule for later", letInOnce, "pass"],
  ] as const)("and %s", async (_what, answer, outcome) => {
    const { results } = await runTiny([rule], {
      patterns: [FEED],
      behaviour: besides(FEED, { ...ofFeed, more: 1 }, answer),
    });
    expect(results).toMatchObject([{ outcome }]);
  });
});

test("a change that the run submitted to another organization is not its own, whenever it shows", async () => {
  const submitting = accepting(["submitChange"], {
    id: "tiny.submitting",
    judge: (probe) => probe.accepts(HARMLESS, { organization: OTHER }),
  });
  const submitted: unknown[] = [];
  const feed = besides(FEED, ofFeed, ({ operation, organization, claims }, place) => {
    if (operation !== "readChangesFeed") return undefined;
    if (!String(claims?.["scope"]).split(" ").includes("org.changes:read")) return refusal(403);
    const others = [{ id: OF_OTHER, submitted }];
    if (organization === OTHER) return { status: 200, body: { items: others } };
    return {
      status: 200,
      body: { items: [{ id: OF_PRIMARY }, ...(place === "alone" ? [] : others)] },
    };
  });
  const { outcomes } = await runTiny([submitting, rule], {
    patterns: ["tiny.submitting", FEED],
    behaviour: (call) => {
      if (call.operation !== "submitChange") return feed(call);
      if (call.organization === OTHER) submitted.push(call.body);
      return undefined;
    },
  });
  expect(outcomes[FEED]).toBe("fail");
});
