import { beforeAll } from "vitest";

import type { Report } from "../../src/report/report.ts";
import {
  AUDIENCE,
  audience,
  claimsOf,
  control,
  controlClaim,
  detects,
  differenceOf,
  evidenceOf,
  exchangeOf,
  EXPIRED,
  type Forged,
  type ForgedRequest,
  goodReport,
  ISSUER,
  OTHER,
  probe,
  probeClaim,
  requestOf,
  responseOf,
  ruleOf,
  sentBy,
  setHeader,
  there,
  UNUSUAL,
  type Forge,
} from "./forging.ts";

const EDIT = "receiver.audience/other@editOrganization";

let good: Report;

beforeAll(async () => {
  good = await goodReport();
}, 300_000);

/** Changes the exchange of the probe of the case about another audience. */
const exchange =
  (change: (one: ReturnType<typeof exchangeOf>) => unknown): Forge =>
  (forged) =>
    change(exchangeOf(forged, AUDIENCE, "probes"));

detects("a request that the plan does not send", () => good, {
  "all of them rewritten": [
    /request : a good request of \w+ has another path/,
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
    /request : a good request of viewOrganization has another method/,
    control((one) => (one.method = "HEAD")),
  ],
  "a control on another route": [
    /request : a good request of viewOrganization has another path/,
    control((one) => (one.url += "/changes")),
  ],
  "a control of another organization": [
    /request : a good request of viewOrganization has another path/,
    control((one) => (one.url = one.url.replace(/[^/]+$/, "another"))),
  ],
  "a control with a query": [
    /request : a good request of viewOrganization has another path/,
    control((one) => (one.url += "?all")),
  ],
  "a control without a token": [
    /request : a good request of viewOrganization has another field authorization/,
    control((one) => setHeader(one, "authorization")),
  ],
  "a control with two tokens": [
    /request : a good request of viewOrganization has another field authorization/,
    control(({ headers }) => headers.push(["authorization", "Bearer [redacted]"])),
  ],
  "a control with another scheme": [
    /request : a good request of viewOrganization has another field authorization/,
    control((one) => setHeader(one, "authorization", "Basic [redacted]")),
  ],
  "a control without Accept": [
    /request : a good request of viewOrganization has another field accept/,
    control((one) => setHeader(one, "accept")),
  ],
  "a control with a body": [
    /request : a good request of viewOrganization has another body/,
    control((one) => (one.body = "{}")),
  ],
  "an edit without a body": [
    /request : a good request of editOrganization has another body/,
    control((one) => delete one.body, EDIT),
  ],
  "an edit without a media type": [
    /request : a good request of editOrganization has another field content-type/,
    control((one) => setHeader(one, "content-type"), EDIT),
  ],
  "a control whose token is not recorded": [
    /request : a good request of viewOrganization has another token header/,
    control((one) => delete one.token),
  ],
  "an expired control": [/claims\/exp : its times do not fit/, controlClaim("exp", 1)],
  "a control of tomorrow": [
    /claims\/exp : its times do not fit/,
    controlClaim("iat", Date.now() / 1000 + 90_000),
  ],
  "a control of another issuer": [
    /request : a good request of viewOrganization has another claims member iss/,
    controlClaim("iss", OTHER),
  ],
  "a control for another audience": [
    /request : a good request of viewOrganization has another claims member aud/,
    controlClaim("aud", OTHER),
  ],
  "a control of another subject": [
    /request : a good request of viewOrganization has another claims member sub/,
    controlClaim("sub", "somebody"),
  ],
  "a control whose issuer is redacted": [
    /request\/token : it redacts what the plan says openly/,
    controlClaim("iss", "[redacted]"),
  ],
  "a control without the scope": [
    /request : a good request of viewOrganization has another claims member scope/,
    controlClaim("scope", "org:write"),
  ],
  "a control with another key": [
    /request : a good request of viewOrganization has another header member kid/,
    control(({ token }) => (there(token?.header)["kid"] = "other")),
  ],
  "a control with another algorithm": [
    /request : a good request of viewOrganization has another header member alg/,
    control(({ token }) => (there(token?.header)["alg"] = "none")),
  ],
  "a probe to another organization": [
    /evidence receiver\.audience.*makes another path than/,
    probe((one) => (one.url = one.url.replace(/[^/]+$/, "another"))),
  ],
  "a probe by another method": [
    /evidence receiver\.audience.*makes another method than/,
    probe((one) => (one.method = "DELETE")),
  ],
  "a probe of another route": [
    /evidence receiver\.audience.*makes another path than/,
    probe((one) => (one.url += "/nothing")),
  ],
  "a probe without a token": [
    /evidence receiver\.audience.*makes another field authorization than/,
    probe((one) => setHeader(one, "authorization")),
  ],
  "a probe with a second difference in a field": [
    /evidence receiver\.audience.*makes another field accept than/,
    probe((one) => setHeader(one, "accept", "text/html")),
  ],
  "a probe with a further field": [
    /evidence receiver\.audience.*makes another field x-forged than/,
    probe(({ headers }) => headers.push(["x-forged", "1"])),
  ],
  "a probe with another body": [
    /evidence receiver\.audience.*makes another body than/,
    probe((one) => (one.body = "{"), EDIT),
  ],
  "a probe with a second difference in the token": [
    /evidence receiver\.audience.*makes another claims member iss than/,
    probeClaim("iss", OTHER),
  ],
  "a probe with another key": [
    /evidence receiver\.audience.*makes another header member kid than/,
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
    /evidence receiver\.audience.*makes another claims member aud than/,
    (forged) => {
      probeClaim("aud", OTHER)(forged);
      Object.assign(differenceOf(forged), { probe: OTHER });
    },
  ],
  "a difference from another control": [
    /differences\/0 receiver\.audience.*does not differ so/,
    (forged) => Object.assign(differenceOf(forged), { control: OTHER }),
  ],
  "an expired token that has not expired": [
    /evidence receiver\.expiry.*makes another claims member exp than/,
    (forged) => {
      const { exp } = claimsOf(requestOf(forged, AUDIENCE, "controls"));
      claimsOf(requestOf(forged, EXPIRED, "probes"))["exp"] = exp;
      Object.assign(differenceOf(forged, EXPIRED), { probe: exp });
    },
  ],
  "a token under another parameter": [
    /evidence receiver\.token-required\/query.*makes another path than/,
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
  return sentBy(exchanges, "shared/unusual-viewOrganization").request;
}
