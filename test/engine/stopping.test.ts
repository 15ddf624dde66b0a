import { describe, expect, test } from "vitest";

import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { planRun } from "../../src/engine/plan.ts";
import { RULES } from "../../suites/index.ts";
import { runBehind } from "../support/front.ts";
import {
  type Answer,
  type Behaviour,
  refusal,
  refusing,
  returning,
  runTiny,
  tinyTarget,
  VIOLATED,
} from "./tiny.ts";

const HTML = { "content-type": "text/html" };
const page = (status: number): Answer => ({ status, headers: HTML, body: "<html>" });

const accepting: Behaviour = ({ isBad }) => (isBad ? { status: 200 } : undefined);

/** The outcomes of judged cases. */
const JUDGED = new Set(["pass", "fail", "warn"]);

/** Of most kinds one, with all operations. */
const SOME = RULES.filter(({ id }) =>
  /^(receiver\.(token-required|issuer)|errors\.media-type|pagination\.results-info|resources\.view)$/.test(
    id,
  ),
);

describe("when no token is accepted, a run stops after its preflight", () => {
  test.each<[string, Behaviour, number]>([
    ["401 with an Error body", () => refusal(401), 30],
    ["401 with a gateway's page", () => page(401), 30],
    ["403", () => refusal(403), 30],
    ["404, as under a wrong path", () => refusal(404), 30],
    ["500 with a page", () => page(500), 10],
    ["a redirect", () => ({ status: 302, headers: { location: "/login" } }), 10],
    ["an unexpected status", () => refusal(418), 10],
  ])("with %s for everything", async (_what, behaviour, most) => {
    const { finished, results, calls } = await runTiny(SOME, { behaviour });
    expect(calls.length).toBeLessThanOrEqual(most);
    expect([finished.verdict, finished.partialBecause, finished.suiteErrors]).toEqual([
      "incomplete",
      [],
      [],
    ]);
    expect(finished.verdictText).toMatch(
      /^Incomplete\. No good token was accepted, so the run stopped after its first requests\. \d+ MUST/,
    );
    expect(finished.setup).toHaveLength(1);
    expect(results.filter(({ outcome }) => JUDGED.has(outcome))).toEqual([]);
    const unjudged = results.filter(({ outcome }) => outcome === "inconclusive");
    expect(unjudged).not.toEqual([]);
    for (const { reason } of unjudged) expect(reason).toMatch(/was not accepted|no good request/);
  });

  test("every case is still reported, and as not provisioned if it lacks a key", async () => {
    const { results, calls } = await runTiny(RULES, { behaviour: () => refusal(401) });
    expect(calls.length).toBeLessThanOrEqual(30);
    expect(results.filter(({ outcome }) => JUDGED.has(outcome))).toEqual([]);
    const unjudged = results.filter(({ outcome }) => outcome === "inconclusive");
    expect(unjudged.length).toBeGreaterThan(500);
    const planned = planRun(tinyTarget("http://127.0.0.1:9/base"), RULES, []).cases.map(
      ({ caseId }) => caseId,
    );
    expect(results.map(({ id }) => id).toSorted()).toEqual(planned.toSorted());
    // The cases that need a denied pair.
    const denied = results.filter(({ id }) => /^receiver\.local-policy\/(un)?bound@/.test(id));
    expect(new Set(denied.map(({ outcome }) => outcome))).toEqual(new Set(["not-provisioned"]));
  });

  test("the deployment's document is still judged", async () => {
    const { finished, results } = await runBehind((_method, path) =>
      path.endsWith("/openapi.json") ? undefined : { status: 401 },
    );
    expect(finished.verdict).toBe("incomplete");
    expect(finished.requests).toBeLessThanOrEqual(30);
    const judged = results.filter(({ outcome }) => JUDGED.has(outcome));
    expect(new Set(judged.map(({ rule }) => rule.split(".")[0]))).toEqual(new Set(["document"]));
    expect(judged.map(({ id }) => id)).toContain("document.valid/openapi");
  });
});

