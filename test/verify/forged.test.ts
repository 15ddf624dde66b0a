import { beforeAll, expect, it } from "vitest";

import type { Report } from "../../src/report/report.ts";
import {
  addUp,
  AUDIENCE,
  caseOf,
  claimsOf,
  control,
  controlClaim,
  detects,
  evidenceOf,
  exchangeOf,
  EXPIRED,
  type Forge,
  type Forged,
  type ForgedCase,
  type ForgedRequest,
  found,
  OTHER,
  pass,
  probe,
  probeClaim,
  requestOf,
  responseOf,
  ruleOf,
  setHeader,
  SELECTED,
  SOME_RULES,
  there,
} from "./forging.ts";
import { genuine } from "./reports.ts";

const SHAPE = "errors.shape/viewOrganization";
const EDIT = "receiver.audience/other@editOrganization";
const ISSUER = "receiver.issuer/untrusted@viewOrganization";
/** It sends several requests, one of which cases share. */
const UNUSUAL = "receiver.issuer/untrusted-unusual@viewOrganization";

let good: Report;

beforeAll(async () => {
  good = await genuine(
    {},
    {
      rules: SOME_RULES,
      patterns: [...SELECTED, ISSUER, UNUSUAL, EXPIRED, "receiver.rotation"],
    },
  );
}, 300_000);

/** Changes the case about another audience; the exchange of its probe; the rule. */
const audience =
  (change: (one: ForgedCase) => unknown): Forge =>
  (forged) =>
    change(caseOf(forged, AUDIENCE));
const exchange =
  (change: (one: ReturnType<typeof exchangeOf>) => unknown): Forge =>
  (forged) =>
    change(exchangeOf(forged, AUDIENCE, "probes"));
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
    /differences\/\d+\/probe receiver\.audience/,
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
    /\/title : the rule receiver\.audience has another title/,
    rule((one) => (one.title = "Whatever is sent is accepted")),
  ],
  "the covered cases": [/\/coverage/, (forged) => (forged.coverage.total -= 100)],
  "the scope": [/\/scope/, ({ scope }) => (scope.sides = ["receiver", "authorization-server"])],
  "the verdict's sentence": [
    /\/verdictText/,
    (forged) => (forged.verdictText = "Conformant. Every wish is granted."),
  ],
  "the level": [
    /\/level receiver\.audience\/other@viewOrganization: it is "MUST"/,
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
        reason: "the profile lacks claimsNamespace",
        missing: ["claimsNamespace"],
      });
      delete one.evidence;
    }),
  ],
});

