import { beforeAll, describe, expect, it } from "vitest";

import type { Report } from "../../src/report/report.ts";
import {
  AUDIENCE,
  addUp,
  caseOf,
  evidenceOf,
  exchangeOf,
  type Forged,
  found,
  pass,
  responseOf,
  ruleOf,
  there,
} from "./forging.ts";
import { genuine } from "./reports.ts";

const SHAPE = "errors.shape/viewOrganization";

const EXPIRED = "receiver.expiry/hour-ago@viewOrganization";

const SELECTED = ["routes.*", "receiver.token-required", "receiver.audience", "errors.*"];

let good: Report;

let faulty: Report;

beforeAll(async () => {
  good = await genuine({}, { patterns: [...SELECTED, "receiver.issuer", "receiver.rotation"] });
  const expired = [...SELECTED, "receiver.expiry"];
  faulty = await genuine({ faults: ["expiry-unchecked"] }, { patterns: expired });
}, 300_000);

it("an unchanged report is consistent", async () => {
  expect(await found(good, () => {})).toEqual([]);
  expect(await found(faulty, () => {})).toEqual([]);
});

describe("a forgery in a report that passed is detected:", () => {
  it.each<[what: string, where: RegExp, forge: (forged: Forged) => void]>([
    [
      "another status of a probe",
      /\/outcome receiver\.audience\/other@viewOrganization: its evidence shows one violation/,
      (forged) => {
        responseOf(forged, AUDIENCE, "probes").status = 200;
      },
    ],
    [
      "another status of a control",
      /evidence\/controls\/1 .*was not accepted/,
      (forged) => {
        responseOf(forged, AUDIENCE, "controls", 1).status = 401;
      },
    ],
    [
      "missing controls",
      /evidence\/controls receiver\.audience.*no control was accepted/,
      (forged) => {
        evidenceOf(forged, AUDIENCE).controls = [];
      },
    ],
    [
      "no control after the probes",
      /evidence\/controls receiver\.audience.*no control was accepted after/,
      (forged) => {
        const evidence = evidenceOf(forged, AUDIENCE);
        evidence.controls = evidence.controls?.slice(0, 1);
      },
    ],
    [
      "evidence of another case",
      /\/evidence receiver\.audience.*which its evidence lacks/,
      (forged) => {
        const other = caseOf(forged, "receiver.issuer/untrusted@viewOrganization");
        caseOf(forged, AUDIENCE).evidence = structuredClone(other.evidence);
      },
    ],
    [
      "missing evidence",
      /\/evidence receiver\.audience.*which its evidence lacks/,
      (forged) => {
        delete caseOf(forged, AUDIENCE).evidence;
      },
    ],
    [
      "another difference",
      /differences\/\d+\/probe receiver\.audience/,
      (forged) => {
        const { differences } = evidenceOf(forged, AUDIENCE);
        const aud = there(differences?.find((one) => "name" in one && one.name === "aud"));
        Object.assign(aud, { probe: "https://forged" });
      },
    ],
    [
      "a removed case",
      /the plan has it, and nothing says that it was left out/,
      (forged) => {
        const rule = ruleOf(forged, "receiver.audience");
        rule.cases = rule.cases.filter((one) => one.id !== AUDIENCE);
      },
    ],
    [
      "an added case",
      /\/rules\/\d+\/cases\/\d+ receiver\.audience\/forged: the plan has no such case/,
      (forged) => {
        const one = { ...caseOf(forged, AUDIENCE), id: "receiver.audience/forged" };
        ruleOf(forged, "receiver.audience").cases.push(one);
      },
    ],
    [
      "a repeated case",
      /it is listed twice/,
      (forged) => {
        ruleOf(forged, "receiver.audience").cases.push({ ...caseOf(forged, AUDIENCE) });
      },
    ],
    [
      "a removed rule",
      /the rule receiver\.audience is missing/,
      (forged) => {
        forged.rules.splice(forged.rules.indexOf(ruleOf(forged, "receiver.audience")), 1);
      },
    ],
    [
      "an added rule",
      /the plan has no rule receiver\.forged/,
      (forged) => {
        const rule = ruleOf(forged, "receiver.audience");
        forged.rules.push({ ...rule, id: "receiver.forged", cases: [] });
      },
    ],
    [
      "another title of a rule",
      /\/title : the rule receiver\.audience has another title/,
      (forged) => {
        ruleOf(forged, "receiver.audience").title = "Whatever is sent is accepted";
      },
    ],
    [
      "a count",
      /\/counts\/MUST\/pass/,
      (forged) => {
        forged.counts.MUST["pass"] += 1;
      },
    ],
    [
      "the covered cases",
      /\/coverage/,
      (forged) => {
        forged.coverage.total -= 100;
      },
    ],
    [
      "the scope",
      /\/scope/,
      (forged) => {
        forged.scope.sides = ["receiver", "authorization-server"];
      },
    ],
    [
      "the verdict's sentence",
      /\/verdictText/,
      (forged) => {
        forged.verdictText = "Conformant: every wish is granted.";
      },
    ],
    [
      "the level",
      /\/level receiver\.audience\/other@viewOrganization: it is "MUST"/,
      (forged) => {
        caseOf(forged, AUDIENCE).level = "SHOULD";
      },
    ],
    [
      "another requirement",
      /\/requirement receiver\.audience/,
      (forged) => {
        caseOf(forged, AUDIENCE).requirement = "Anything goes.";
      },
    ],
    [
      "a recorded answer that contradicts a rule about all answers",
      /\/outcome errors\.shape\/viewOrganization: the recorded answer .* contradicts it/,
      (forged) => {
        responseOf(forged, AUDIENCE, "probes").body = "{}";
      },
    ],
    [
      "a case that does not apply",
      /\/outcome receiver\.rotation/,
      (forged) => {
        const one = there(ruleOf(forged, "receiver.rotation").cases[0]);
        one.outcome = "pass";
        delete one.reason;
      },
    ],
    [
      "an exchange that nothing refers to",
      /\/exchanges\/forged : no evidence names it/,
      (forged) => {
        forged.exchanges.forged = { ...exchangeOf(forged, AUDIENCE, "probes"), id: "forged" };
      },
    ],
    [
      "a provisioned key reported as missing",
      /\/missing receiver\.audience.*the profile has claimsNamespace/,
      (forged) => {
        const one = caseOf(forged, AUDIENCE);
        pass(one);
        Object.assign(one, {
          outcome: "not-provisioned",
          reason: "the profile lacks claimsNamespace",
          missing: ["claimsNamespace"],
        });
        delete one.evidence;
      },
    ],
  ])("%s", async (_, where, forge) => {
    const lines = await found(good, (forged) => {
      forge(forged);
      if (!/count|covered/.test(_)) addUp(forged);
    });
    expect(lines.join("\n")).toMatch(where);
  });
});

