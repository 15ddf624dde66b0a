import { beforeAll, expect, it } from "vitest";

import type { Report } from "../../src/report/report.ts";
import {
  caseOf,
  claimsOf,
  detects,
  emptied,
  exchangeOf,
  type Forge,
  type Forged,
  type ForgedRequest,
  found,
  NOT_OFFERED,
  OTHER,
  pass,
  probe,
  requestOf,
  responseOf,
  ruleOf,
  sentBy,
  setHeader,
  SOME_RULES,
  there,
} from "./forging.ts";
import { genuine } from "./reports.ts";

const WRONG_SECRET = "authorization-server.client-credentials/wrong-secret@service";
const UNKNOWN_PARAMETER = "authorization-server.responses/unknown-parameter@service";
const OTHER_HOST = "authorization-server.redirect/other-host@admin";
const VERIFIER = "authorization-server.pkce/wrong@admin";
const REDIRECT_OTHER = "authorization-server.authorization-code/redirect-other@admin";
const REPLAY = "authorization-server.authorization-code/replay@admin";
const NARROW = "authorization-server.scope/narrow@service";
const ACCEPTED = "authorization-server.accepted/service@viewOrganization";
const PRIVATE_KEY = "authorization-server.keys/private";

/** Of issued tokens. */
let issued: Report;
/** Of an authorization server that redirects anywhere and ignores verifiers. */
let flows: Report;

beforeAll(async () => {
  issued = await genuine(
    { authorizationServer: true },
    {
      rules: SOME_RULES,
      patterns: [
        "authorization-server.{claims,keys,client-credentials,responses}",
        "routes.reachable",
      ],
      profile: (profile) => ({ ...profile, testIssuer: false }),
    },
  );
  flows = await genuine(
    { faults: ["server-redirects-anywhere", "server-pkce-unchecked"] },
    {
      rules: SOME_RULES,
      patterns: [
        "authorization-server.redirect/{other-host,other-path,error-scope}@admin",
        "authorization-server.pkce/{wrong,missing,empty}@admin",
        "authorization-server.authorization-code/{altered,redirect-other,replay}@admin",
        "authorization-server.scope/narrow@service",
        "authorization-server.{keys,accepted}",
        "authorization-server.client-credentials/{token,wrong-secret}@service",
        "routes.reachable",
      ],
    },
  );
}, 300_000);

it("an unchanged report is consistent", async () => {
  for (const report of [issued, flows]) expect(await found(report, () => {})).toEqual([]);
});

detects("a forgery in a report of issued tokens", () => issued, {
  "a request to another server": [
    /request\/url : neither the profile nor a recorded answer names https:\/\/other\.example/,
    ({ exchanges }) => (sentBy(exchanges, "authorization-server").request.url = `${OTHER}/token`),
  ],
  "an issued token with another issuer": [
    /outcome authorization-server\.claims\/iss@.*: its evidence shows fail/,
    ({ exchanges }) => {
      for (const { response } of Object.values(exchanges)) {
        if (response?.token?.claims) response.token.claims["iss"] = OTHER;
      }
    },
  ],
  "a token for a wrong secret": [
    /outcome authorization-server\.client-credentials\/.*: its evidence shows one violation/,
    (forged) => {
      const refused = ruleOf(forged, "authorization-server.client-credentials").cases.find(
        ({ id, outcome }) => id.includes("secret") && outcome === "pass",
      );
      const body = '{"access_token":"x","token_type":"Bearer"}';
      Object.assign(responseOf(forged, there(refused).id, "probes"), { status: 200, body });
    },
  ],
  "a published private key": [
    /outcome authorization-server\.keys\/private: its evidence shows one violation/,
    (forged) => {
      const response = responseOf(forged, PRIVATE_KEY, "probes");
      response.body = response.body.replace('"kty"', '"d":"AQAB","kty"');
    },
  ],
  "a control with a token of another server": [
    /claims\/iss : the authorization server is/,
    (forged) => (claimsOf(issuedControl(forged))["iss"] = OTHER),
  ],
  "a control with a token for another audience": [
    /claims\/aud : the audience is/,
    (forged) => (claimsOf(issuedControl(forged))["aud"] = OTHER),
  ],
});

