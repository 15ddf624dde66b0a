import { expect, test } from "vitest";

import { reportFrom, reportJson } from "../../src/report/json.ts";
import type { Report } from "../../src/report/report.ts";
import { verifyReport } from "../../src/verify/verify.ts";
import { RULES } from "../../suites/index.ts";
import { runBehind } from "../support/front.ts";
import { claimsOf, type Forged, requestOf, responseOf } from "./forging.ts";
import { genuine, readBack, told } from "./reports.ts";

// Whole runs are verified by `prove`, in test/proof.
const SOME = [
  "routes.*",
  "receiver.audience/*@{view,edit}Organization",
  "errors.shape",
  "pagination.totals",
];

function without(...keys: readonly string[]) {
  return (profile: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(profile).filter(([key]) => !keys.includes(key)));
}

type GenuineRow = [string, string, ...Parameters<typeof genuine>];

test.each<GenuineRow>([
  ["of a selection", "partial", {}, { patterns: SOME }],
  [
    "of a selection by patterns of every kind",
    "partial",
    {},
    {
      patterns: [
        "routes.@(reachable|other)",
        "receiver.aud[i]ence/!(other)@{view,list}Organization",
        "*e*r*r*o*r*s*.*shape",
        "binding-list",
      ],
    },
  ],
  ["without writes", "incomplete", {}, { patterns: SOME, readOnly: true }],
  [
    "with a profile that lacks keys",
    "incomplete",
    {},
    {
      patterns: [...SOME, "receiver.local-policy", "document.*"],
      profile: without("denied", "openapi"),
    },
  ],
  [
    "that found a fault",
    "non-conformant",
    { faults: ["expiry-unchecked"] },
    { patterns: [...SOME, "receiver.expiry"] },
  ],
  [
    "that is explained by two faults, of which one has the name of another fault too",
    "non-conformant",
    { faults: ["hmac-by-jwk"] },
    { patterns: ["receiver.signature/*@{view,edit}Organization"] },
  ],
  ["of a receiver that accepts nobody", "incomplete", { faults: ["rejects-everything"] }],
  [
    "of a receiver that accepts forms of tokens as they come, because it takes others for replays",
    "incomplete",
    { faults: ["replays-by-issue-time"] },
    { patterns: ["receiver.scope{,-sufficient}/*@{view,edit}Organization"] },
  ],
  [
    "of a receiver that needs no token",
    "non-conformant",
    { faults: ["token-not-required"] },
    { patterns: [...SOME, "receiver.token-required"] },
  ],
  [
    "of both sides",
    "partial",
    { authorizationServer: true },
    { patterns: [...SOME, "authorization-server.*"] },
  ],
  [
    "of issued tokens",
    "partial",
    { authorizationServer: true },
    {
      patterns: SOME,
      profile: (profile) => ({ ...profile, testIssuer: false }),
    },
  ],
  [
    "over a line that troubles 5 % of the requests",
    "partial",
    {},
    {
      patterns: [...SOME, "receiver.scope"],
      troubles: { reset: 0.5, lost: 0.5, delay: 2, busyForNow: 1, tooMany: 1 },
    },
  ],
  [
    "of a receiver that closes the connection where credentials are not ASCII",
    "partial",
    {},
    {
      patterns: ["receiver.token-required/not-ascii@*"],
      troubles: { reset: 100 },
      victims: "notAscii",
    },
  ],
  // Cases alone, as `--failed` runs them: no other case shows what the profile says, or that requests were accepted before.
  ...[
    "errors.bad-request/invalid-body-text-json@submitChange",
    "receiver.binding/override-edit@viewOrganization",
    "receiver.binding/override-submit@readChangesFeed",
    "resources.submit/readable@submitChange",
    "resources.feed/submitted@readChangesFeed",
  ].map((name): GenuineRow => [`of ${name} alone`, "partial", {}, { patterns: [name] }]),
  [
    "that ended at the first violation",
    "non-conformant",
    { faults: ["expiry-unchecked"] },
    { patterns: [...SOME, "receiver.expiry"], bail: true },
  ],
  [
    "that tried violations once more, because requests get one another's answers",
    "non-conformant",
    { faults: ["user-kept-for-connection", "binding-by-prefix"] },
    {
      patterns: [
        "receiver.binding/empty@viewOrganization",
        "receiver.isolation/same-connection@viewOrganization",
      ],
    },
  ],
  [
    "of a receiver whose clock is ahead",
    "partial",
    { variants: ["clock-ahead"] },
    { patterns: SOME },
  ],
  [
    "of a receiver that refuses a write beside another one, so that some are sent again",
    "partial",
    { variants: ["writes-locked"] },
    {
      patterns: [
        "receiver.*/*-{long-body,replayed}@*",
        "receiver.audience/*@{editOrganization,submitChange}",
      ],
    },
  ],
  [
    "of named cases",
    "partial",
    {},
    { only: { names: ["receiver.audience/other@viewOrganization"], what: "one case" } },
  ],
])("the report of a run %s is consistent", async (_, verdict, reference, choices) => {
  const report = await genuine(reference, choices);
  const verification = await verifyReport(report, RULES);
  expect(told(verification)).toEqual([]);
  expect(verification).toMatchObject({ consistent: true, verdict: report.verdict });
  expect(report.verdict).toBe(verdict);
});

