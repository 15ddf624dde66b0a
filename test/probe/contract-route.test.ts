import { expect, test } from "vitest";

import { OPERATIONS } from "../../src/contract/operations.ts";
import type { HttpRequest } from "../../src/http/exchange.ts";
import { isContractRoute } from "../../src/probe/contract-route.ts";
import { referenceTarget } from "../support/target.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const target = referenceTarget();
const plain: HttpRequest = {
  method: "GET",
  path: `/common-grants/orgs/${ID}`,
  headers: [["authorization", "Bearer a.b.c"]],
};

function onContractRoute(more: Partial<HttpRequest>): boolean {
  return isContractRoute(target, OPERATIONS.viewOrganization, { ...plain, ...more });
}

test.each<[string, Partial<HttpRequest>]>([
  ["the plain request", {}],
  ["another scheme", { headers: [["authorization", "Basic x y"]] }],
  ["no credentials", { headers: [] }],
  ["a query", { path: `${plain.path}?page=1&x=%2f..` }],
  ["an id that does not exist", { path: "/common-grants/orgs/nobody" }],
  ["an encoded id", { path: "/common-grants/orgs/na%C3%AFve%20id" }],
  ["an ordinary header", { headers: [["x-org-id", ID]] }],
])("an answer to %s comes from the application", (_what, more) => {
  expect(onContractRoute(more)).toBe(true);
});

test.each<[string, Partial<HttpRequest>]>([
  ["another method", { method: "HEAD" }],
  ["a method in the query", { path: `${plain.path}?page=1&_method=patch` }],
  ["a trailing slash", { path: `${plain.path}/` }],
  ["another case", { path: plain.path.toUpperCase() }],
  ["two slashes", { path: plain.path.replace("/orgs", "//orgs") }],
  ["dots", { path: "/common-grants/orgs/.." }],
  ["an encoded slash", { path: `${plain.path}%2Fchanges` }],
  ["an encoded dot", { path: "/common-grants/orgs/%2e" }],
  ["an encoded digit", { path: "/common-grants/orgs/%31" }],
  ["an encoded line break", { path: `${plain.path}%0a` }],
  ["an escape that is not UTF-8", { path: "/common-grants/orgs/%FF" }],
  ["an injected condition", { path: "/common-grants/orgs/a%22%20OR%20%221%22%3D%221" }],
  ["a path in the query", { path: `${plain.path}?/health` }],
  ["a very long id", { path: `/common-grants/orgs/${"a".repeat(1000)}` }],
  ["a body, which has no meaning in a GET", { body: "{}" }],
  ["a very large body", { body: "x".repeat(2 ** 20) }],
  ["a matrix parameter", { path: `${plain.path};x` }],
  ["a file extension", { path: `${plain.path}.json` }],
  ["an absolute URL", { path: `http://127.0.0.1${plain.path}` }],
  [
    "two Authorization headers",
    {
      headers: [
        ["authorization", "a"],
        ["Authorization", "b"],
      ],
    },
  ],
  ["an underscore in a header's name", { headers: [["x_org_id", ID]] }],
  ["bytes that are not ASCII", { headers: [["authorization", "Bearer \u00F6"]] }],
  ["a NUL", { headers: [["authorization", "Bearer \0"]] }],
  ["a very long header", { headers: [["authorization", `Bearer ${"x".repeat(8000)}`]] }],
  ["another host", { headers: [["host", "elsewhere.example"]] }],
  ["another scheme of the URL in a header", { headers: [["x-forwarded-proto", "https"]] }],
  ["a preflight's header", { headers: [["access-control-request-method", "GET"]] }],
  ["another method in a header", { headers: [["x-http-method-override", "OPTIONS"]] }],
])("an answer to %s may come from another server", (_what, more) => {
  expect(onContractRoute(more)).toBe(false);
});