detects("a forged exchange with the authorization server", () => issued, {
  "another grant": [
    /request : a good request of service has another parameter grant_type/,
    (forged) => (firstToken(forged).request.body = "grant_type=password"),
  ],
  "no credentials": [
    /request : a good request of service has another authentication/,
    (forged) => setHeader(firstToken(forged).request, "authorization"),
  ],
  "a token request by GET": [
    /request : a good request of service has another method/,
    (forged) => (firstToken(forged).request.method = "GET"),
  ],
  "a token with other claims than issued": [
    /request\/token : the authorization server issued another token/,
    (forged) => (claimsOf(issuedControl(forged))["sub"] = "somebody"),
  ],
  "a flow that was refused, as a control": [
    /evidence\/controls\/\d+ authorization-server\..*was not accepted/,
    (forged) => {
      const response = responseOf(forged, WRONG_SECRET, "controls");
      Object.assign(response, { status: 400, body: '{"error":"invalid_client"}' });
      delete response.token;
    },
  ],
  "a wrong secret that was not sent": [
    /wrong-secret@service: this case makes another authentication than/,
    probe((one) => setHeader(one, "authorization"), WRONG_SECRET),
  ],
  "an unknown parameter that was not sent": [
    /unknown-parameter@service: this case makes another parameter conformance than/,
    probe((one) => (one.body = there(one.body).replace("conformance=", "a=")), UNKNOWN_PARAMETER),
  ],
  "a token that caches may store": [
    /outcome authorization-server\.responses\/no-store@service: the recorded answer/,
    (forged) => delete there(firstToken(forged).response).headers["cache-control"],
  ],
  "a token of another type": [
    /outcome authorization-server\.responses\/token-type@service: the recorded answer/,
    (forged) => {
      const response = there(firstToken(forged).response);
      response.body = response.body.replace('"Bearer"', '"mac"');
    },
  ],
  "a refusal without an error": [
    /outcome authorization-server\.responses\/error-shape: the recorded answer/,
    (forged) => (responseOf(forged, WRONG_SECRET, "probes").body = "{}"),
  ],
});

/** Replaces a text in the URL or the body of a case's probe. */
const replaced =
  (id: string, part: "url" | "body", from: string | RegExp, to: string): Forge =>
  (forged) => {
    const request = requestOf(forged, id, "probes");
    const before = there(request[part]);
    request[part] = before.replace(from, to);
    expect(request[part]).not.toBe(before);
  };

