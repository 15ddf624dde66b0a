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
  type TinyOptions,
} from "../engine/tiny.ts";
import type { WordedResult } from "../support/worded.ts";

const VIEW = "receiver.isolation/side-by-side@viewOrganization";
const FEED = "receiver.isolation/side-by-side@readChangesFeed";
const LIST = "receiver.isolation/side-by-side@listOrganizations";
const CHANGE = "receiver.isolation/side-by-side@readChange";
const OF_PRIMARY = "aaaaaaaa-0000-4000-8000-000000000001";
const OF_OTHER = "bbbbbbbb-0000-4000-8000-000000000001";
const THIRD = "33333333-3333-4333-8333-333333333333";
/** So many rounds there are, and so many where less is shown than alone. */
const ROUNDS = { usual: 3, most: 12 };

type Place = "alone" | "beside" | "after";
type Placed = (call: Call, place: Place) => Answer | undefined;

/** The result of one case against such a receiver. */
async function resultOf(
  id: string,
  behaviour: Behaviour,
  options: TinyOptions = {},
): Promise<WordedResult | undefined> {
  const { results } = await runTiny([rule], { patterns: [id], behaviour, ...options });
  expect(results).toHaveLength(1);
  return results[0];
}

/** Answers requests with the operation's scope, and refuses others. */
const scoped =
  (scope: string, answer: Placed): Placed =>
  (call, place) =>
    String(call.claims?.["scope"]).split(" ").includes(scope) ? answer(call, place) : refusal(403);

/** Shows an organization to those who may read it. */
function view({ claims, organization }: Call, shown = organization): Answer {
  const mayRead = String(claims?.["scope"]).split(" ").includes("org:read");
  return mayRead ? { status: 200, body: { id: shown } } : refusal(403);
}

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
  answer: Placed,
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

const listed = (...ids: readonly unknown[]): Answer => ({
  status: 200,
  body: { items: ids.map((id) => ({ id })) },
});

const ofList = { kinds: 4, ofEach: 2 };
const ofFeed = { kinds: 3, ofEach: 3 };
const ofChange = { kinds: 4, ofEach: 2 };

/** A receiver whose list shows both organizations to an unbound token, and `answer` to a bound one. */
function lists(answer: (bound: unknown, place: Place) => Answer): Behaviour {
  return besides(LIST, ofList, ({ operation, claims }, place) => {
    if (operation !== "listOrganizations") return undefined;
    const bound = claims?.["https://example.com/org_id"];
    return bound === undefined ? listed(PRIMARY, OTHER) : answer(bound, place);
  });
}

/** A receiver with such a feed, by default of one change in the feed of the other organization. */
function feeds(
  own: Placed,
  others: Placed = () => listed(OF_OTHER),
  how: Partial<Parameters<typeof besides>[1]> = {},
): Behaviour {
  const answer = scoped("org.changes:read", (call, place) =>
    call.organization === OTHER ? others(call, place) : own(call, place),
  );
  return besides(FEED, { ...ofFeed, ...how }, (call, place) =>
    call.operation === "readChangesFeed" ? answer(call, place) : undefined,
  );
}

/** The primary organization's feed, which shows the other's change too in some places. */
const crossedIn =
  (...places: readonly Place[]): Placed =>
  (_call, place) =>
    places.includes(place) ? listed(OF_PRIMARY, OF_OTHER) : listed(OF_PRIMARY);

const unclear =
  (id: string): Placed =>
  (_call, place) =>
    place === "alone" ? listed(id) : refusal(408);

const changeOf = (organization: string | undefined): string =>
  organization === OTHER ? OF_OTHER : OF_PRIMARY;

/** A receiver of one change for each organization, in whose stead it shows what `among` says, in some places. */
function changes(among: (call: Call) => string | undefined, places: readonly Place[]): Behaviour {
  const read = scoped("org.changes:read", (call, place) => {
    const asked = call.path.split("/")[4];
    const owned = asked === changeOf(call.organization) ? asked : undefined;
    const shown = places.includes(place) ? among(call) : owned;
    return shown === undefined ? refusal(404) : { status: 200, body: { data: { id: shown } } };
  });
  return besides(CHANGE, ofChange, (call, place) => {
    if (call.operation === "readChangesFeed") return listed(changeOf(call.organization));
    return call.operation === "readChange" ? read(call, place) : undefined;
  });
}

describe("views", () => {
  test("of which none overlap are inconclusive", async () => {
    const result = await resultOf(VIEW, (call) => view(call), { concurrency: 1 });
    expect(result?.outcome).toBe("inconclusive");
    expect(result?.reason).toMatch(/requests must overlap to judge this, and none did/);
  });

  test("that are put off beside others cannot be mixed up", async () => {
    const known = new Set<string | undefined>();
    const result = await resultOf(VIEW, (call) => {
      const isNew = !known.has(call.token);
      known.add(call.token);
      // The client repeats these one after another.
      if (isNew && !call.isControl) return { ...refusal(429), headers: { "retry-after": "0" } };
      return view(call);
    });
    expect(result?.outcome).toBe("not-applicable");
    expect(result?.reason).toMatch(/one request at a time/);
  });

  test("that are limited to one at a time are not mixed up", async () => {
    let underWay = 0;
    const result = await resultOf(VIEW, async (call) => {
      underWay += 1;
      await new Promise((done) => setImmediate(done));
      const crowded = underWay > 1;
      underWay -= 1;
      return crowded ? refusal(403) : view(call, call.organization === OTHER ? OTHER : PRIMARY);
    });
    expect(result?.outcome).not.toBe("fail");
  });

  test("of an organization that nobody asked for are mixed up", async () => {
    const mixing = besides(VIEW, ofFeed, (call, place) => {
      if (call.operation !== "viewOrganization") return undefined;
      return view(call, place === "beside" && call.organization === PRIMARY ? THIRD : undefined);
    });
    const result = await resultOf(VIEW, mixing);
    expect(result?.outcome).toBe("fail");
    expect(result?.actual).toContain(`shown the organization ${THIRD}`);
  });
});

