import { beforeAll, expect, it } from "vitest";

import { HAS_BAILED, WAS_GIVEN_UP } from "../../src/engine/conclusion/verdict-text.ts";
import { startReference } from "../../src/reference/index.ts";
import { reportFrom, reportJson } from "../../src/report/json.ts";
import type { Report } from "../../src/report/report.ts";
import type { Verification } from "../../src/verify/verification.ts";
import { verifyReport } from "../../src/verify/verify.ts";
import { RULES } from "../../suites/index.ts";
import { BUNDLED_JWKS, runAgainst } from "../support/run-against.ts";
import {
  addUp,
  AUDIENCE,
  caseOf,
  changed,
  detects,
  emptied,
  evidenceOf,
  EXPIRED,
  type Forge,
  type Forged,
  type ForgedCase,
  found,
  NOT_OFFERED,
  pass,
  responseOf,
  ruleOf,
  SHAPE,
  SOME_RULES,
  there,
} from "./forging.ts";
import { genuine, readBack, told } from "./reports.ts";

const BEYOND = "receiver.expiry/beyond-300s@viewOrganization";
const UNUSUAL = "receiver.expiry/hour-ago-unusual-more@listOrganizations";
const SCOPES = "receiver.scope-sufficient/middle@viewOrganization";
const SEEN = "resources.edit/seen@editOrganization";
const PAGED = "receiver.audience/other-paged@listOrganizations";

/** Of a receiver with faults of several kinds. */
let faulty: Report;

beforeAll(async () => {
  faulty = await genuine(
    { faults: ["expiry-unchecked", "scope-only-first", "page-ignored"] },
    {
      rules: SOME_RULES,
      patterns: [
        EXPIRED,
        BEYOND,
        UNUSUAL,
        SCOPES,
        AUDIENCE,
        PAGED,
        SHAPE,
        "pagination.partition/{pages,beyond-the-end}@listOrganizations",
      ],
    },
  );
}, 300_000);

it("an unchanged report is consistent, and has the violations that are forged", async () => {
  expect(await found(faulty, () => {})).toEqual([]);
  const cases = faulty.rules.flatMap((rule) => rule.cases);
  const failed = cases.flatMap(({ id, outcome }) => (/fail|warn/.test(outcome) ? [id] : []));
  expect(failed).toEqual(expect.arrayContaining([EXPIRED, BEYOND, UNUSUAL, SCOPES]));
});

/** A case with another outcome, without its evidence. */
const bare =
  (id: string, members: Partial<ForgedCase>): Forge =>
  (forged) =>
    emptied(forged, caseOf(forged, id), members);

const OPEN = { outcome: "inconclusive", reason: "nobody knows" } as const;

/** The violation with another reason and without its evidence. */
const undecided = (code: NonNullable<ForgedCase["code"]>): Forge =>
  bare(EXPIRED, { ...OPEN, code });

const passed = (id: string): Forge => changed(id, { outcome: "pass" });

detects("a violation that passes", () => faulty, {
  "a token that had long expired, judged by the clock": [
    /outcome receiver\.expiry\/beyond-300s@.*had to be rejected, and was accepted/,
    passed(BEYOND),
  ],
  "an unusual request, tried again with others": [
    /outcome receiver\.expiry\/hour-ago-unusual-more@list.*: its evidence shows fail/,
    passed(UNUSUAL),
  ],
  "pages that are all the same": [
    /outcome pagination\.partition\/pages@.*: its evidence shows fail/,
    passed("pagination.partition/pages@listOrganizations"),
  ],
  "a page beyond the end, of which little is recorded": [
    /outcome pagination\.partition\/beyond-the-end@.*: its requests show a violation/,
    passed("pagination.partition/beyond-the-end@listOrganizations"),
  ],
});

detects("a violation without its evidence", () => faulty, {
  "as inconclusive": [
    /outcome receiver\.expiry\/hour-ago@.*~1 was accepted, and its evidence does not name it/,
    bare(EXPIRED, OPEN),
  ],
  "as inconclusive, by a rule that sends more": [
    /outcome receiver\.scope-sufficient\/middle@.*its requests show a violation/,
    bare(SCOPES, OPEN),
  ],
  "as inconclusive, with its controls": [
    /evidence receiver\.expiry\/hour-ago@.*neither an answer nor a refused control/,
    (forged) => {
      const { controls = [] } = evidenceOf(forged, EXPIRED);
      changed(EXPIRED, { ...OPEN, evidence: { probes: [], controls } })(forged);
    },
  ],
  "as not applicable": [
    /outcome receiver\.scope-sufficient\/middle@.*its requests show a violation/,
    bare(SCOPES, NOT_OFFERED),
  ],
  "without its first request": [
    /evidence\/probes receiver\.expiry\/hour-ago@.*: 1 of the requests before its last one/,
    (forged) => {
      const { probes } = evidenceOf(forged, EXPIRED);
      delete forged.exchanges[there(probes.shift())];
    },
  ],
});