detects("a request that the plan does not send", () => good, {
  "all of them rewritten": [
    /request\/url : it is not of the form/,
    ({ exchanges, target }) => {
      const url = `${new URL(target.baseUrl).origin}/health`;
      for (const { request } of Object.values(exchanges)) {
        Object.assign(request, { method: "GET", url, headers: [] });
      }
    },
  ],
  "another base URL": [
    /plan\/facts : its baseUrl is not/,
    ({ target }) => (target.baseUrl = `${OTHER}/common-grants`),
  ],
  "another origin": [/url : it is not below/, probe((one) => (one.url = `${OTHER}/orgs/1`))],
  "a control by another method": [
    /request\/method : viewOrganization is a GET/,
    control((one) => (one.method = "HEAD")),
  ],
  "a control on another route": [
    /request\/url : it is not of the form/,
    control((one) => (one.url += "/changes")),
  ],
  "a control of another organization": [
    /request\/url : it is not of the form/,
    control((one) => (one.url = one.url.replace(/[^/]+$/, "another"))),
  ],
  "a control with a query": [/url : it is not of the form/, control((one) => (one.url += "?all"))],
  "a control without a token": [
    /request\/headers : it has no field authorization/,
    control((one) => setHeader(one, "authorization")),
  ],
  "a control with two tokens": [
    /does not present one bearer token/,
    control(({ headers }) => headers.push(["authorization", "Bearer [redacted]"])),
  ],
  "a control with another scheme": [
    /does not present one bearer token/,
    control((one) => setHeader(one, "authorization", "Basic [redacted]")),
  ],
  "a control without Accept": [
    /it has no field accept/,
    control((one) => setHeader(one, "accept")),
  ],
  "a control with a body": [
    /request\/body : a good request has none/,
    control((one) => (one.body = "{}")),
  ],
  "an edit without a body": [
    /request\/body : it has none/,
    control((one) => delete one.body, EDIT),
  ],
  "an edit without a media type": [
    /it has no field content-type/,
    control((one) => setHeader(one, "content-type"), EDIT),
  ],
  "a control whose token is not recorded": [
    /request\/token : a good request has a token/,
    control((one) => delete one.token),
  ],
  "an expired control": [/claims\/exp : its times do not fit/, controlClaim("exp", 1)],
  "a control of tomorrow": [
    /claims\/exp : its times do not fit/,
    controlClaim("iat", Date.now() / 1000 + 90_000),
  ],
  "a control of another issuer": [/claims\/iss/, controlClaim("iss", OTHER)],
  "a control for another audience": [/claims\/aud/, controlClaim("aud", OTHER)],
  "a control of another subject": [/claims\/sub/, controlClaim("sub", "somebody")],
  "a control whose issuer is redacted": [/claims\/iss/, controlClaim("iss", "[redacted]")],
  "a control without the scope": [
    /claims\/scope : viewOrganization needs org:read/,
    controlClaim("scope", "org:write"),
  ],
  "a control with another key": [
    /header\/kid/,
    control(({ token }) => (there(token?.header)["kid"] = "other")),
  ],
  "a control with another algorithm": [
    /header\/alg/,
    control(({ token }) => (there(token?.header)["alg"] = "none")),
  ],
  "a probe to another organization": [
    /probes\/0 receiver\.audience.*its path differs/,
    probe((one) => (one.url = one.url.replace(/[^/]+$/, "another"))),
  ],
  "a probe by another method": [
    /probes\/0 receiver\.audience.*its method differs/,
    probe((one) => (one.method = "DELETE")),
  ],
  "a probe of another route": [
    /probes\/0 receiver\.audience.*its path differs/,
    probe((one) => (one.url += "/nothing")),
  ],
  "a probe without a token": [
    /probes\/0 receiver\.audience.*its authorization differs/,
    probe((one) => setHeader(one, "authorization")),
  ],
  "a probe with a second difference in a field": [
    /its field accept differs/,
    probe((one) => setHeader(one, "accept", "text/html")),
  ],
  "a probe with a further field": [
    /its field x-forged differs/,
    probe(({ headers }) => headers.push(["x-forged", "1"])),
  ],
  "a probe with another body": [/its body differs/, probe((one) => (one.body = "{"), EDIT)],
  "a probe with a second difference in the token": [
    /claim\/iss receiver\.audience.*no difference says so/,
    probeClaim("iss", OTHER),
  ],
  "a probe with another key": [
    /header\/kid receiver\.audience.*no difference says so/,
    probe(({ token }) => (there(token?.header)["kid"] = "other")),
  ],
  "a probe without any difference": [
    /differences receiver\.audience.*must differ from a good request/,
    (forged) => {
      probeClaim("aud", claimsOf(requestOf(forged, AUDIENCE, "controls"))["aud"])(forged);
      evidenceOf(forged, AUDIENCE).differences = [];
    },
  ],
  "another audience, stated as the difference": [
    /claims\/aud receiver\.audience.*makes another value/,
    (forged) => {
      probeClaim("aud", OTHER)(forged);
      Object.assign(differenceOf(forged), { probe: OTHER });
    },
  ],
  "a difference from another control": [
    /claim\/aud receiver\.audience.*the control has another value/,
    (forged) => Object.assign(differenceOf(forged), { control: OTHER }),
  ],
  "an expired token that has not expired": [
    /claims\/exp receiver\.expiry.*makes another value/,
    (forged) => {
      const { exp } = claimsOf(requestOf(forged, AUDIENCE, "controls"));
      claimsOf(requestOf(forged, EXPIRED, "probes"))["exp"] = exp;
      Object.assign(differenceOf(forged, EXPIRED), { probe: exp });
    },
  ],
  "a token under another parameter": [
    /request receiver\.token-required\/query.*makes another path/,
    probe(
      (one) => (one.url = one.url.replace("access_token", "token")),
      "receiver.token-required/query@viewOrganization",
    ),
  ],
  "another mutation": [
    /receiver\.audience.*which its evidence lacks/,
    probe(({ token }) => (there(token).mutation = "another")),
  ],
});

const SENDER = /headers : the field conformance-case/;
const TIMES = /startedAt : the run lasted/;

