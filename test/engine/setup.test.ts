import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";

import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from "jose";
import { expect, onTestFinished, test } from "vitest";

import { OPERATION_IDS } from "../../src/contract/operations.ts";
import type { SetupProblem } from "../../src/engine/events.ts";
import { run } from "../../src/engine/run.ts";
import { SuiteError } from "../../src/lib/errors.ts";
import { listening } from "../support/listening.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";
import { referenceTarget } from "../support/target.ts";
import {
  type Answer,
  type Behaviour,
  type Call,
  isWrite,
  PRIMARY,
  refusal,
  refusing,
  runTiny,
} from "./tiny.ts";

const ALL = [refusing(OPERATION_IDS)];

async function problemOf(
  behaviour: Behaviour,
  timesOut = false,
): Promise<SetupProblem | undefined> {
  const { finished, calls, outcomes } = await runTiny(ALL, { behaviour, timesOut });
  expect(finished.setup.length).toBeLessThanOrEqual(1);
  expect(finished.verdict).toBe("incomplete");
  expect(Object.values(outcomes)).not.toContain("fail");
  const extra = calls.filter(({ caseId }) => caseId.startsWith("setup/"));
  expect(extra.length).toBeLessThanOrEqual(4);
  expect(extra.filter(isWrite)).toEqual([]);
  return finished.setup[0];
}

const now = (): number => Date.now() / 1000;

/** A receiver with checks that say what they object to; `wrong` is the one that good tokens fail. */
function checking(wrong: "signature" | "issuer" | "audience" | "expiry" | "subject"): Behaviour {
  return ({ claims, header }): Answer | undefined => {
    if (!claims) return refusal(401, "a token is required");
    const forged = header?.["forged"] === true;
    if (wrong === "signature" || forged) return refusal(401, "signature");
    if (wrong === "issuer" || /untrusted/.test(String(claims["iss"])))
      return refusal(401, "issuer");
    if (wrong === "audience" || /another/.test(String(claims["aud"])))
      return refusal(401, "audience");
    if (wrong === "expiry" || Number(claims["exp"]) < now()) return refusal(401, "expired");
    return refusal(403, "subject");
  };
}

/** The same, with signatures that are seen to be good or not. */
async function verifying(behaviour: Behaviour): Promise<Behaviour> {
  const keys = createLocalJWKSet(JSON.parse(readFileSync(BUNDLED_JWKS, "utf8")) as JSONWebKeySet);
  return async (call) => {
    const good = await compactVerify(call.token ?? "", keys).then(
      () => true,
      () => false,
    );
    const answer = await behaviour(good ? call : { ...call, header: { forged: true } });
    return answer === "hang" ? undefined : answer;
  };
}

test.each(
  Object.entries<[Answer, RegExp, RegExp]>({
    "DPoP challenge": [
      { ...refusal(401), headers: { "www-authenticate": 'DPoP algs="ES256"' } },
      /demands DPoP/,
      /scheme Bearer/,
    ],
    "certificate that is bound to the token": [
      refusal(401, "the token is not bound to the client certificate"),
      /demands a client certificate/,
      /request\.cert/,
    ],
  }),
)(
  "an answer to every good token that demands proof is reported: a %s",
  async (_what, [answer, problem, remedy]) => {
    const found = await problemOf(() => answer);
    expect(found?.problem).toMatch(problem);
    expect(found?.remedy).toMatch(remedy);
  },
);

test("a challenge for Bearer beside one for DPoP demands no proof", async () => {
  const headers = { "www-authenticate": 'Bearer error="invalid_token", DPoP algs="ES256"' };
  const found = await problemOf(() => ({ ...refusal(401), headers }));
  expect(found?.problem).not.toMatch(/DPoP/);
});

