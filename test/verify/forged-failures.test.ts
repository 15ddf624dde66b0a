import { beforeAll, describe, expect, it } from "vitest";

import type { Report } from "../../src/report/report.ts";
import {
  addUp,
  AUDIENCE,
  caseOf,
  changed,
  detects,
  emptied,
  EXPIRED,
  type Forge,
  type Forged,
  type ForgedCase,
  found,
  NOT_OFFERED,
  pass,
  responseOf,
  ruleOf,
  SELECTED,
  SOME_RULES,
  there,
} from "./forging.ts";
import { genuine } from "./reports.ts";

let faulty: Report;

beforeAll(async () => {
  faulty = await genuine(
    { faults: ["expiry-unchecked", "organization-by-pattern"] },
    { rules: SOME_RULES, patterns: [...SELECTED, "receiver.expiry/*@viewOrganization"] },
  );
}, 300_000);

/** Changes the failure. */
const failure =
  (change: (one: ForgedCase) => unknown): Forge =>
  (forged) =>
    change(caseOf(forged, EXPIRED));

it("an unchanged report is consistent", async () => {
  expect(await found(faulty, () => {})).toEqual([]);
});

const OUTCOME = /\/outcome receiver\.expiry\/hour-ago@viewOrganization/;
const OPEN = { outcome: "inconclusive", reason: "nobody knows" } as const;
const HIDDEN = /outcome errors\.not-found.*its requests show a violation/;

detects("a forgery in a report that failed", () => faulty, {
  "an outcome": [
    /\/outcome receiver\.expiry\/hour-ago@viewOrganization: its evidence shows fail/,
    failure(pass),
  ],
  "a failure reported as a warning": [OUTCOME, failure((one) => (one.outcome = "warn"))],
  "a failure reported as inconclusive": [OUTCOME, changed(EXPIRED, OPEN)],
  "a failure reported as not applicable": [
    OUTCOME,
    changed(EXPIRED, {
      outcome: "not-applicable",
      reason: "nobody asked",
      evidence: undefined,
    }),
  ],
  "a failure blamed on another rule": [
    /\/blamedOn receiver\.expiry/,
    changed(EXPIRED, {
      outcome: "inconclusive",
      blamedOn: "receiver.audience",
      reason: "proves nothing: receiver.audience already failed on viewOrganization",
    }),
  ],
  "a failure reported as flaky": [/\/flaky receiver\.expiry/, failure((one) => (one.flaky = true))],
  "facts that differ from the sentence": [
    /\/facts\/actual receiver\.expiry/,
    failure(({ facts }) => (there(facts).actual = [{ kind: "answer", status: 401 }])),
  ],
  "a redacted sentence": [
    /\/actual receiver\.expiry/,
    failure((one) => {
      one.actual = "[redacted]";
      delete one.facts;
    }),
  ],
  "another sentence": [
    /\/actual receiver\.expiry/,
    failure((one) => {
      one.actual = "401 Unauthorized";
      there(one.facts).actual = [{ kind: "answer", status: 401 }];
    }),
  ],
  "a verdict": [/\/verdict : /, (forged) => (forged.verdict = "partial")],
  "a selection presented as a whole run": [
    /\/rules : the rule .* is missing/,
    (forged) => {
      forged.plan.patterns = [];
      Object.assign(forged, { partialBecause: [], partial: false });
    },
  ],
  "a selection that is not stated": [
    /\/partial/,
    (forged) => Object.assign(forged, { partialBecause: [], partial: false }),
  ],
  "operations presented as not offered": [
    /\/partialBecause|\/scope|\/outcome/,
    ({ plan }) => delete plan.facts.operations.editOrganization,
  ],
});

describe("a report that failed", () => {
  it("tells first of a failure that was changed to a pass", async () => {
    const [first] = await found(
      faulty,
      failure((one) => (one.outcome = "pass")),
    );
    expect(first).toContain(`/outcome ${EXPIRED}: its evidence shows fail`);
  });

  it("is not consistent if all failures are changed at once, with matching totals", async () => {
    const lines = await found(faulty, (forged) => {
      for (const { cases } of forged.rules) {
        for (const one of cases) if (one.outcome === "fail") pass(one);
      }
      addUp(forged);
      forged.verdict = "partial";
    });
    expect(lines.length).toBeGreaterThan(5);
  });
});

/** The failure of a rule whose cases send requests of their own. */
function ownFailure(forged: Forged): ForgedCase {
  return there(ruleOf(forged, "errors.not-found").cases.find(({ outcome }) => outcome === "fail"));
}

