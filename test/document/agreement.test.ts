import { describe, expect, it } from "vitest";

import { compareWithDocument } from "../../src/document/compare.ts";
import { errorModelProblem } from "../../src/document/error-model.ts";
import type { Reply } from "../../src/http/exchange.ts";
import type { Finding } from "../../src/probe/finding.ts";
import type { Probe } from "../../src/probe/probe.ts";
import type { DocumentedAnswer, DocumentedOperation } from "../../src/profile/document.ts";
import { rule as pagination } from "../../suites/document/pagination.ts";
import { rule as scopes } from "../../suites/document/scopes.ts";
import { rule as valid } from "../../suites/document/valid.ts";
import { worded } from "../support/worded.ts";
import { described, json, type Json, known, openapi, OPERATION, ref } from "./support.ts";

const ERROR = {
  type: "object",
  required: ["status", "message", "errors"],
  properties: {
    status: { type: "integer" },
    message: { type: "string" },
    errors: { type: "array", items: {} },
  },
};
const member = (name: string, schema: unknown): Json => ({
  ...ERROR,
  properties: { ...ERROR.properties, [name]: schema },
});

function operation(responses: Json, more: Json = {}): DocumentedOperation {
  const document = described(
    openapi({ "/orgs": { get: { responses, ...more } } }, { components: { schemas: { ERROR } } }),
  );
  if (!document.operations.listOrganizations) throw new Error("there is no list");
  return document.operations.listOrganizations;
}

function errorProblem(content: unknown): string | undefined {
  const response = operation({ 404: { description: "", content } }).responses.get("404");
  return response && errorModelProblem(response, 404);
}

describe("an error response agrees with the Error body", () => {
  it.each(
    Object.entries<unknown>({
      literally: json(ERROR),
      "by reference": json(ref("ERROR")),
      "with additional members": json(member("traceId", { type: "string", pattern: "^[a-f]+$" })),
      "with additional required members": json({
        ...member("code", { enum: ["E1"] }),
        required: [...ERROR.required, "code"],
      }),
      "with a narrower status": json(member("status", { const: 404 })),
      "with any number for a status": json(member("status", { type: "number" })),
      "with a required element of errors": json(
        member("errors", { type: "array", minItems: 1, items: { type: "string" } }),
      ),
      "in several parts": json({
        allOf: [ref("ERROR"), { required: ["title"] }],
      }),
      "as problem details": { "application/problem+json": { schema: ERROR } },
      "of any media type": { "*/*": { schema: ERROR } },
      "in JSON, beside an HTML page": { ...json(ERROR), "text/html": {} },
      "as far as it can be judged": json(ref("Nowhere")),
    }),
  )("%s", (_what, content) => {
    expect(errorProblem(content)).toBeUndefined();
  });

  it.each<[unknown, string]>([
    [undefined, "has no body"],
    [{ "text/html": {} }, "has a body of text/html, none in JSON"],
    [{ "application/json": {} }, "has a body of any shape"],
    [json({}), "does not require `status`"],
    [json({ ...ERROR, required: ["status", "message"] }), "does not require `errors`"],
    [json(member("message", {})), "allows `message` to be of another type"],
    [
      json(member("status", { type: "string" })),
      "has a body in which `/status` must be an integer, but is a string",
    ],
    [
      json({
        type: "object",
        required: ["error"],
        additionalProperties: false,
        properties: { error: { type: "string" } },
      }),
      "has a body in which `/status` is required, but missing",
    ],
    [
      {
        "application/json": {
          schema: { oneOf: [ERROR, { required: ["error"], properties: { status: false } }] },
          example: { error: "no" },
        },
      },
      "does not require `status`",
    ],
  ])("%j does not: %s", (content, expected) => {
    expect(errorProblem(content)).toBe(expected);
  });
});

function error(status: number, more: object = {}): object {
  return { status, message: "", errors: [], ...more };
}