detects("a reason that nothing bears out", () => faulty, {
  "a violation whose controls were accepted": [
    /outcome receiver\.scope-sufficient\/middle@.*: its evidence shows fail/,
    changed(SCOPES, OPEN),
  ],
  "a write that was not sent, of a case that reads": [
    /code receiver\.expiry\/hour-ago@.*: it writes nothing/,
    undecided("write-limit"),
  ],
  "a crash without a request": [
    /code receiver\.expiry\/hour-ago@.*: no request is named that brought the deployment down/,
    undecided("crash"),
  ],
  "a crash that no set-up problem names": [
    /code receiver\.expiry\/hour-ago@.*: no set-up problem says that the deployment went down/,
    (forged) => {
      changed(EXPIRED, { ...OPEN, code: "crash" })(forged);
      for (const id of evidenceOf(forged, EXPIRED).probes) {
        const exchange = there(forged.exchanges[id]);
        delete exchange.response;
        exchange.fault = { kind: "reset", message: "the connection was closed" };
      }
    },
  ],
  "refused good requests that are not named": [
    /code receiver\.expiry\/hour-ago@.*: no request is named that was refused/,
    undecided("refused-for-a-moment"),
  ],
  "a violation that was seen once and is not named": [
    /code receiver\.expiry\/hour-ago@.*: no request is named that shows the violation/,
    undecided("unconfirmed"),
  ],
  "a violation that was seen twice": [
    /code receiver\.expiry\/hour-ago@.*: its requests were accepted, which confirms the violation/,
    changed(EXPIRED, { ...OPEN, code: "unconfirmed" }),
  ],
  "a violation beside others that no rule has seen": [
    /code receiver\.expiry\/hour-ago@.*: no rule takes the blame/,
    undecided("beside-others"),
  ],
  "lost time of which nothing is told": [
    /code receiver\.expiry\/hour-ago@.*: nothing says what was lost/,
    (forged) => {
      forged.partialBecause.push(WAS_GIVEN_UP);
      undecided("lost-time")(forged);
    },
  ],
  "a violation that ended the run, without one": [
    /code receiver\.expiry\/hour-ago@.*: no MUST is violated/,
    (forged) => {
      forged.partialBecause.push(HAS_BAILED);
      for (const { id, outcome } of forged.rules.flatMap((rule) => rule.cases))
        if (outcome === "fail") bare(id, { ...OPEN, code: "bail" })(forged);
    },
  ],
});

detects("a pass that is left out", () => faulty, {
  "as not applicable": [
    /outcome receiver\.audience\/other-paged@.*its requests show that it passed/,
    bare(PAGED, NOT_OFFERED),
  ],
});

it("answers that violate a rule about all of them, reported as inconclusive, are detected", async () => {
  const lines = await found(faulty, (forged: Forged) => {
    responseOf(forged, AUDIENCE, "probes").body = "{}";
    const one = there(ruleOf(forged, "errors.shape").cases.find(({ id }) => id === SHAPE));
    emptied(forged, one, OPEN);
    addUp(forged);
  });
  expect(lines.join("\n")).toMatch(/outcome errors\.shape.*recorded answers contradict it/);
});

it("an edit that no view shows, and that passes, is detected", async () => {
  const reference = await startReference({ jwks: BUNDLED_JWKS, faults: ["edit-not-saved"] });
  const { events } = await runAgainst(reference.profile, { patterns: [SEEN], patienceMs: 200 });
  await reference.close();
  const report = readBack(reportJson(reportFrom(events))) as unknown as Forged;
  const verified = (): Promise<Verification> => verifyReport(report as unknown as Report, RULES);
  expect(told(await verified())).toEqual([]);
  pass(caseOf(report, SEEN));
  addUp(report);
  expect(told(await verified()).join("\n")).toMatch(
    /outcome resources\.edit\/seen@.*: its evidence/,
  );
});
