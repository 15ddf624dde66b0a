import SwaggerParser from "@apidevtools/swagger-parser";
import { beforeAll, describe, expect, it } from "vitest";

import { OPERATION_IDS, OPERATIONS, SCOPES } from "../../src/contract/operations.ts";
import { fixturePath } from "../../src/lib/package-root.ts";

const METHODS = ["get", "put", "post", "patch", "delete"] as const;
type Method = (typeof METHODS)[number];

interface Route {
  operationId: string;
  requestBody?: unknown;
  security: Record<string, string[]>[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

interface Document {
  servers: { url: string }[];
  paths: Record<string, { parameters?: { name: string }[] } & Partial<Record<Method, Route>>>;
  components: {
    parameters: Record<string, { in: string; required?: boolean; schema: Record<string, unknown> }>;
    schemas: Record<string, { title: string }>;
    securitySchemes: Record<
      string,
      { type: string; flows: Record<string, Record<string, unknown>> }
    >;
  };
}

let document: Document;

beforeAll(async () => {
  document = (await SwaggerParser.validate(fixturePath("openapi.yaml"))) as unknown as Document;
});

function routes(): [method: string, path: string, route: Route][] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([key, route]): [string, string, Route][] =>
      METHODS.includes(key as Method) ? [[key.toUpperCase(), path, route as Route]] : [],
    ),
  );
}

describe("the OpenAPI document", () => {
  it("has the contract's six routes, each with its scope", () => {
    expect(
      routes().map(([method, path, route]) => [
        route.operationId,
        `${method} ${path}`,
        route.security,
      ]),
    ).toEqual([
      ["listOrganizations", "GET /orgs", [{ accessToken: ["org:read"] }]],
      ["viewOrganization", "GET /orgs/{orgId}", [{ accessToken: ["org:read"] }]],
      ["editOrganization", "PATCH /orgs/{orgId}", [{ accessToken: ["org:write"] }]],
      ["submitChange", "POST /orgs/{orgId}/changes", [{ accessToken: ["org.changes:write"] }]],
      ["readChangesFeed", "GET /orgs/{orgId}/changes", [{ accessToken: ["org.changes:read"] }]],
      [
        "readChange",
        "GET /orgs/{orgId}/changes/{changeId}",
        [{ accessToken: ["org.changes:read"] }],
      ],
    ]);
  });

  it("agrees with OPERATIONS", () => {
    expect(Object.keys(OPERATIONS)).toEqual([...OPERATION_IDS]);
    for (const [method, path, route] of routes()) {
      const operation = OPERATIONS[route.operationId as (typeof OPERATION_IDS)[number]];
      expect(operation).toMatchObject({
        method,
        path,
        scope: route.security[0]?.["accessToken"]?.[0],
        organization: path.startsWith("/orgs/{orgId}"),
        change: path.endsWith("/{changeId}"),
        writes: method !== "GET",
      });
    }
  });

  it("defines the Error model for every 4xx and 5xx", () => {
    for (const [, , route] of routes()) {
      for (const status of ["4XX", "5XX"]) {
        expect(route.responses[status]?.content?.["application/json"]?.schema).toMatchObject({
          title: "Error",
          required: ["status", "message", "errors"],
        });
      }
    }
  });

  it("leaves open what the contract does not show", () => {
    for (const [, path, route] of routes()) {
      expect(route.requestBody).toBeUndefined();
      expect(Object.keys(route.responses).toSorted()).toEqual(["4XX", "5XX", "default"]);
      expect(route.responses["default"]?.content).toBeUndefined();
      expect((document.paths[path]?.parameters ?? []).map(({ name }) => name)).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      );
      expect(route).not.toHaveProperty("parameters");
    }
  });

  it("declares the types of its parameters", () => {
    const { orgId, changeId, page, pageSize } = document.components.parameters;
    expect(orgId).toMatchObject({
      in: "path",
      required: true,
      schema: { type: "string", format: "uuid" },
    });
    expect(changeId).toMatchObject({ in: "path", required: true, schema: { type: "string" } });
    expect(changeId?.schema).not.toHaveProperty("format");
    const bounds = { type: "integer", minimum: 1, maximum: 2_147_483_647 };
    expect(page).toMatchObject({ in: "query", schema: { ...bounds, default: 1 } });
    expect(pageSize).toMatchObject({ in: "query", schema: { ...bounds, default: 100 } });
    expect([page?.required, pageSize?.required]).toEqual([undefined, undefined]);
  });

  it("offers both flows with the four scopes, at placeholder URLs", () => {
    const { type, flows } = document.components.securitySchemes["accessToken"] ?? {};
    expect(type).toBe("oauth2");
    expect(Object.keys(flows ?? {}).toSorted()).toEqual(["authorizationCode", "clientCredentials"]);
    for (const flow of Object.values(flows ?? {})) {
      const scopes = flow["scopes"] as Record<string, string>;
      expect(Object.keys(scopes)).toEqual([...SCOPES]);
      for (const description of Object.values(scopes)) expect(description).not.toBe("");
      expect(flow["tokenUrl"]).toContain("{auth_url}");
    }
    expect(flows?.["authorizationCode"]?.["authorizationUrl"]).toContain("{auth_url}");
    expect(document.servers.map(({ url }) => url)).toEqual(["{base_url}"]);
  });
});