describe("an answer compared with the document", () => {
  const items = { type: "object", required: ["items"], properties: { items: { type: "array" } } };
  const documented = operation({
    200: { description: "", content: { ...json(items), "text/csv": {} } },
    204: { description: "" },
    "4xx": { description: "", content: json(ERROR) },
    404: { description: "", content: json(member("traceId", { type: "string" })) },
    409: { description: "", content: json({ required: ["conflict"] }) },
  });
  const compare = (
    status: number,
    body: unknown,
    type = "application/json",
  ): DocumentedAnswer | undefined => compareWithDocument(documented, reply(status, body, type));

  it.each<[string, DocumentedAnswer | undefined]>([
    ["agrees", compare(200, { items: [] })],
    [
      "agrees with any parameters of its media type",
      compare(200, { items: [] }, "Application/JSON; charset=utf-8"),
    ],
    ["agrees with another of the media types", compare(200, "a,b", "text/csv")],
    ["agrees without a body that is not declared", compare(204, undefined)],
    ["agrees with a body although none is declared", compare(204, "anything", "text/plain")],
  ])("%s", (_what, answer) => {
    expect(answer).toEqual({ part: "success", problem: undefined });
  });

  it.each<[DocumentedAnswer | undefined, string]>([
    [compare(201, { items: [] }), "201 is not among 200, 204, 404, 409, 4XX"],
    [compare(200, { items: 7 }), "200: `/items` must be an array"],
    [compare(200, {}), "200: the body lacks the member `items`"],
    [compare(200, undefined), "200: no body, not application/json, text/csv"],
    [
      compare(200, { items: [] }, "text/html"),
      "200: `Content-Type` is text/html, not application/json, text/csv",
    ],
    [compare(200, "{", "application/json"), "200: the body is not JSON"],
  ])("differs: %j", (answer, problem) => {
    expect(answer).toEqual({ part: "success", problem });
  });

  it("is compared with the response of its status, or else of its range", () => {
    expect(compare(404, error(404, { traceId: 7 }))?.problem).toBe(
      "404: `/traceId` must be a string",
    );
    expect(compare(403, error(403, { traceId: 7 }))).toEqual({ part: "error", problem: undefined });
    expect(compare(403, error(403), "application/problem+json")?.problem).toBe(
      "403: `Content-Type` is application/problem+json, not application/json",
    );
  });

  it("with an error that the document does not declare is only reported", () => {
    expect(compare(500, error(500))).toEqual({ part: "undeclared", problem: "500" });
  });

  it.each<[string, DocumentedAnswer | undefined]>([
    ["a redirect", compare(302, undefined)],
    ["a gateway's answer", compare(503, "busy", "text/html")],
    ["no answer", compare(0, undefined)],
    ["a body that is not an Error", compare(403, { error: "no" })],
    ["a body with another status", compare(403, error(401))],
    ["a body with another media type", compare(403, error(403), "text/plain")],
    ["an error whose declared response is not an Error body", compare(409, error(409))],
    ["a truncated answer", compareWithDocument(documented, { ...reply(200, {}), cut: true })],
  ])("is not compared: %s", (_what, answer) => {
    expect(answer).toBeUndefined();
  });
});

const judged = (page: Json, pageSize: Json, more: Json = {}): Promise<Finding> =>
  judge(pagination, {
    parameters: [
      { name: "page", in: "query", schema: page, ...more },
      { name: "pageSize", in: "query", schema: pageSize },
    ],
  });

describe("pagination parameters", () => {
  const int = { type: "integer", format: "int32", minimum: 1 };
  it.each([
    [int],
    [{ type: "integer", minimum: 1, maximum: 2_147_483_647 }],
    [{ type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 2_147_483_648 }],
    [{ allOf: [int] }],
  ])("%j agree", async (schema) => {
    const finding = await judged({ ...schema, default: 1 }, { ...schema, default: 100 });
    expect(finding).toEqual({ kind: "pass" });
  });

  it.each<[Json, string]>([
    [{ ...int, default: 0 }, "page is 0 by default"],
    [int, "page has no default"],
    [{ ...int, default: 1, minimum: 0 }, "page may be less than 1"],
    [{ ...int, default: 1, maximum: 1000 }, "page may not be 2147483647"],
    [{ type: "integer", minimum: 1, default: 1 }, "page may be more than 2147483647"],
    [{ type: "number", minimum: 1, default: 1 }, "page may be something other than an integer"],
    [{}, "page may be something other than an integer"],
    [{ ...int, default: 1, minimum: 2 }, "page may not be 1"],
  ])("%j do not: %s", async (schema, actual) => {
    expect(worded(await judged(schema, { ...int, default: 100 }))).toMatchObject({
      kind: "fail",
      actual,
    });
  });

  it("must both be there, and must be optional", async () => {
    const page = { name: "page", in: "query", schema: { ...int, default: 1 } };
    expect(worded(await judge(pagination, { parameters: [page] }))).toMatchObject({
      actual: "pageSize is missing",
    });
    const required = await judged(
      { ...int, default: 1 },
      { ...int, default: 100 },
      { required: true },
    );
    expect(worded(required)).toMatchObject({ actual: "page is required" });
    expect(await judge(pagination, {})).toMatchObject({ kind: "not-applicable" });
  });
});