detects("an exchange that is not one of the run", () => good, {
  "before the run": [TIMES, exchange((one) => (one.startedAt = "2020-01-01T00:00:00.000Z"))],
  "after the run": [TIMES, exchange((one) => (one.startedAt = "2060-01-01T00:00:00.000Z"))],
  "in a run of no time": [TIMES, (forged) => (forged.durationMs = 0)],
  "in a run of another day": [TIMES, (forged) => (forged.startedAt = "2060-01-01T00:00:00.000Z")],
  "an answer that took too long": [TIMES, exchange((one) => (one.durationMs = 10 ** 9))],
  "a sender that the plan lacks": [
    /caseId : the plan has nothing/,
    exchange((one) => (one.caseId = "receiver.forged/other@viewOrganization")),
  ],
  "a request of the other side": [
    /caseId : the plan has nothing/,
    exchange((one) => (one.caseId = "authorization-server/metadata")),
  ],
  "an id of another case": [/id : no request of/, exchange((one) => (one.caseId = ISSUER))],
  "a field with another sender": [
    SENDER,
    probe((one) => setHeader(one, "conformance-case", ISSUER)),
  ],
  "no field with the sender": [SENDER, probe((one) => setHeader(one, "conformance-case"))],
  "fewer writes": [
    /writes\/editOrganization : \d+ accepted writes are recorded/,
    (forged) => (forged.writes = {}),
  ],
  "a write that is not listed as left behind": [
    /leftBehind : the write .* is recorded and not listed/,
    (forged) => (forged.leftBehind = []),
  ],
  "more writes left behind than counted": [
    /leftBehind : \d+ of editOrganization are listed/,
    ({ leftBehind }) => {
      const one = there(leftBehind?.find(({ operation }) => operation === "editOrganization"));
      leftBehind?.push(...Array<typeof one>(30).fill(one));
    },
  ],
  "fewer requests": [/requests : \d+ exchanges are recorded/, (forged) => (forged.requests = 1)],
  "a probe of another rule": [
    /probes\/0 errors\.not-found.*so it shows nothing about this case/,
    (forged) => {
      const one = ruleOf(forged, "errors.not-found").cases.find(
        ({ outcome, evidence }) => outcome === "pass" && evidence,
      );
      there(one?.evidence).probes = [exchangeOf(forged, AUDIENCE, "probes").id];
    },
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

detects("a request that its rule does not send", () => good, {
  "another method for an operation": [
    /operation : the request is not one for viewOrganization/,
    exchange(({ request }) => (request.method = "HEAD")),
  ],
  "another route for an operation": [
    /operation : the request is not one for viewOrganization/,
    exchange(({ request }) => (request.url += "/changes")),
  ],
  "another method of a shared request": [
    /evidence receiver\.issuer\/untrusted-unusual@.*makes another method than that of shared/,
    (forged) => (unusual(forged).method = "POST"),
  ],
  "a further field of a shared request": [
    /evidence receiver\.issuer\/untrusted-unusual@.*makes another field x-forged than/,
    (forged) => unusual(forged).headers.push(["x-forged", "1"]),
  ],
  "another claim of a case's own request": [
    /evidence receiver\.issuer\/untrusted-unusual@.*another claims member aud than/,
    probe((one) => (claimsOf(one)["aud"] = OTHER), UNUSUAL),
  ],
  "an answer longer than announced": [
    /response\/body : the answer announces \d+ bytes/,
    (forged) => (responseOf(forged, AUDIENCE, "probes").body += " "),
  ],
  "a control of another operation": [
    /controls\/0 receiver\.audience.*is no good request for viewOrganization/,
    (forged) => {
      evidenceOf(forged, AUDIENCE).controls = [...there(evidenceOf(forged, EDIT).controls)];
    },
  ],
  "a probe as a control": [
    /controls\/2 receiver\.audience.*is no good request for viewOrganization/,
    audience(({ evidence }) => there(evidence).controls?.push(there(evidence?.probes[0]))),
  ],
  "another algorithm": [
    /plan\/facts : its algorithm is not/,
    ({ target }) => (target.algorithm = "none"),
  ],
  "a run that only reads": [
    /plan\/facts : its readOnly is not/,
    ({ target }) => (target.readOnly = true),
  ],
  "a write as one of another operation": [
    /leftBehind : the write .* is recorded and listed as one of submitChange/,
    ({ leftBehind }) => {
      for (const one of there(leftBehind)) one.operation = "submitChange";
    },
  ],
});

/** The request of `UNUSUAL` that cases share. */
function unusual({ exchanges }: Forged): ForgedRequest {
  const named = Object.values(exchanges).find(({ caseId }) =>
    caseId.startsWith("shared/unusual-viewOrganization"),
  );
  return there(named).request;
}

/** The difference between the probe and its control in what the case is about. */
function differenceOf(forged: Forged, id = AUDIENCE): object {
  return there(evidenceOf(forged, id).differences?.[0]);
}