test("a result that rests on pages which are refused now and then names each of them, and is consistent", async () => {
  const id = "pagination.defaults/both@listOrganizations";
  const counts = new Map<string, number>();
  const { events } = await runBehind(
    (_method, path, headers) => {
      if (headers["conformance-case"] !== id) return undefined;
      const nth = (counts.get(path) ?? 0) + 1;
      counts.set(path, nth);
      // The first answers differ, then the answers to the first query do.
      const isRefused = path.includes("?") ? nth % 2 === 0 : nth % 2 === 1;
      return isRefused ? { status: 401, headers: { "www-authenticate": "Bearer" } } : undefined;
    },
    { patterns: [id] },
  );
  const report = readBack(reportJson(reportFrom(events)));
  const [one] = report.rules.flatMap(({ cases }) => cases);
  expect(one).toMatchObject({
    outcome: "inconclusive",
    reason: "?page=1&pageSize=100: 401 Unauthorized",
  });
  const answers = one?.evidence?.probes.map((name) => report.exchanges[name]?.response?.status);
  expect(answers).toEqual([200, 401, 200, 401]);
  expect(told(await verifyReport(report, RULES))).toEqual([]);
});

test("the report of a case whose second try needed several good requests is consistent", async () => {
  const id = "receiver.issuer/untrusted-unusual@viewOrganization";
  const refused = { status: 401, headers: { "www-authenticate": "Bearer" } };
  let own = 0;
  let controls = 0;
  const { events } = await runBehind(
    (_method, _path, headers) => {
      const sender = String(headers["conformance-case"]);
      if (sender.startsWith("shared/unusual-view") && headers["accept-language"]) return refused;
      // The first try is left without a control after it. The second one begins with a good request that is refused.
      if (sender === id) return ++own === 2 ? refused : undefined;
      return own === 1 && sender.startsWith("control/") && ++controls <= 2 ? refused : undefined;
    },
    { patterns: [id] },
  );
  const report = readBack(reportJson(reportFrom(events)));
  const [one] = report.rules.flatMap(({ cases }) => cases);
  expect(one).toMatchObject({ id, outcome: "pass" });
  expect(own).toBeGreaterThan(3);
  expect(told(await verifyReport(report, RULES))).toEqual([]);
});

test("tries that disagree may rest on good requests of two forms, if one of these was refused afterwards", async () => {
  const id = "receiver.claims-accepted/scope-twice@viewOrganization";
  let own = 0;
  const { events } = await runBehind(
    (_method, _path, headers) =>
      headers["conformance-case"] === id && ++own === 1 ? { status: 401 } : undefined,
    { patterns: [id] },
  );
  const report = readBack(reportJson(reportFrom(events)));
  const [one] = report.rules.flatMap(({ cases }) => cases);
  expect(one).toMatchObject({ id, flaky: true });
  const edited = structuredClone(report) as unknown as Forged;
  const discrepancies = async (): Promise<string[]> =>
    told(await verifyReport(edited as unknown as Report, RULES));
  claimsOf(requestOf(edited, id, "probes", 1))["scope"] = "org:read org:write org:read org:write";
  expect(await discrepancies()).toEqual([
    expect.stringContaining("this case makes another claims member scope"),
  ]);
  responseOf(edited, id, "controls", 1).status = 401;
  expect(await discrepancies()).toEqual([]);
});

test("the report of an interrupted run is consistent, and exits as the run did", async () => {
  const controller = new AbortController();
  let judged = 0;
  const report = await genuine(
    {},
    {
      patterns: ["receiver.audience", "receiver.issuer"],
      signal: controller.signal,
      onEvent: ({ type }) => {
        if (type === "case-ran" && ++judged === 30) controller.abort();
      },
    },
  );
  const verification = await verifyReport(report, RULES);
  expect(report.interrupted).toBe(true);
  expect(told(verification)).toEqual([]);
  expect(verification.exitCode).toBe(130);
});

test("every case is either judged again, not judged, or taken from the report", async () => {
  const report = await genuine(
    {},
    { patterns: ["receiver.audience", "receiver.order", "receiver.outbound", "document.valid"] },
  );
  const { cases, judgedAgain, unjudged, taken } = await verifyReport(report, RULES);
  const takenCases = taken.reduce((sum, one) => sum + one.cases, 0);
  expect(judgedAgain + unjudged + takenCases).toBe(cases);
  expect(judgedAgain).toBeGreaterThan(90);
  expect(taken).toContainEqual({ rule: "receiver.outbound", missing: "callback", cases: 9 });
  expect(taken).toContainEqual({ rule: "document.valid", missing: "document", cases: 2 });
  expect(taken.map(({ rule }) => rule)).not.toContain("receiver.order");
});
