import { beforeAll, expect, it } from "vitest";

import type { Report } from "../../src/report/report.ts";
import {
  addUp,
  AUDIENCE,
  audience,
  caseOf,
  detects,
  differenceOf,
  evidenceOf,
  exchangeOf,
  type Forge,
  found,
  goodReport,
  ISSUER,
  pass,
  responseOf,
  ruleOf,
  SHAPE,
  there,
} from "./forging.ts";

let good: Report;

beforeAll(async () => {
  good = await goodReport();
}, 300_000);

/** Changes the rule about another audience. */
const rule =
  (change: (one: ReturnType<typeof ruleOf>) => unknown): Forge =>
  (forged) =>
    change(ruleOf(forged, "receiver.audience"));

it("an unchanged report is consistent", async () => {
  expect(await found(good, () => {})).toEqual([]);
});

it("totals that do not add up are detected", async () => {
  const lines = await found(good, (forged) => (forged.counts.MUST["pass"] += 1));
  expect(lines.join("\n")).toMatch(/\/counts\/MUST\/pass/);
});

detects("a forgery in a report that passed", () => good, {
  "another status of a probe": [
    /\/outcome receiver\.audience\/other@viewOrganization: its evidence shows one violation/,
    (forged) => (responseOf(forged, AUDIENCE, "probes").status = 200),
  ],
  "another status of a control": [
    /evidence\/controls\/1 .*was not accepted/,
    (forged) => (responseOf(forged, AUDIENCE, "controls", 1).status = 401),
  ],
  "missing controls": [
    /evidence\/controls receiver\.audience.*no control was accepted/,
    (forged) => (evidenceOf(forged, AUDIENCE).controls = []),
  ],
  "no control after the probes": [
    /evidence\/controls receiver\.audience.*no control was accepted after/,
    (forged) => evidenceOf(forged, AUDIENCE).controls?.splice(1),
  ],
  "evidence of another case": [
    /\/evidence receiver\.audience.*which its evidence lacks/,
    (forged) => (caseOf(forged, AUDIENCE).evidence = structuredClone(evidenceOf(forged, ISSUER))),
  ],
  "missing evidence": [
    /\/evidence receiver\.audience.*which its evidence lacks/,
    audience((one) => delete one.evidence),
  ],
  "another difference": [
    /differences\/\d+ receiver\.audience/,
    (forged) => Object.assign(differenceOf(forged), { probe: "https://forged" }),
  ],
  "a removed case": [
    /the plan has it, and nothing says that it was left out/,
    rule((one) => (one.cases = one.cases.filter(({ id }) => id !== AUDIENCE))),
  ],
  "an added case": [
    /\/rules\/\d+\/cases\/\d+ receiver\.audience\/forged: the plan has no such case/,
    rule((one) => one.cases.push({ ...there(one.cases[0]), id: "receiver.audience/forged" })),
  ],
  "a repeated case": [/it is listed twice/, rule(({ cases }) => cases.push(there(cases[0])))],
  "a removed rule": [
    /the rule receiver\.audience is missing/,
    (forged) => forged.rules.splice(forged.rules.indexOf(ruleOf(forged, "receiver.audience")), 1),
  ],
  "an added rule": [
    /the plan has no rule receiver\.forged/,
    (forged) => forged.rules.push({ ...there(forged.rules[0]), id: "receiver.forged", cases: [] }),
  ],
  "another title of a rule": [
    /\/rules\/\d+\/title : it follows to be/,
    rule((one) => (one.title = "Whatever is sent is accepted")),
  ],
  "the covered cases": [/\/coverage/, (forged) => (forged.coverage.total -= 100)],
  "the scope": [/\/scope/, ({ scope }) => (scope.sides = ["receiver", "authorization-server"])],
  "the verdict's sentence": [
    /\/verdictText/,
    (forged) => (forged.verdictText = "Conformant. Every wish is granted."),
  ],
  "the level": [
    /\/level receiver\.audience\/other@viewOrganization: it follows to be "MUST"/,
    audience((one) => (one.level = "SHOULD")),
  ],
  "another requirement": [
    /\/requirement receiver\.audience/,
    audience((one) => (one.requirement = "Anything goes.")),
  ],
  "a recorded answer that contradicts a rule about all answers": [
    /\/outcome errors\.shape\/viewOrganization: the recorded answer .* contradicts it/,
    (forged) => (responseOf(forged, AUDIENCE, "probes").body = "{}"),
  ],
  "a case that does not apply": [
    /\/outcome receiver\.rotation/,
    (forged) => {
      const one = there(ruleOf(forged, "receiver.rotation").cases[0]);
      one.outcome = "pass";
      delete one.reason;
    },
  ],
  "a control that nothing refers to": [
    /\/exchanges\/.* : no evidence names it/,
    (forged) => {
      const one = exchangeOf(forged, AUDIENCE, "controls");
      forged.exchanges[`${one.id}0`] = { ...one, id: `${one.id}0` };
    },
  ],
  "an exchange under another name": [
    /\/exchanges\/forged : its id is/,
    (forged) => (forged.exchanges["forged"] = exchangeOf(forged, AUDIENCE, "probes")),
  ],
  "a provisioned key reported as missing": [
    /\/missing receiver\.audience.*the profile has claimsNamespace/,
    audience((one) => {
      pass(one);
      Object.assign(one, {
        outcome: "not-provisioned",
        reason: "the profile lacks `claimsNamespace`",
        missing: ["claimsNamespace"],
      });
      delete one.evidence;
    }),
  ],
});

detects("a text of the suite that is redacted", () => good, {
  "the verdict": [/verdictText/, (forged) => (forged.verdictText = "[redacted]")],
  ...Object.fromEntries(
    (["requirement", "clause", "why", "title"] as const).map((member) => [
      `the ${member}`,
      [
        new RegExp(`${member} receiver\\.audience`),
        audience((one) => (one[member] = "[redacted]")),
      ],
    ]),
  ),
  "one word of the requirement": [
    /requirement receiver\.audience/,
    audience((one) => (one.requirement = there(one.requirement).replace(/\w+/, "[redacted]"))),
  ],
});

it("a finding of a rule about all answers that contradicts the answers is detected", async () => {
  const lines = await found(good, (forged) => {
    const one = caseOf(forged, SHAPE);
    Object.assign(one, { outcome: "fail", expected: "a JSON object", actual: "something else" });
    delete one.reason;
    delete one.facts;
    addUp(forged);
  });
  expect(lines.join("\n")).toMatch(/the answers that it names violate nothing/);
});