describe("a run continues", () => {
  test("if every token is accepted, and reports that", async () => {
    const id = "11111111-1111-4111-8111-111111111111";
    const { finished, calls } = await runTiny(SOME, {
      behaviour: () => ({ status: 200, body: { items: [{ id }], data: { id } } }),
      patienceMs: 0,
    });
    expect(finished.verdict).toBe("non-conformant");
    expect(calls.length).toBeGreaterThan(100);
  });

  test("if one operation accepts a token, although no selected one does", async () => {
    const { finished, results } = await runTiny(RULES, {
      behaviour: ({ operation, claims }) =>
        claims && operation === "viewOrganization" ? refusal(404) : undefined,
      patterns: ["routes.reachable/viewOrganization"],
    });
    expect(finished.verdict).toBe("non-conformant");
    expect(results.map(({ outcome }) => outcome)).toEqual(["fail"]);
  });

  test("if the last operation accepts a token that the first ones refuse", async () => {
    const { outcomes } = await runTiny([refusing(OPERATION_IDS)], {
      behaviour: ({ operation, claims, header }) => {
        if (!claims) return undefined;
        if (operation === "listOrganizations" || operation === "viewOrganization") {
          return refusal(404);
        }
        return header?.["typ"] === "at+jwt" ? undefined : refusal(401);
      },
    });
    expect(outcomes["tiny.refusing/bad@readChangesFeed"]).toBe("pass");
  });
});

describe("with `bail`, a run ends at the first violation", () => {
  const many = refusing(
    OPERATION_IDS.filter((id) => id !== "editOrganization" && id !== "submitChange"),
  );
  test("the other cases are inconclusive, as not run", async () => {
    const { finished, results } = await runTiny([many], {
      bail: true,
      concurrency: 1,
      behaviour: accepting,
    });
    expect([finished.verdict, finished.interrupted]).toEqual(["non-conformant", false]);
    expect(finished.partialBecause).toContain("it ended at the first violation of a MUST");
    const outcomes = results.map(({ outcome, code }) => code ?? outcome);
    expect(outcomes).toHaveLength(4);
    // The two operations that are probed first are probed side by side.
    expect(new Set(outcomes)).toEqual(new Set(["fail", "bail"]));
  });

  test("a known failure does not end it", async () => {
    const { results } = await runTiny([many], {
      bail: true,
      isKnown: () => true,
      behaviour: accepting,
    });
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["fail"]));
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ["that a known failure explains does not end it", ["tiny.known"], []],
    ["that no known failure explains ends it", [], ["it ended at the first violation of a MUST"]],
  ])("a failure %s", async (_what, dependsOn, because) => {
    const rules = [
      returning("known", "MUST", VIOLATED),
      returning("other", "MUST", VIOLATED, { dependsOn }),
    ];
    const { finished } = await runTiny(rules, {
      bail: true,
      isKnown: (id) => id.startsWith("tiny.known/"),
    });
    const ended = finished.partialBecause.filter((one) => one.startsWith("it ended"));
    expect(ended).toEqual(because);
  });
});

test("a run ends when too much time is lost with requests that are never answered, and says so", async () => {
  const { finished, results } = await runTiny([refusing(OPERATION_IDS)], {
    behaviour: ({ isBad }) => (isBad ? "hang" : undefined),
    timesOut: true,
    mostLostMs: 0,
  });
  expect([finished.verdict, finished.interrupted, finished.partialBecause]).toEqual([
    "incomplete",
    false,
    ["too many requests got no complete answer, or all answers together were too large"],
  ]);
  expect(finished.setup[0]?.problem).toMatch(
    /^\d+ of \d+ requests to http:\S+ got no complete answer, for example tiny\.refusing\/bad@\w+: no answer within the time limit.* and ended\.$/,
  );
  expect(finished.setup[0]?.remedy).toContain("request.timeoutMs");
  expect(results).toHaveLength(OPERATION_IDS.length);
  expect(results.map(({ outcome, reason }) => `${outcome}: ${reason}`)).toContain(
    "inconclusive: the run ended before it was judged, because too many requests got no complete answer, or all answers together were too large",
  );
});