describe("a forgery in a report that failed is detected:", () => {
  it.each<[what: string, where: RegExp, forge: (forged: Forged) => void]>([
    [
      "an outcome",
      /\/outcome receiver\.expiry\/hour-ago@viewOrganization: its evidence shows fail/,
      (forged) => pass(caseOf(forged, EXPIRED)),
    ],
    [
      "a failure reported as a warning",
      /\/outcome receiver\.expiry\/hour-ago@viewOrganization/,
      (forged) => {
        caseOf(forged, EXPIRED).outcome = "warn";
      },
    ],
    [
      "a failure reported as inconclusive",
      /\/outcome receiver\.expiry\/hour-ago@viewOrganization/,
      (forged) => {
        const one = caseOf(forged, EXPIRED);
        pass(one);
        Object.assign(one, { outcome: "inconclusive", reason: "nobody knows" });
      },
    ],
    [
      "a failure reported as not applicable",
      /\/outcome receiver\.expiry\/hour-ago@viewOrganization/,
      (forged) => {
        const one = caseOf(forged, EXPIRED);
        pass(one);
        Object.assign(one, { outcome: "not-applicable", reason: "nobody asked" });
        delete one.evidence;
      },
    ],
    [
      "a failure blamed on another rule",
      /\/blamedOn receiver\.expiry/,
      (forged) => {
        const one = caseOf(forged, EXPIRED);
        pass(one);
        Object.assign(one, {
          outcome: "inconclusive",
          blamedOn: "receiver.audience",
          reason: "proves nothing: receiver.audience already failed on viewOrganization",
        });
      },
    ],
    [
      "a failure reported as flaky",
      /\/flaky receiver\.expiry/,
      (forged) => {
        caseOf(forged, EXPIRED).flaky = true;
      },
    ],
    [
      "facts that differ from the sentence",
      /\/facts\/actual receiver\.expiry/,
      (forged) => {
        there(caseOf(forged, EXPIRED).facts).actual = [{ kind: "answer", status: 401 }];
      },
    ],
    [
      "another sentence",
      /\/actual receiver\.expiry/,
      (forged) => {
        const one = caseOf(forged, EXPIRED);
        one.actual = "401 Unauthorized";
        there(one.facts).actual = [{ kind: "answer", status: 401 }];
      },
    ],
    [
      "a verdict",
      /\/verdict : /,
      (forged) => {
        forged.verdict = "partial";
      },
    ],
    [
      "a selection presented as a whole run",
      /\/rules : the rule .* is missing/,
      (forged) => {
        forged.plan.patterns = [];
        forged.partialBecause = [];
        forged.partial = false;
      },
    ],
    [
      "a selection that is not stated",
      /\/partial/,
      (forged) => {
        forged.partialBecause = [];
        forged.partial = false;
      },
    ],
    [
      "operations presented as not offered",
      /\/partialBecause|\/scope|\/outcome/,
      (forged) => {
        delete forged.plan.target.operations.editOrganization;
      },
    ],
  ])("%s", async (_, where, forge) => {
    const lines = await found(faulty, (forged) => {
      forge(forged);
      addUp(forged);
    });
    expect(lines.join("\n")).toMatch(where);
  });

  it("all failures changed at once, with matching totals", async () => {
    const lines = await found(faulty, (forged) => {
      for (const rule of forged.rules) {
        for (const one of rule.cases) if (one.outcome === "fail") pass(one);
      }
      addUp(forged);
      forged.verdict = "partial";
    });
    expect(lines.length).toBeGreaterThan(5);
  });

  it("a finding of a rule about all answers that contradicts the answers", async () => {
    const lines = await found(good, (forged) => {
      const one = caseOf(forged, SHAPE);
      Object.assign(one, { outcome: "fail", expected: "a JSON object", actual: "something else" });
      delete one.reason;
      delete one.facts;
      addUp(forged);
    });
    expect(lines.join("\n")).toMatch(/the answers that it names violate nothing/);
  });
});