detects("a violation without its evidence", () => faulty, {
  "as not applicable": [HIDDEN, (forged) => emptied(forged, ownFailure(forged), NOT_OFFERED)],
  "as observed": [HIDDEN, (forged) => emptied(forged, ownFailure(forged), { outcome: "observed" })],
  "as not provisioned": [
    HIDDEN,
    (forged) =>
      emptied(forged, ownFailure(forged), {
        outcome: "not-provisioned",
        reason: "the profile lacks openapi",
        missing: ["openapi"],
      }),
  ],
  "as an answer that was cut": [
    /response\/truncated : nothing so short is cut/,
    (forged) => (responseOf(forged, ownFailure(forged).id, "probes").truncated = true),
  ],
  "in a run that waited longer than it lasted": [
    /waitedMs : the run was shorter/,
    (forged) => (forged.waitedMs = forged.durationMs + 1000),
  ],
  "as one of several that were left out": [
    /excluded : it does not follow that it has/,
    (forged) => forged.excluded.push({ reason: "nobody asked", cases: 1 }),
  ],
});

const NO_BASELINE = { file: "known.yaml", known: [], unknown: [], stale: [] };
const NO_FAULT = /diagnoses\/0 : no known fault of receiver\.expiry/;

/** Changes the diagnosis. */
const diagnosis =
  (members: object): Forge =>
  ({ diagnoses }) =>
    Object.assign(there(diagnoses[0]), members);

/** A baseline, which the run did not have. */
const baseline =
  (members: Partial<NonNullable<Forged["baseline"]>>): Forge =>
  (forged) =>
    (forged.baseline = { ...NO_BASELINE, ...members });

detects("a conclusion that does not follow", () => faulty, {
  "a failure that was not reached in time": [
    /code receiver\.expiry.*nothing else says that the run ended early/,
    changed(EXPIRED, { ...OPEN, code: "time-limit" }),
  ],
  "a failure in a moment in which no good request was refused": [
    /code receiver\.expiry.*no good request was refused/,
    changed(EXPIRED, { ...OPEN, code: "refused-for-a-moment" }),
  ],
  "a failure that was a crash": [
    /code receiver\.expiry.*an answer shows that the deployment did not go down/,
    changed(EXPIRED, { ...OPEN, code: "crash" }),
  ],
  "an unknown fault": [NO_FAULT, diagnosis({ fault: "forged" })],
  "other words of a diagnosis": [NO_FAULT, diagnosis({ behaves: "is right" })],
  "a diagnosis of a rule that passed": [
    /diagnoses\/0\/rule : receiver\.audience is not violated/,
    diagnosis({ rule: "receiver.audience" }),
  ],
  "a diagnosis that explains what passed": [
    /diagnoses\/0\/explains : .* is not violated so/,
    diagnosis({ explains: [AUDIENCE] }),
  ],
  "a diagnosis that leaves a failure out": [
    /diagnoses\/0\/leaves : .* is neither here nor explained/,
    diagnosis({ explains: [] }),
  ],
  "a diagnosis that hides what it does not explain": [
    /diagnoses\/0\/exact : it does not follow/,
    diagnosis({ exact: false }),
  ],
  "other words of an observation": [
    /observations : .* observed: /,
    ({ observations }) => {
      for (const one of observations) one.value = "nothing";
    },
  ],
  "no observations": [/observations : .* observed: /, (forged) => (forged.observations = [])],
  "a failure that a baseline does not name": [
    /baseline\/unknown : it lacks "receiver\.expiry\/hour-ago@viewOrganization"/,
    baseline({}),
  ],
  "a known failure that passed": [
    /baseline\/known\/0 : receiver\.audience.* did not fail/,
    baseline({ known: [{ case: AUDIENCE, reason: "ticket 1" }] }),
  ],
  "a new failure that passed": [
    /baseline\/unknown : .*it does not follow that it has "receiver\.audience/,
    baseline({ unknown: [AUDIENCE] }),
  ],
  "a known failure that may not fail any more": [
    /baseline\/known\/0\/expires : it was over when the run began/,
    baseline({ known: [{ case: EXPIRED, reason: "ticket 1", expires: "2020-01-01" }] }),
  ],
  "more cases that known failures explain": [
    /baseline\/blamed : it follows to be \d+/,
    baseline({ blamed: 99 }),
  ],
});