detects("a forged exchange of the code flow", () => flows, {
  "a redirect to another host that passed": [
    /outcome authorization-server\.redirect\/other-host@admin: its evidence shows/,
    (forged) => pass(caseOf(forged, OTHER_HOST)),
  ],
  "a redirect to another host that did not apply": [
    /outcome authorization-server\.redirect\/other-host@admin: its requests show a violation/,
    (forged) => emptied(forged, caseOf(forged, OTHER_HOST), NOT_OFFERED),
  ],
  "an authorization request with the registered URI": [
    /evidence authorization-server\.redirect\/.*another parameter (?:redirect_uri|client_id|scope|state) /,
    (forged) => {
      const { url } = requestOf(forged, OTHER_HOST, "controls");
      const registered = new URL(url).searchParams.get("redirect_uri") ?? "";
      const request = requestOf(forged, OTHER_HOST, "probes");
      const changed = new URL(request.url);
      changed.searchParams.set("redirect_uri", registered);
      request.url = changed.href;
    },
  ],
  "an authorization request of another client": [
    /evidence authorization-server\.redirect\/.*another parameter (?:redirect_uri|client_id|scope|state) /,
    replaced(OTHER_HOST, "url", "client_id=admin", "client_id=other"),
  ],
  "an authorization request for other scopes": [
    /evidence authorization-server\.redirect\/.*another parameter (?:redirect_uri|client_id|scope|state) /,
    replaced(OTHER_HOST, "url", "scope=org%3Aread", "scope=org%3Awrite"),
  ],
  "an authorization request with a known state": [
    /evidence authorization-server\.redirect\/.*another parameter (?:redirect_uri|client_id|scope|state) /,
    replaced(OTHER_HOST, "url", /state=[^&]*/, "state=1"),
  ],
  "a wrong verifier that gave no token": [
    /outcome authorization-server\.pkce\/wrong@admin: its evidence shows/,
    (forged) => pass(caseOf(forged, VERIFIER)),
  ],
  "a verifier that was not sent": [
    /evidence authorization-server\.pkce\/wrong@admin: this case makes another parameter code_verifier/,
    replaced(VERIFIER, "body", /&code_verifier=[^&]*/, ""),
  ],
  "an empty verifier": [
    /evidence authorization-server\.pkce\/wrong@admin: this case makes another parameter code_verifier/,
    replaced(VERIFIER, "body", /code_verifier=[^&]*/, "code_verifier="),
  ],
  "a short verifier": [
    /evidence authorization-server\.pkce\/wrong@admin: this case makes another parameter code_verifier/,
    replaced(VERIFIER, "body", /code_verifier=[^&]*/, "code_verifier=a"),
  ],
  "a code with the right redirect URI": [
    /evidence authorization-server\.authorization-code\/redirect-other@admin: .*parameter redirect_uri/,
    replaced(REDIRECT_OTHER, "body", "%2Fother", ""),
  ],
  "a code exchange without a code": [
    /evidence authorization-server\.authorization-code\/redirect-other@admin: .*parameter code /,
    replaced(REDIRECT_OTHER, "body", /&code=[^&]*/, ""),
  ],
  "a code that gave another token": [
    /outcome authorization-server\.authorization-code\/replay@admin: its evidence shows/,
    (forged) => {
      const once = there(forged.exchanges[`${REPLAY}~1`]);
      exchangeOf(forged, REPLAY, "probes").response = structuredClone(there(once.response));
    },
  ],
  "another token endpoint": [
    /evidence authorization-server\.client-credentials\/wrong-secret@service: .*another URL/,
    replaced(WRONG_SECRET, "url", "/token", "/tokens"),
  ],
  "a request for more scopes": [
    /evidence authorization-server\.scope\/narrow@service: .*parameter scope/,
    replaced(NARROW, "body", /scope=[^&]*/, "scope=org%3Awrite"),
  ],
  "more scopes than requested": [
    /outcome authorization-server\.scope\/narrow@service: its evidence shows/,
    (forged) => {
      const { token } = responseOf(forged, NARROW, "probes");
      there(token?.claims)["scope"] = "org:read org:write";
    },
  ],
  "another redirect URI of a good token request": [
    /request : a good request of admin has another parameter redirect_uri/,
    ({ exchanges }) => {
      const { request } = sentBy(exchanges, "control/admin-");
      const other = "redirect_uri=http%3A%2F%2Fa";
      request.body = there(request.body).replace(/redirect_uri=[^&]*/, other);
    },
  ],
  "a token that names no published key": [
    /response\/token\/header : it names no key of/,
    (forged) => (there(there(firstToken(forged).response).token?.header)["kid"] = "other"),
  ],
  "a refused token that was accepted": [
    /outcome authorization-server\.accepted\/service@viewOrganization: its evidence shows/,
    (forged) => (responseOf(forged, ACCEPTED, "probes").status = 401),
  ],
  "another token than the client's": [
    /evidence authorization-server\.accepted\/service@viewOrganization: this case makes another claims member sub/,
    (forged) => (claimsOf(requestOf(forged, ACCEPTED, "probes"))["sub"] = "somebody"),
  ],
  "a case that passed without any exchange": [
    /evidence authorization-server\.keys\/private: no exchange shows that it passed/,
    (forged) => delete caseOf(forged, PRIVATE_KEY).evidence,
  ],
});

/** The exchange that brought the first token of a client. */
function firstToken({ exchanges }: Forged): Forged["exchanges"][string] {
  return there(exchanges["authorization-server/token-service~1"]);
}

/** The request of a control with an issued token. */
function issuedControl({ exchanges }: Forged): ForgedRequest {
  const sent = Object.values(exchanges).find(({ caseId }) => caseId === "control/viewOrganization");
  return there(sent).request;
}