test.each([
  [
    "signature",
    /does not know the test issuer's key/,
    /Make the deployment trust the key .+ of jwks\.json/,
  ],
  ["issuer", /does not trust https:\/\/issuer\.example\.com\.$/, /testIssuer\.url/],
  ["audience", /127\.0\.0\.1:\d+\/base is not the deployment's own base URL\.$/, /audience/],
  ["expiry", /exactly as an expired token is\.$/, /clocks/],
  ["subject", /though not for its signature, issuer, audience or expiry\.$/, /svc-conformance/],
] as const)(
  "a good token that is refused for its %s is reported",
  async (wrong, problem, remedy) => {
    const found = await problemOf(await verifying(checking(wrong)));
    expect(found?.problem).toMatch(problem);
    expect(found?.remedy).toMatch(remedy);
  },
);

test("ids and times in an answer do not count as a difference", async () => {
  const found = await problemOf(() =>
    refusal(401, `${new Date().toISOString()} ${Math.random()} ${crypto.randomUUID()}`),
  );
  expect(found?.problem).toMatch(/does not know the test issuer's key, or does not say/);
});

test.each(
  Object.entries<[Behaviour, RegExp, RegExp]>({
    "nothing at the base URL": [
      () => ({ status: 404 }),
      /^There is nothing at http:.*\/base\. .*404 Not Found/,
      /path of the base URL/,
    ],
    "nothing at the base URL of a gateway that checks tokens first": [
      ({ claims }) => refusal(claims ? 404 : 401),
      /^There is nothing at http:.*\/base\. .*404 Not Found/,
      /path of the base URL/,
    ],
    "a redirect everywhere": [
      ({ path }) => ({ status: 308, headers: { location: `https://elsewhere.example${path}` } }),
      /\/base redirects every good request: 308 Permanent Redirect to https:\/\/elsewhere\.example\/orgs/,
      /baseUrl/,
    ],
    "a receiver with an internal error": [
      ({ claims }) => (claims ? { status: 500 } : undefined),
      /^The deployment fails on every good request: 500 Internal Server Error on listOrganizations\.$/,
      /Conformance-Case: control\/listOrganizations/,
    ],
    "a busy gateway": [
      ({ claims }) => (claims ? { status: 429, headers: { "retry-after": "99999" } } : undefined),
      /^No good request is answered: 429 Too Many Requests, Retry-After: 99999/,
      /maxRequestsPerSecond/,
    ],
    "a receiver that does not answer": [
      ({ claims }) => (claims ? "hang" : undefined),
      /^No good request is answered: no answer within the time limit/,
      /timeoutMs/,
    ],
    "an unexpected answer": [
      ({ claims }) => (claims ? refusal(418) : undefined),
      /^Every good token is refused \(418 I'm a Teapot on listOrganizations\)\.$/,
      /Make the deployment trust/,
    ],
  }),
)("%s is reported in one sentence with a remedy", async (_what, [behaviour, problem, remedy]) => {
  const found = await problemOf(behaviour, true);
  expect(found?.problem).toMatch(problem);
  expect(found?.remedy).toMatch(remedy);
});

const below =
  (status: (call: Call) => number): Behaviour =>
  (call) =>
    call.claims && call.organization ? refusal(status(call)) : undefined;

test.each(
  Object.entries<[Behaviour, RegExp, RegExp]>({
    "a missing organization": [
      below(() => 404),
      /knows no organization 1111/,
      /organizations\.primary/,
    ],
    "a subject that may not act there": [
      below(() => 403),
      /svc-conformance may not act .* answers 403\.$/,
      /Grant it access/,
    ],
    "a subject that may see little": [
      below(({ method }) => (method === "GET" ? 404 : 403)),
      /svc-conformance may not act .* answers 403 or 404\.$/,
      /Grant it access/,
    ],
  }),
)("%s is reported if the list works", async (_what, [behaviour, problem, remedy]) => {
  const found = await problemOf(behaviour);
  expect(found?.problem).toMatch(problem);
  expect(found?.problem).toContain(PRIMARY);
  expect(found?.remedy).toMatch(remedy);
});

test("a missing organization is reported even if only that operation was selected", async () => {
  const checked = checking("subject");
  const behaviour = await verifying(async (call) => {
    const answer = (await checked(call)) as Answer;
    return answer.status === 403 ? refusal(404) : answer;
  });
  const { finished } = await runTiny(ALL, { behaviour, patterns: ["*/*@viewOrganization"] });
  expect(finished.setup[0]?.problem).toMatch(/knows no organization 1111/);
});

test("nothing is reported if only one route refuses", async () => {
  const { finished } = await runTiny(ALL, {
    behaviour: ({ operation }) => (operation === "readChange" ? refusal(404) : undefined),
    patienceMs: 0,
  });
  expect(finished.setup).toEqual([]);
});

/** The error of a run against a base URL that cannot be run against. */
async function errorAt(baseUrl: string): Promise<SuiteError> {
  const target = referenceTarget({ baseUrl });
  const error: unknown = await run({ target, rules: ALL, seed: 1, emit: () => {} }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SuiteError);
  return error as SuiteError;
}

test.each<[string, (url: string) => string, RegExp]>([
  ["nobody listens", (url) => url, /ECONNREFUSED/],
  ["the host is unknown", () => "http://no-such-host.invalid", /ENOTFOUND|EAI_AGAIN|proxy/i],
])("a target where %s is a user error", async (_what, urlOf, said) => {
  const { message, hint } = await errorAt(urlOf(`http://127.0.0.1:${await portOfNobody()}`));
  expect(message).toMatch(/cannot be reached: no connection could be made/);
  expect(message).toMatch(said);
  expect(hint).toMatch(/^Check the base URL/);
});

test("a target that does not complete its first answer is told what is missing", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 401 No\r\nContent-Length: 7\r\n\r\n{}"));
  });
  const baseUrl = await listening(server);
  expect(await errorAt(baseUrl)).toMatchObject({
    message: `${baseUrl} does not complete its answer 401: \`Content-Length\` announces 7 bytes, and 2 came`,
    hint: expect.stringMatching(/^Let the server compute `Content-Length`/) as string,
  });
});

/** A port at which nobody listens. It is in use by a client, so that no other process can take it. */
async function portOfNobody(): Promise<number | undefined> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(client, "connect");
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return client.localPort;
}

test("https to a server that speaks http is explained", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  const origin = await listening(server);
  const { hint } = await errorAt(origin.replace("http", "https"));
  expect(hint).toBe(`The server does not speak TLS there; is the URL ${origin}?`);
});
