import { describe, expect, test } from "vitest";

import { type Call } from "../../src/reference/model.ts";
import { OTHER, PRIMARY } from "../../src/reference/store.ts";
import type { Front, FrontAnswer } from "../support/front.ts";
import { runBehind } from "../support/front.ts";
import { runCases } from "./support.ts";

const ORGANIZATION_PATH = /^\/common-grants\/orgs\/[\da-f-]{36}(?:\/changes(?:\/[\w-]+)?)?$/;
const patterns = ["receiver.binding/path-*"];

/** Answers requests that name an organization but are not exactly a route of the contract. */
function instead(answer: (method: string) => FrontAnswer): Front {
  return (method, path) => {
    const isOther = /[\da-f]{8}-/i.test(path) && !ORGANIZATION_PATH.test(path);
    return isOther ? answer(method) : undefined;
  };
}

async function outcomes(front: Front): Promise<string[]> {
  const { results } = await runBehind(front, { patterns });
  return [...new Set(results.map(({ outcome }) => outcome))];
}

const json = { "content-type": "application/json" };

describe("a path that names the organization only after normalization", () => {
  test.each<[string, () => FrontAnswer]>([
    ["a redirect", () => ({ status: 308, headers: { location: "/" } })],
    ["a rejection", () => ({ status: 414 })],
    ["a server error", () => ({ status: 500 })],
    ["a closed connection", () => "hang up"],
    ["an application's page", () => ({ status: 200, body: "<html>Welcome</html>" })],
    [
      "the token's own organization",
      () => ({ status: 200, headers: json, body: JSON.stringify({ data: { id: OTHER } }) }),
    ],
  ])("may be answered with %s", async (_name, answer) => {
    expect(await outcomes(instead(answer))).toEqual(["pass"]);
  });

  test("may not be answered with the organization", async () => {
    const body = JSON.stringify({ data: { id: PRIMARY.toUpperCase() } });
    const show = instead((method) =>
      method === "GET" ? { status: 200, headers: json, body } : { status: 404 },
    );
    const { results } = await runBehind(show, { patterns });
    const failed = results.filter(({ outcome }) => outcome === "fail");
    expect(new Set(failed.map(({ operation }) => operation))).toEqual(
      new Set(["viewOrganization"]),
    );
    expect(failed.length).toBe(13);
  });

  test("is inconclusive if the answer may show either organization", async () => {
    const body = JSON.stringify({ message: `welcome to ${PRIMARY}` });
    const show = instead((method) =>
      method === "GET" ? { status: 200, headers: json, body } : { status: 404 },
    );
    expect(await outcomes(show)).toEqual(["inconclusive", "pass"]);
  });
});

/** The cases on the view that find a receiver whose check 6 lets these calls pass too. */
async function foundIn(passes: (bound: unknown, call: Call) => boolean): Promise<string[]> {
  const { results } = await runCases("receiver.binding/*@viewOrganization", {
    patches: [
      {
        checkBinding: (original) => (call) => {
          if (!passes(call.claims[call.receiver.bindingClaim], call)) return original(call);
        },
      },
    ],
  });
  return results
    .filter(({ outcome }) => outcome === "fail")
    .map(({ id }) => id.split(/[/@]/)[1] ?? "");
}

test.each<[string, (bound: unknown, call: Call) => boolean]>([
  ["word-all", (bound) => bound === "all"],
  [
    "primary-on-listed",
    (bound, { orgId }) => bound === PRIMARY && String(orgId).startsWith("5eedc0de"),
  ],
])("a receiver is found that only %s shows", async (id, passes) => {
  expect(await foundIn(passes)).toEqual([id]);
});

test.each<[string, (claims: Call["claims"]) => boolean]>([
  ["authorization-code", ({ grant_type: flow }) => flow === "authorization_code"],
  ["all-scopes", ({ scope }) => String(scope).split(" ").length > 1],
])("a list that forgets the binding is found that only %s shows", async (id, forgets) => {
  const { results } = await runCases("receiver.binding-list", {
    patches: [
      {
        visibleOrganizations: (original) => (call) =>
          forgets(call.claims) ? [...call.receiver.store.organizations.keys()] : original(call),
      },
    ],
  });
  const failed = results.filter(({ outcome }) => outcome === "fail");
  expect(failed.map((one) => one.id)).toEqual([`receiver.binding-list/${id}@listOrganizations`]);
});
