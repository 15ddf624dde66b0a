import { promisify } from "node:util";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { OPERATION_IDS } from "../../src/contract/operations.ts";
import type { RunEvent } from "../../src/engine/events.ts";
import { planRun } from "../../src/engine/plan.ts";
import { SuiteError } from "../../src/lib/errors.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { referenceTarget } from "../support/target.ts";
import { worded } from "../support/worded.ts";
import { accepting, type Behaviour, refusing, runTiny, type TinyRun } from "./tiny.ts";

const RULES = [refusing(OPERATION_IDS), accepting(OPERATION_IDS)];

test("events come in order, and each is emitted once", async () => {
  const { events, calls, finished, results } = await runTiny(RULES);
  const types = events.map(({ type }) => type);
  expect(types.slice(0, 2)).toEqual(["run-started", "run-planned"]);
  expect(types.at(-1)).toBe("run-finished");
  expect(new Set(types.slice(2, -1))).toEqual(new Set(["exchange", "case-ran", "case-judged"]));
  const exchanges = events.filter(({ type }) => type === "exchange");
  expect([exchanges.length, calls.length]).toEqual([finished.requests, finished.requests]);
  expect(results.map(({ id }) => id)).toEqual(
    planRun(referenceTarget(), RULES, []).cases.map(({ caseId }) => caseId),
  );
  expect(events.filter(({ type }) => type === "case-ran")).toHaveLength(results.length);
});

test("evidence names existing exchanges, and ids are unique", async () => {
  const { exchanges, results } = await runTiny(RULES, {
    behaviour: ({ isBad }) => (isBad ? { status: 200 } : undefined),
  });
  const ids = exchanges.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { evidence } of results) {
    const named = [...(evidence?.probes ?? []), ...(evidence?.controls ?? [])];
    expect(named.length).toBeGreaterThan(1);
    expect(ids).toEqual(expect.arrayContaining(named));
  }
});

/** What must be the same in every run with one seed: everything except times and unique values. */
function comparable({ events }: TinyRun): unknown[] {
  const text = JSON.stringify(
    events
      .filter(({ type }) => type !== "case-ran")
      .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
  );
  return JSON.parse(
    text
      .replaceAll(/"(startedAt|date|durationMs|waitedMs)":("[^"]*"|\d+)/g, '"$1":0')
      .replaceAll(/conformance-[\da-f]{18}/g, "unique")
      // The `jti` of a good `at+jwt`, which is made of the time.
      .replaceAll(/conformance-\d{10}(?!\d)/g, "jti")
      .replaceAll(/127\.0\.0\.1:\d+/g, "host")
      .replaceAll(/(?<=\\?"(?:iat|exp)\\?":)\d+/g, "0"),
  ) as unknown[];
}

function sortKey(event: RunEvent): string {
  if (event.type === "exchange") return event.exchange.id;
  return "result" in event ? `${event.type} ${event.result.id}` : event.type;
}

const turn = promisify(setImmediate);

async function someTurns(): Promise<undefined> {
  for (let turns = Math.random() * 400; turns > 0; turns--) await turn();
}

test.each(
  Object.entries<Behaviour>({
    "a conforming target": () => undefined,
    "a target that accepts everything": () => ({ status: 200, body: { id: "c1" } }),
    "a target that needs different tokens": ({ header, operation }) =>
      operation === "readChange" && header?.["typ"] !== "at+jwt" ? { status: 401 } : undefined,
    "a target with random delays": someTurns,
    "a target that accepts everything, with random delays": async () => {
      await someTurns();
      return { status: 200, body: { id: "c1" } };
    },
  }),
)("two runs with the same seed differ only in times: %s", async (_what, behaviour) => {
  const first = await runTiny(RULES.slice(0, 2), { behaviour });
  const second = await runTiny(RULES.slice(0, 2), { behaviour });
  expect(comparable(second)).toEqual(comparable(first));
});

test("the seed determines generated values", async () => {
  const rule = refusing(undefined, {
    judge: async (probe) =>
      Promise.resolve({ kind: "observed", value: phrase`${probe.uuid("x")}` }),
  });
  const valueOf = async (seed: number): Promise<string | undefined> =>
    (await runTiny([rule], { seed })).results[0]?.actual;
  const value = await valueOf(7);
  expect(value).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(await valueOf(7)).toBe(value);
  expect(await valueOf(8)).not.toBe(value);
});

/** A value of the environment that nothing may show. */
const HIDDEN = "hidden-for-good";
beforeEach(() => void vi.stubEnv("HIDDEN", HIDDEN));
afterEach(() => void vi.unstubAllEnvs());

test("no event contains a value from the environment, a token or a credential", async () => {
  const { events } = await runTiny(
    [
      refusing(),
      accepting(undefined, {
        judge: (probe) =>
          Promise.resolve({ kind: "observed", value: phrase`it is ${probe.target.subject}` }),
      }),
      accepting(undefined, {
        id: "tiny.broken",
        judge: (probe) => Promise.reject(new Error(`cannot do ${probe.target.subject}`)),
      }),
    ],
    {
      behaviour: ({ token, isBad }) =>
        token !== undefined && isBad
          ? { status: 401, body: { message: token }, headers: { "x-token": token } }
          : undefined,
      profile: {
        subject: "${env:HIDDEN}",
        audience: "${env:HIDDEN}",
        request: { headers: { "X-Api-Key": "${env:HIDDEN}", "X-Other-Key": "sesame-open" } },
      },
    },
  );
  const text = JSON.stringify(worded(events));
  expect(JSON.stringify(events) + text).not.toMatch(/hidden-for-good|sesame-open/);
  expect(text).not.toMatch(/eyJ[\w-]+\.[\w-]+\./);
  expect(text).toContain("it is [redacted]");
  expect(text).toContain("cannot do [redacted]");
});

test("set-up messages are redacted too", async () => {
  const { finished } = await runTiny([refusing()], {
    behaviour: () => ({ status: 403 }),
    profile: { subject: "${env:HIDDEN}" },
  });
  expect(finished.setup).toHaveLength(1);
  expect(JSON.stringify(finished)).not.toContain(HIDDEN);
});

test("a secret in the URL of an unreachable target is not shown", async () => {
  const error: unknown = await runTiny([refusing()], {
    profile: { baseUrl: "http://127.0.0.1:9/${env:HIDDEN}" },
  }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SuiteError);
  expect((error as SuiteError).message).toMatch(
    /^http:\/\/127\.0\.0\.1:9\/\[redacted\] cannot be reached/,
  );
});

test("a request for an operation uses the profile's settings of that operation", async () => {
  const { calls } = await runTiny([refusing(["editOrganization"])], {
    profile: {
      operations: {
        editOrganization: {
          contentType: "application/merge-patch+json",
          body: { a: "x ${unique}", b: [1] },
        },
      },
    },
  });
  const bodies = calls
    .filter(({ method, caseId }) => method === "PATCH" && /^(tiny\.|control\/)/.test(caseId))
    .map(({ body }) => JSON.parse(body) as unknown);
  for (const body of bodies)
    expect(body).toMatchObject({ a: expect.stringMatching(/^x conformance-/) as string, b: [1] });
  expect(bodies.length).toBeGreaterThanOrEqual(3);
});