describe("a list", () => {
  test("that is given once to another organization's token is proof", async () => {
    let crossed = false;
    const crossing = lists((bound, place) => {
      if (place !== "beside" || crossed || bound !== PRIMARY) return listed(bound);
      crossed = true;
      return listed(OTHER);
    });
    const result = await resultOf(LIST, crossing);
    expect(result).toMatchObject({ outcome: "fail", flaky: true });
    expect(result?.actual).toContain(`shown the organization ${OTHER}`);
  });

  test.each([
    [
      "is the same for every token",
      besides(LIST, ofList, (call, place) =>
        call.operation === "listOrganizations"
          ? scoped("org:read", () => listed(PRIMARY, OTHER))(call, place)
          : undefined,
      ),
    ],
    [
      "a bound token is refused alone, and gets correctly in parallel",
      lists((bound, place) => (place === "alone" ? refusal(403) : listed(bound))),
    ],
  ])("that %s is not a mix-up", async (_what, behaviour) => {
    expect(await resultOf(LIST, behaviour)).toMatchObject({ outcome: "pass" });
  });
});

describe("a feed", () => {
  test("that shows another organization's change only in parallel is a mix-up", async () => {
    const result = await resultOf(FEED, feeds(crossedIn("beside")));
    expect(result?.outcome).toBe("fail");
    expect(result?.actual).toContain(`shown a change of the organization ${OTHER}`);
  });

  test("that shows it afterwards too may have got it late", async () => {
    const result = await resultOf(FEED, feeds(crossedIn("beside", "after")));
    expect(result?.outcome).not.toBe("fail");
  });

  test.each(
    Object.entries<Behaviour>({
      "lists numbers that each organization counts separately": feeds(
        (_call, place) => (place === "beside" ? listed(1, 1, 2) : listed(1)),
        () => listed(1, 2),
      ),
      "lists nothing": feeds(
        () => listed(),
        () => listed(),
      ),
      "shows its own changes with another time in parallel": feeds(
        (_call, place) => ({
          status: 200,
          body: { items: [{ id: OF_PRIMARY, readAt: place === "alone" ? "now" : "later" }] },
        }),
        () => listed(),
      ),
    }),
  )("that %s does not show whose it is", async (_what, behaviour) => {
    expect(await resultOf(FEED, behaviour)).toMatchObject({ outcome: "pass" });
  });

  test("that shows nothing of its own in parallel is inconclusive", async () => {
    const forgetting = feeds(
      (_call, place) => (place === "alone" ? listed(OF_PRIMARY) : listed()),
      () => listed(),
      { isLess: true },
    );
    expect(await resultOf(FEED, forgetting)).toMatchObject({ outcome: "inconclusive" });
  });

  test("that is not answered clearly side by side proves nothing", async () => {
    const behaviour = feeds(unclear(OF_PRIMARY), unclear(OF_OTHER), { isOpen: true });
    expect(await resultOf(FEED, behaviour)).toMatchObject({
      outcome: "inconclusive",
      reason: "side by side, not all were answered clearly",
    });
  });

  test("that was shown once alone to a request of another case, and so side by side, is mixed up", async () => {
    const shownOnce: Placed = ({ ofCase, caseId }, place) =>
      crossedIn("beside", ...(caseId === FEED && ofCase === 1 ? [place] : []))({} as Call, place);
    const result = await resultOf(FEED, feeds(shownOnce, undefined, { more: 1 }));
    expect(result).toMatchObject({ outcome: "fail" });
  });

  test("that lets in a token without the scope once alone makes no rule for later", async () => {
    const letInOnce = besides(FEED, { ...ofFeed, more: 1 }, (call, place) => {
      if (call.operation !== "readChangesFeed") return undefined;
      const isLetIn = call.caseId === FEED && call.ofCase === 3;
      const shown = listed(changeOf(call.organization));
      return isLetIn ? shown : scoped("org.changes:read", () => shown)(call, place);
    });
    expect(await resultOf(FEED, letInOnce)).toMatchObject({ outcome: "pass" });
  });

  test("that shows a change which the run submitted to another organization is mixed up, whenever it shows", async () => {
    const submitting = accepting(["submitChange"], {
      id: "tiny.submitting",
      judge: (probe) => probe.accepts(HARMLESS, { organization: OTHER }),
    });
    const submitted: unknown[] = [];
    const shown = (...ids: readonly string[]): Answer => ({
      status: 200,
      body: { items: ids.map((id) => (id === OF_OTHER ? { id, submitted } : { id })) },
    });
    const feed = feeds(
      (_call, place) => (place === "alone" ? shown(OF_PRIMARY) : shown(OF_PRIMARY, OF_OTHER)),
      () => shown(OF_OTHER),
    );
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
});

describe("a request for a change", () => {
  test.each([
    ["the change of a parallel request", () => OF_OTHER],
    ["whatever change it asks for", ({ path }: Call) => path.split("/")[4]],
  ])("that gets %s is a mix-up", async (_what, among) => {
    const result = await resultOf(CHANGE, changes(among, ["beside"]));
    expect(result?.outcome).toBe("fail");
    expect(result?.actual).toContain("shown a change of the organization");
  });

  test("that is refused in parallel is inconclusive", async () => {
    const refusing = changes(() => undefined, ["beside", "after"]);
    expect(await resultOf(CHANGE, refusing)).toMatchObject({ outcome: "inconclusive" });
  });
});
