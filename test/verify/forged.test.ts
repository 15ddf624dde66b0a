import { beforeAll, describe, expect, it } from "vitest";

import type { Report } from "../../src/report/report.ts";
import {
  AUDIENCE,
  addUp,
  caseOf,
  claimsOf,
  evidenceOf,
  exchangeOf,
  type Forged,
  found,
  pass,
  requestOf,
  responseOf,
  ruleOf,
  setHeader,
  there,
} from "./forging.ts";
import { genuine } from "./reports.ts";

const SHAPE = "errors.shape/viewOrganization";

const EXPIRED = "receiver.expiry/hour-ago@viewOrganization";

const SELECTED = ["routes.*", "receiver.token-required", "receiver.audience", "errors.*"];

let good: Report;

let faulty: Report;

/** Of issued tokens. */
let issued: Report;

beforeAll(async () => {
  good = await genuine(
    {},
    { patterns: [...SELECTED, "receiver.issuer", "receiver.rotation", "receiver.expiry"] },
  );
  const expired = [...SELECTED, "receiver.expiry"];
  issued = await genuine(
    { authorizationServer: true },
    {
      patterns: ["routes.*", "authorization-server.{claims,keys,client-credentials}"],
      profile: (profile) => ({ ...profile, testIssuer: false }),
    },
  );
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
        forged.verdictText = "Conformant. Every wish is granted.";
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
      "a control that nothing refers to",
      /\/exchanges\/.* : no evidence names it/,
      (forged) => {
        const one = exchangeOf(forged, AUDIENCE, "controls");
        forged.exchanges[`${one.id}0`] = { ...one, id: `${one.id}0` };
      },
    ],
    [
      "an exchange under another name",
      /\/exchanges\/forged : its id is/,
      (forged) => {
        forged.exchanges.forged = exchangeOf(forged, AUDIENCE, "probes");
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

const EDIT = "receiver.audience/other@editOrganization";

/** The request of the control, and of the probe, that most forgeries change. */
const control = (forged: Forged): ReturnType<typeof requestOf> =>
  requestOf(forged, AUDIENCE, "controls");
const probe = (forged: Forged): ReturnType<typeof requestOf> =>
  requestOf(forged, AUDIENCE, "probes");

describe("a request that the plan does not send is detected:", () => {
  it.each<[what: string, where: RegExp, forge: (forged: Forged) => void]>([
    [
      "all of them rewritten",
      /request\/url : it is not of the form/,
      (forged) => {
        for (const { request } of Object.values(forged.exchanges)) {
          Object.assign(request, { method: "GET", url: `${origin(forged)}/health`, headers: [] });
        }
      },
    ],
    [
      "another base URL",
      /plan\/facts : its baseUrl is not/,
      (forged) => (forged.target.baseUrl = "https://other.example/common-grants"),
    ],
    [
      "another origin",
      /request\/url : it is not below/,
      (forged) => (probe(forged).url = "https://other.example/orgs/1"),
    ],
    [
      "a control by another method",
      /request\/method : viewOrganization is a GET/,
      (forged) => (control(forged).method = "HEAD"),
    ],
    [
      "a control on another route",
      /request\/url : it is not of the form/,
      (forged) => (control(forged).url += "/changes"),
    ],
    [
      "a control of another organization",
      /request\/url : it is not of the form/,
      (forged) => (control(forged).url = control(forged).url.replace(/[^/]+$/, "another")),
    ],
    [
      "a control with a query",
      /request\/url : it is not of the form/,
      (forged) => (control(forged).url += "?all"),
    ],
    [
      "a control without a token",
      /request\/headers : it has no field authorization/,
      (forged) => setHeader(control(forged), "authorization"),
    ],
    [
      "a control with two tokens",
      /does not present one bearer token/,
      (forged) => control(forged).headers.push(["authorization", "Bearer [redacted]"]),
    ],
    [
      "a control with another scheme",
      /does not present one bearer token/,
      (forged) => setHeader(control(forged), "authorization", "Basic [redacted]"),
    ],
    [
      "a control without Accept",
      /it has no field accept/,
      (forged) => setHeader(control(forged), "accept"),
    ],
    [
      "a control with a body",
      /request\/body : a good request has none/,
      (forged) => (control(forged).body = "{}"),
    ],
    [
      "an edit without a body",
      /request\/body : it has none/,
      (forged) => delete requestOf(forged, EDIT, "controls").body,
    ],
    [
      "an edit without a media type",
      /it has no field content-type/,
      (forged) => setHeader(requestOf(forged, EDIT, "controls"), "content-type"),
    ],
    [
      "a control whose token is not recorded",
      /request\/token : a good request has a token/,
      (forged) => delete control(forged).token,
    ],
    [
      "an expired control",
      /claims\/exp : its times do not fit/,
      (forged) => (claimsOf(control(forged))["exp"] = 1),
    ],
    [
      "a control of tomorrow",
      /claims\/exp : its times do not fit/,
      (forged) => (claimsOf(control(forged))["iat"] = Date.now() / 1000 + 90_000),
    ],
    [
      "a control of another issuer",
      /claims\/iss/,
      (forged) => (claimsOf(control(forged))["iss"] = "https://other.example"),
    ],
    [
      "a control for another audience",
      /claims\/aud/,
      (forged) => (claimsOf(control(forged))["aud"] = "https://other.example"),
    ],
    [
      "a control of another subject",
      /claims\/sub/,
      (forged) => (claimsOf(control(forged))["sub"] = "somebody"),
    ],
    [
      "a control whose issuer is redacted",
      /claims\/iss/,
      (forged) => (claimsOf(control(forged))["iss"] = "[redacted]"),
    ],
    [
      "a control without the scope",
      /claims\/scope : viewOrganization needs org:read/,
      (forged) => (claimsOf(control(forged))["scope"] = "org:write"),
    ],
    [
      "a control with another key",
      /header\/kid/,
      (forged) => (there(control(forged).token?.header)["kid"] = "other"),
    ],
    [
      "a control with another algorithm",
      /header\/alg/,
      (forged) => (there(control(forged).token?.header)["alg"] = "none"),
    ],
    [
      "a probe to another organization",
      /probes\/0 receiver\.audience.*its path differs/,
      (forged) => (probe(forged).url = probe(forged).url.replace(/[^/]+$/, "another")),
    ],
    [
      "a probe by another method",
      /probes\/0 receiver\.audience.*its method differs/,
      (forged) => (probe(forged).method = "DELETE"),
    ],
    [
      "a probe of another route",
      /probes\/0 receiver\.audience.*its path differs/,
      (forged) => (probe(forged).url += "/nothing"),
    ],
    [
      "a probe without a token",
      /probes\/0 receiver\.audience.*its authorization differs/,
      (forged) => setHeader(probe(forged), "authorization"),
    ],
    [
      "a probe with a second difference in a field",
      /its field accept differs/,
      (forged) => setHeader(probe(forged), "accept", "text/html"),
    ],
    [
      "a probe with a further field",
      /its field x-forged differs/,
      (forged) => probe(forged).headers.push(["x-forged", "1"]),
    ],
    [
      "a probe with another body",
      /its body differs/,
      (forged) => (requestOf(forged, EDIT, "probes").body = "{"),
    ],
    [
      "a probe with a second difference in the token",
      /claim\/iss receiver\.audience.*no difference says so/,
      (forged) => (claimsOf(probe(forged))["iss"] = "https://other.example"),
    ],
    [
      "a probe with another key",
      /header\/kid receiver\.audience.*no difference says so/,
      (forged) => (there(probe(forged).token?.header)["kid"] = "other"),
    ],
    [
      "a probe without any difference",
      /differences receiver\.audience.*must differ from a good request/,
      (forged) => {
        claimsOf(probe(forged))["aud"] = there(claimsOf(control(forged))["aud"]);
        evidenceOf(forged, AUDIENCE).differences = [];
      },
    ],
    [
      "another audience, stated as the difference",
      /claims\/aud receiver\.audience.*makes another value/,
      (forged) => {
        claimsOf(probe(forged))["aud"] = "https://easier.example";
        Object.assign(there(evidenceOf(forged, AUDIENCE).differences?.[0]), {
          probe: "https://easier.example",
        });
      },
    ],
    [
      "a difference from another control",
      /claim\/aud receiver\.audience.*the control has another value/,
      (forged) =>
        Object.assign(there(evidenceOf(forged, AUDIENCE).differences?.[0]), {
          control: "https://easier.example",
        }),
    ],
    [
      "an expired token that has not expired",
      /claims\/exp receiver\.expiry.*makes another value/,
      (forged) => {
        const exp = Number(there(claimsOf(control(forged))["exp"]));
        claimsOf(requestOf(forged, EXPIRED, "probes"))["exp"] = exp;
        Object.assign(there(evidenceOf(forged, EXPIRED).differences?.[0]), { probe: exp });
      },
    ],
    [
      "a token under another parameter",
      /request receiver\.token-required\/query.*makes another path/,
      (forged) => {
        const sent = requestOf(forged, "receiver.token-required/query@viewOrganization", "probes");
        sent.url = sent.url.replace("access_token", "token");
      },
    ],
    [
      "another mutation",
      /receiver\.audience.*which its evidence lacks/,
      (forged) => (there(probe(forged).token).mutation = "another"),
    ],
  ])("%s", async (_, where, forge) => {
    expect((await found(good, forge)).join("\n")).toMatch(where);
  });
});

describe("exchanges that are not those of one run are detected:", () => {
  it.each<[what: string, where: RegExp, forge: (forged: Forged) => void]>([
    [
      "a request before the run",
      /startedAt : the run lasted/,
      (forged) => (exchangeOf(forged, AUDIENCE, "probes").startedAt = "2020-01-01T00:00:00.000Z"),
    ],
    [
      "a request after the run",
      /startedAt : the run lasted/,
      (forged) => (exchangeOf(forged, AUDIENCE, "probes").startedAt = "2060-01-01T00:00:00.000Z"),
    ],
    ["a run of no time", /startedAt : the run lasted/, (forged) => (forged.durationMs = 0)],
    [
      "a run of another day",
      /startedAt : the run lasted/,
      (forged) => (forged.startedAt = "2060-01-01T00:00:00.000Z"),
    ],
    [
      "an answer that took too long",
      /startedAt : the run lasted/,
      (forged) => (exchangeOf(forged, AUDIENCE, "probes").durationMs = 10 ** 9),
    ],
    [
      "a sender that the plan lacks",
      /caseId : the plan has nothing/,
      (forged) =>
        (exchangeOf(forged, AUDIENCE, "probes").caseId = "receiver.forged/other@viewOrganization"),
    ],
    [
      "a request of the other side",
      /caseId : the plan has nothing/,
      (forged) => (exchangeOf(forged, AUDIENCE, "probes").caseId = "authorization-server/metadata"),
    ],
    [
      "an id of another case",
      /id : no request of/,
      (forged) =>
        (exchangeOf(forged, AUDIENCE, "probes").caseId =
          "receiver.issuer/untrusted@viewOrganization"),
    ],
    [
      "a field that names another sender",
      /headers : the field conformance-case/,
      (forged) =>
        setHeader(
          exchangeOf(forged, AUDIENCE, "probes").request,
          "conformance-case",
          "receiver.issuer/untrusted@viewOrganization",
        ),
    ],
    [
      "no field that names the sender",
      /headers : the field conformance-case/,
      (forged) => setHeader(exchangeOf(forged, AUDIENCE, "probes").request, "conformance-case"),
    ],
    [
      "fewer writes",
      /writes\/editOrganization : \d+ accepted writes are recorded/,
      (forged) => (forged.writes = {}),
    ],
    [
      "a write that is not listed as left behind",
      /leftBehind : the write .* is recorded and not listed/,
      (forged) => (forged.leftBehind = []),
    ],
    [
      "more writes left behind than counted",
      /leftBehind : \d+ of editOrganization are listed/,
      (forged) => {
        const one = there(
          forged.leftBehind?.find(({ operation }) => operation === "editOrganization"),
        );
        for (let more = 0; more < 30; more++) forged.leftBehind?.push(one);
      },
    ],
    ["fewer requests", /requests : \d+ exchanges are recorded/, (forged) => (forged.requests = 1)],
    [
      "a probe of another rule",
      /probes\/0 errors\.not-found.*so it shows nothing about this case/,
      (forged) => {
        const one = there(
          ruleOf(forged, "errors.not-found").cases.find(
            ({ outcome, evidence }) => outcome === "pass" && evidence,
          ),
        );
        there(one.evidence).probes = [exchangeOf(forged, AUDIENCE, "probes").id];
      },
    ],
    ["a redacted verdict", /verdictText/, (forged) => (forged.verdictText = "[redacted]")],
    [
      "a redacted requirement",
      /requirement receiver\.audience/,
      (forged) => (caseOf(forged, AUDIENCE).requirement = "[redacted]"),
    ],
    [
      "a requirement without one word",
      /requirement receiver\.audience/,
      (forged) =>
        (caseOf(forged, AUDIENCE).requirement =
          caseOf(forged, AUDIENCE).requirement?.replace(/\w+/, "[redacted]") ?? ""),
    ],
    [
      "a redacted clause",
      /clause receiver\.audience/,
      (forged) => (caseOf(forged, AUDIENCE).clause = "[redacted]"),
    ],
    [
      "a redacted reason of the contract",
      /why receiver\.audience/,
      (forged) => (caseOf(forged, AUDIENCE).why = "[redacted]"),
    ],
    [
      "a redacted title",
      /title receiver\.audience/,
      (forged) => (caseOf(forged, AUDIENCE).title = "[redacted]"),
    ],
  ])("%s", async (_, where, forge) => {
    expect((await found(good, forge)).join("\n")).toMatch(where);
  });
});

describe("a forgery in a report of issued tokens is detected:", () => {
  it.each<[what: string, where: RegExp, forge: (forged: Forged) => void]>([
    [
      "a request to another server",
      /request\/url : neither the profile nor a recorded answer names https:\/\/other\.example/,
      (forged) => {
        const sent = Object.values(forged.exchanges).find(({ caseId }) =>
          caseId.startsWith("authorization-server"),
        );
        there(sent).request.url = "https://other.example/token";
      },
    ],
    [
      "an issued token with another issuer",
      /outcome authorization-server\.claims\/iss@.*: its evidence shows fail/,
      (forged) => {
        for (const { response } of Object.values(forged.exchanges)) {
          if (response?.token?.claims) response.token.claims["iss"] = "https://other.example";
        }
      },
    ],
    [
      "a token for a wrong secret",
      /outcome authorization-server\.client-credentials\/.*: its evidence shows one violation/,
      (forged) => {
        const refused = ruleOf(forged, "authorization-server.client-credentials").cases.find(
          ({ id, outcome }) => id.includes("secret") && outcome === "pass",
        );
        const response = responseOf(forged, there(refused).id, "probes");
        Object.assign(response, {
          status: 200,
          body: '{"access_token":"x","token_type":"Bearer"}',
        });
      },
    ],
    [
      "a published private key",
      /outcome authorization-server\.keys\/private: its evidence shows one violation/,
      (forged) => {
        const { body } = responseOf(forged, "authorization-server.keys/private", "probes");
        responseOf(forged, "authorization-server.keys/private", "probes").body = body.replace(
          '"kty"',
          '"d":"AQAB","kty"',
        );
      },
    ],
    [
      "a control with a token of another server",
      /claims\/iss : the authorization server is/,
      (forged) => (claimsOf(issuedControl(forged))["iss"] = "https://other.example"),
    ],
    [
      "a control with a token for another audience",
      /claims\/aud : the audience is/,
      (forged) => (claimsOf(issuedControl(forged))["aud"] = "https://other.example"),
    ],
  ])("%s", async (_, where, forge) => {
    expect(await found(issued, () => {})).toEqual([]);
    expect((await found(issued, forge)).join("\n")).toMatch(where);
  });
});

/** The request of a control with an issued token. */
function issuedControl(forged: Forged): ReturnType<typeof requestOf> {
  return there(
    Object.values(forged.exchanges).find(({ caseId }) => caseId === "control/viewOrganization"),
  ).request;
}

/** The origin of the deployment. */
function origin({ target }: Forged): string {
  return new URL(target.baseUrl).origin;
}

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
      "a redacted sentence",
      /\/actual receiver\.expiry/,
      (forged) => {
        const one = caseOf(forged, EXPIRED);
        one.actual = "[redacted]";
        delete one.facts;
      },
    ],
    [
      "a redacted status",
      /\/actual receiver\.expiry/,
      (forged) => {
        const one = caseOf(forged, EXPIRED);
        one.actual = one.actual?.replace("200 OK", "[redacted]") ?? "";
        delete one.facts;
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
        delete forged.plan.facts.operations.editOrganization;
      },
    ],
  ])("%s", async (_, where, forge) => {
    const lines = await found(faulty, (forged) => {
      forge(forged);
      addUp(forged);
    });
    expect(lines.join("\n")).toMatch(where);
  });

  it("a failure changed to a pass, which is told first", async () => {
    const [first] = await found(faulty, (forged) => {
      caseOf(forged, EXPIRED).outcome = "pass";
    });
    expect(first).toContain(`/outcome ${EXPIRED}: its evidence shows fail`);
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
