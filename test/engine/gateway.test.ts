import { describe, expect, it, test } from "vitest";

import { gatewayProblems } from "../../src/engine/conclusion/gateway.ts";
import type { CaseResult, SetupProblem } from "../../src/engine/events.ts";
import type { Exchange } from "../../src/http/exchange.ts";
import { exchange, result } from "../report/events.ts";
import { type FrontAnswer, runBehind } from "../support/front.ts";
import { runAgainstReference } from "../support/run-against.ts";

const ERROR = JSON.stringify({ status: 403, message: "No.", errors: [] });
const PAGE = "<html><body><h1>403 Forbidden</h1></body></html>";

const APACHE =
  '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head><title>404 Not Found</title></head></html>';
const NGINX_503 =
  "<html><body><center><h1>503 Service Temporarily Unavailable</h1></center><hr><center>nginx</center></body></html>";

/** No server asked in vain to wait. */
const WAITED = { receiver: 0, "authorization-server": 0 };

function answer(
  id: string,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Exchange {
  return exchange(id, { response: { status, headers, body, truncated: false } });
}

/** The set-up problems if `errors.shape` failed because of the last of these answers. */
function said(
  answers: readonly Exchange[],
  outcome: CaseResult["outcome"] = "fail",
): readonly string[] {
  const probes = answers.slice(-1).map(({ id }) => id);
  const judged = result("x", { rule: "errors.shape", outcome, evidence: { probes } });
  return gatewayProblems(answers, [judged], WAITED).map(({ problem }) => problem);
}

/** The only set-up problem of a run with these answers beside the deployment's own ones. */
function onlyProblem(
  exchanges: readonly Exchange[],
  ...judged: readonly CaseResult[]
): SetupProblem | undefined {
  const [first, ...others] = gatewayProblems([...own, ...exchanges], judged, WAITED);
  expect(others).toEqual([]);
  return first;
}

const own = [
  answer("own-1", 200, "{}", { server: "kestrel" }),
  answer("own-2", 403, ERROR, { server: "kestrel" }),
];

describe("a gateway's answer in place of the deployment's", () => {
  test.for(
    Object.entries<[number, string, Record<string, string>, string]>({
      "a different Server header": [
        403,
        PAGE,
        { server: "nginx/1.25.3" },
        "`Server: nginx/1.25.3`",
      ],
      "an empty body": [403, "", { server: "awselb/2.0" }, "`Server: awselb/2.0`"],
      "JSON that is not an Error": [
        403,
        '{"message":"Forbidden"}',
        { "x-amzn-errortype": "ForbiddenException" },
        "`x-amzn-errortype: ForbiddenException`",
      ],
      "a Via header that other answers do not have": [
        500,
        "",
        { via: "1.1 proxy" },
        "`via: 1.1 proxy`",
      ],
      "a page of a known product": [404, "<hr><center>nginx</center>", {}, "a page of nginx"],
      "a page of Apache without its name": [404, APACHE, {}, "a page of Apache"],
    }),
  )("is recognised by %s", ([, [status, body, headers, mark]]) => {
    expect(said([...own, answer("x", status, body, headers)])).toEqual([
      `Answered by your gateway, not by the deployment: no Error body, ${mark}, on 1 answer (${status}, seen by errors.shape).`,
    ]);
  });

  it("is counted by status, with the rules that it affects", () => {
    const nginx = { server: "nginx" };
    const [problem] = said([
      ...own,
      answer("a", 403, PAGE, nginx),
      answer("b", 403, PAGE, nginx),
      answer("c", 404, "", nginx),
    ]);
    expect(problem).toContain("on 3 answers (403 × 2, 404, seen by errors.shape)");
  });

  test.for(
    Object.entries<readonly Exchange[]>({
      "the same Server is on the deployment's own answers": [
        answer("o", 200, "{}", { server: "nginx/1" }),
        answer("x", 403, PAGE, { server: "nginx" }),
      ],
      "nothing shows who answered": [...own, answer("x", 404, "Cannot GET /", {})],
      "it has an Error body": [...own, answer("x", 403, ERROR, { server: "nginx" })],
      "no answer certainly comes from the deployment": [
        answer("x", 403, PAGE, { server: "nginx" }),
      ],
      "the same Via is on the deployment's own answers": [
        answer("o", 200, "{}", { via: "1.1 p" }),
        answer("x", 500, "", { via: "1.1 p" }),
      ],
    }),
  )("is not reported if %s", ([, answers]) => {
    expect(said(answers)).toEqual([]);
  });

  it("is not reported of errors of the authorization server, whose bodies are others", () => {
    const refused = answer("x", 400, '{"error":"invalid_grant"}', { server: "nginx" });
    const caseId = "authorization-server.pkce/none@admin";
    expect(said([...own, { ...refused, caseId }])).toEqual([]);
  });

  it("is not reported if every case passed", () => {
    expect(said([...own, answer("x", 403, PAGE, { server: "nginx" })], "pass")).toEqual([]);
  });
});

function slowed(count: number): Exchange[] {
  return Array.from({ length: count }, (_, index) => answer(`x${index}`, 429, ""));
}

describe("answers that a gateway gives instead of forwarding the request", () => {
  test.for<[number, RegExp, string]>([
    [
      431,
      /^1 answer \(431, seen by errors.shape\), without an Error body: .* size of the request/,
      "16 KiB",
    ],
    [413, /^1 answer \(413/, "16 KiB"],
    [
      502,
      /^1 answer \(502, seen by errors.shape\): a gateway had no answer/,
      "Conformance-Case: receiver.expiry/hour-ago@viewOrganization",
    ],
    [429, /^1 answer \(429, .* limits the request rate/, "request.maxRequestsPerSecond"],
  ])("%i", ([status, problem, remedy]) => {
    const evidence = { probes: ["x"] };
    const judged = result("x", { rule: "errors.shape", outcome: "inconclusive", evidence });
    const first = onlyProblem([answer("x", status, "")], judged);
    expect(first?.problem).toMatch(problem);
    expect(first?.remedy).toContain(remedy);
  });

  test.for(
    Object.entries<[number, string, RegExp, string]>({
      "nginx's limit_req is a rate limit": [
        503,
        NGINX_503,
        /limits the request rate/,
        "request.maxRequestsPerSecond",
      ],
      "another 503 does not mean a missing answer": [503, "", /was not available/, "--concurrency"],
      "a 502 with an Error body does not mean a missing answer": [
        502,
        ERROR,
        /was not available/,
        "--concurrency",
      ],
    }),
  )("%s", ([, [status, body, problem, remedy]]) => {
    const judged = result("x", { outcome: "inconclusive", evidence: { probes: ["x"] } });
    const first = onlyProblem([answer("x", status, body)], judged);
    expect(first?.problem).toMatch(problem);
    expect(first?.remedy).toContain(remedy);
  });

  test.for<[string, number, Record<string, string>, boolean]>([
    ["refuses bad tokens with 401", 401, {}, true],
    ["challenges for another token", 403, { "www-authenticate": "Bearer" }, true],
    ["refuses requests that look like an attack", 403, {}, false],
  ])("the remedy fits a gateway that %s", ([, status, headers, authenticates]) => {
    const refused = answer("x", status, PAGE, { server: "nginx", ...headers });
    const { request } = refused;
    const authorized = {
      ...request,
      headers: [["authorization", "Bearer [redacted]"]] as const,
      token: { mutation: "forged" },
    };
    const judged = result("x", { outcome: "fail", evidence: { probes: ["x"] } });
    const first = onlyProblem([{ ...refused, request: authorized }], judged);
    expect(first?.remedy.includes("error_page")).toBe(authenticates);
    expect(first?.remedy.includes("User-Agent")).toBe(!authenticates);
  });

  test.for(
    Object.entries<[Partial<Exchange>, string]>({
      "the authorization server": [
        { caseId: "authorization-server.scope/claim@service" },
        "authorizationServer.maxRequestsPerSecond",
      ],
      "the deployment, which is shown a token that was issued": [
        { caseId: "authorization-server.accepted/list@service", operation: "listOrganizations" },
        "request.maxRequestsPerSecond",
      ],
    }),
  )("the remedy for 429 names the key of %s", ([, [sent, key]]) => {
    const first = onlyProblem([{ ...answer("x", 429, ""), ...sent }]);
    expect(first?.remedy).toContain(` ${key} `);
  });

  it("are named for the one server that answered so often, and not where it asked in vain to wait", () => {
    const fine = Array.from({ length: 40 }, (_, index) => answer(`own${index}`, 200, "{}"));
    const ofServer = slowed(2).map((one) => ({
      ...one,
      caseId: "authorization-server/token-service",
    }));
    const [first, ...others] = gatewayProblems([...fine, ...ofServer], [], WAITED);
    expect(others).toEqual([]);
    expect(first?.problem).toMatch(/^2 answers \(429 × 2\): the authorization server, /);
    const unwaited = { receiver: 1, "authorization-server": 0 };
    expect(gatewayProblems([...fine, ...ofServer, ...slowed(40)], [], unwaited)).toEqual([first]);
  });

  it("are ignored if they are few, and reported if they are more than a tenth", () => {
    const fine = Array.from({ length: 20 }, (_, index) => answer(`own${index}`, 200, "{}"));
    expect(gatewayProblems([...fine, ...slowed(2)], [], WAITED)).toEqual([]);
    expect(gatewayProblems([...fine, ...slowed(3)], [], WAITED)).toHaveLength(1);
    const judged = Array.from({ length: 40 }, (_, index) =>
      result(`${index}`, {
        outcome: index > 1 ? "pass" : "inconclusive",
        evidence: { probes: ["x0"] },
      }),
    );
    expect(gatewayProblems([...fine, ...slowed(1)], judged, WAITED)).toEqual([]);
  });
});

describe("runs behind a gateway", () => {
  const nginx: FrontAnswer = {
    status: 403,
    headers: { server: "nginx/1.25.3", "content-type": "text/html" },
    body: PAGE,
  };

  it("say that the gateway refuses requests without a token", async () => {
    const { finished } = await runBehind(
      (_, _path, headers) => (headers.authorization === undefined ? nginx : undefined),
      { patterns: ["receiver.token-required", "errors.shape"] },
    );
    expect(finished.setup).toHaveLength(1);
    expect(finished.setup[0]?.problem).toMatch(
      /^Answered by your gateway, not by the deployment: no Error body, `Server: nginx\/1\.25\.3`, on \d+ answers \(403 × \d+, seen by errors\.shape\)\. It refuses tokens itself/,
    );
    expect(finished.setup[0]?.remedy).not.toContain("User-Agent");
  });

  it("say nothing about a receiver whose own errors are HTML pages", async () => {
    const { finished } = await runAgainstReference(
      { faults: ["error-html-on-404"] },
      { patterns: ["errors.*"] },
    );
    expect(finished.verdict).toBe("non-conformant");
    expect(finished.setup).toEqual([]);
  });
});