describe("the scope of an operation", () => {
  it.each<[unknown, string]>([
    [[{ oauth: ["org:read"] }], "pass"],
    [[{ oauth: ["org:read"], key: [] }], "pass"],
    [[{ one: ["org:read"] }, { other: ["openid", "org:read"] }], "pass"],
    [undefined, "no security is required"],
    [[], "no security is required"],
    [[{}], "a request without credentials is let in"],
    [[{ oauth: ["org:read"] }, {}], "a request without credentials is let in"],
    [[{ oauth: ["org:read"] }, { key: [] }], "key with no scope"],
    [[{ oauth: ["org:write"] }], "oauth with org:write"],
    [[{ oauth: ["org:read", "org:write"] }], "oauth with org:read org:write"],
    [[{ oauth: ["read"] }], "oauth with read"],
  ])("%j: %s", async (security, expected) => {
    const finding = await judge(scopes, security === undefined ? {} : { security });
    expect(finding.kind === "fail" ? worded(finding.actual) : finding.kind).toBe(expected);
  });

  it("is that of the document if the operation has none of its own", async () => {
    const security = [{ oauth: ["org:read"] }];
    expect(await judge(scopes, {}, { security })).toEqual({ kind: "pass" });
    expect(await judge(scopes, { security: [] }, { security })).toMatchObject({ kind: "fail" });
  });
});

function judgedUrls(scheme: Json): Promise<Finding> {
  return judge(valid, {}, { components: { securitySchemes: { oauth: scheme } } }, "own-urls");
}

function flows(tokenUrl: string): Json {
  return { type: "oauth2", flows: { clientCredentials: { tokenUrl } } };
}

describe("the URLs of the authorization server", () => {
  it("are not placeholders", async () => {
    expect(await judgedUrls(flows("https://auth.example.com/token"))).toEqual({ kind: "pass" });
    expect(await judgedUrls(flows("/token"))).toEqual({ kind: "pass" });
    expect(worded(await judgedUrls(flows("{auth_url}")))).toMatchObject({
      actual: "clientCredentials tokenUrl is {auth_url}",
    });
    expect(
      worded(await judgedUrls({ type: "openIdConnect", openIdConnectUrl: "https://<host>" })),
    ).toMatchObject({ actual: "oauth openIdConnectUrl is https://<host>" });
    expect(await judgedUrls({ type: "http", scheme: "bearer" })).toMatchObject({
      kind: "not-applicable",
    });
  });
});

/** What a rule finds of a document with a list that is described so. */
function judge(rule: typeof scopes, list: Json, more: Json = {}, id?: string): Promise<Finding> {
  const document = known(described(openapi({ "/orgs": { get: { ...OPERATION, ...list } } }, more)));
  const target = { operations: { listOrganizations: {} } };
  const cases = rule.cases(target as unknown as Probe["target"]);
  const testCase = cases.find((one) => id === undefined || one.id === id);
  if (!testCase) throw new Error(`${rule.id} has no case ${id}`);
  return testCase.judge({ target, document });
}

function reply(status: number, body: unknown, type = "application/json"): Reply {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  return {
    exchange: { id: "x~1" } as Reply["exchange"],
    status,
    headers: text === "" ? {} : { "content-type": type },
    body: text,
    hasBody: text !== "",
    isUtf8: true,
    cut: false,
    keep() {},
    json: () => (typeof body === "string" ? undefined : body),
  };
}
