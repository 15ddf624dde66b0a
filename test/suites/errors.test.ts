import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { describe, expect, test } from "vitest";

import { isObject } from "../../src/lib/json.ts";
import type { Handler } from "../../src/reference/model.ts";
import { Refusal } from "../../src/reference/refusal.ts";
import type { Patch } from "../../src/reference/steps.ts";
import { drawnOneIn } from "../proof/selection.ts";
import { listening } from "../support/listening.ts";
import { runAgainst, runAgainstReference, unsettled } from "../support/run-against.ts";
import { worded, type WordedResult } from "../support/worded.ts";
import { runCases } from "./support.ts";

const ERROR_RULES = ["errors.shape", "errors.status", "errors.media-type"];

function outcome(results: readonly WordedResult[], id: string): unknown {
  return results.find((result) => result.id === id)?.outcome;
}

describe("rules about all answers, selected alone", () => {
  test.each([
    ["error-empty-on-401", "errors.shape"],
    ["error-html-on-404", "errors.shape"],
    ["error-parser-default", "errors.shape"],
    ["error-status-wrong-on-404", "errors.status"],
    ["error-as-html", "errors.media-type"],
  ])("provoke what shows %s", async (fault, rule) => {
    const { results } = await runCases(rule, { faults: [fault] });
    const bad = rule === "errors.media-type" ? "warn" : "fail";
    expect(results.map((result) => result.outcome)).toContain(bad);
  });

  test("send few requests, and only once for all three", async () => {
    const { finished, results } = await runCases(ERROR_RULES);
    const judged = results.filter(({ level }) => level !== "OBSERVE");
    // What answers an odd request with a 2xx has shown no error.
    const outcomes = new Set(judged.map((result) => result.outcome));
    expect(outcomes).toEqual(new Set(["pass", "observed"]));
    expect(finished.requests).toBeLessThan(110);
  });

  test("write nothing if writes are not allowed", async () => {
    const { exchanges } = await runCases(["errors.*", "receiver.token-required"], {
      readOnly: true,
    });
    const methods = new Set([...exchanges.values()].map(({ request }) => request.method));
    expect([...methods].toSorted()).toEqual(["GET", "HEAD", "OPTIONS"]);
  });
});

describe("errors for requests with different Accept headers", () => {
  const CASES = ["without-accept", "accept-anything", "accept-page"];

  test.each([
    ["error-page-unless-json-asked", ["fail", "fail", "warn"]],
    ["error-page-for-browsers", ["pass", "pass", "warn"]],
    // A fault that affects all errors is reported once.
    ["error-plain-text", ["inconclusive", "inconclusive", "inconclusive"]],
  ])("%s: %j", async (fault, expected) => {
    const { results, exchanges } = await runCases("errors.shape", { faults: [fault] });
    const outcomes = (operation: string): unknown[] =>
      CASES.map((name) => outcome(results, `errors.shape/${name}@${operation}`));
    expect(outcomes("viewOrganization")).toEqual(expected);
    expect(outcomes("editOrganization")).toEqual(expected);
    for (const { caseId, request } of exchanges.values()) {
      if (!caseId.startsWith("errors.shape/without-accept@")) continue;
      expect(request.headers.map(([name]) => name)).not.toContain("accept");
    }
  });

  test("a profile's Accept header is not changed", async () => {
    const { results } = await runCases("errors.shape/*@viewOrganization", {
      profile: { request: { headers: { Accept: "application/vnd.sync+json" } } },
    });
    expect(outcome(results, "errors.shape/accept-anything@viewOrganization")).toBe(
      "not-applicable",
    );
  });

  test("an answer that a server in front may give is not a violation", async () => {
    const { results } = await runCases("errors.shape", { variants: ["front-end-pages"] });
    expect(results.filter((one) => ["fail", "warn"].includes(one.outcome))).toEqual([]);
    const said = (name: string): unknown =>
      results.find(({ id }) => id.startsWith(`errors.shape/${name}@`))?.actual;
    expect(said("path-nul")).toBe("400 Bad Request, no Error body");
    expect(said("body-of-megabytes")).toBe("400 Bad Request, no Error body");
    expect(said("path-no-escape")).toBe("400 Bad Request, an Error body");
  });

  test("a request without a body is accepted, or gets an Error body", async () => {
    const { results } = await runCases("errors.shape/no-body@*", {
      faults: ["error-no-body-default"],
    });
    expect(results.map(({ id, outcome: one }) => [id, one])).toEqual([
      ["errors.shape/no-body@editOrganization", "fail"],
      ["errors.shape/no-body@submitChange", "fail"],
    ]);
  });
});

test("a receiver that accepts a body that is no JSON has writes left for every MUST", async () => {
  const { finished, results } = await runAgainstReference({ faults: ["not-json-accepted"] });
  const open = results.filter((one) => ["inconclusive", "fail"].includes(one.outcome));
  expect(unsettled(open)).toEqual([]);
  expect(outcome(results, "errors.bad-request/not-json@editOrganization")).toBe("warn");
  expect(outcome(results, "errors.shape/accept-anything@editOrganization")).toBe("pass");
  expect(finished.verdict).toBe("conformant");
});

/** Takes every body that is no object for an empty one. */
function lenient(original: Handler): Handler {
  return (call) => original({ ...call, body: isObject(call.body) ? call.body : {} });
}

const LENIENT: Patch = {
  editOrganization: lenient,
  submitChange: lenient,
  errorAnswer: (original) => (error, receiver) =>
    String((error as { code?: unknown }).code).startsWith("FST_ERR_CTP")
      ? { status: 200, body: { data: {} } }
      : original(error, receiver),
};

const OF_TOKENS = ["binding-trimmed", "sub-missing-accepted", "iat-missing-accepted"];

// Consent to writes in the other organization, and tokens of clients, add good writes.
const LENIENT_RUNS = [
  ["", { writes: false, authorizationServer: false, faults: [] }],
  [", in both organizations", { writes: true, authorizationServer: false, faults: [] }],
  [
    ", in both organizations, beside weak violations of tokens",
    { writes: true, authorizationServer: false, faults: OF_TOKENS },
  ],
  [
    ", beside an authorization server and weak violations of tokens",
    { writes: false, authorizationServer: true, faults: OF_TOKENS },
  ],
  [
    ", in both organizations, beside an authorization server",
    { writes: true, authorizationServer: true, faults: [] },
  ],
] as const;

// Each is a whole run.
test.each(drawnOneIn(5, LENIENT_RUNS))(
  "a receiver that takes every body that is no object for an empty one%s, has writes left for every MUST",
  async (_where, { writes, authorizationServer, faults }) => {
    const reference = { patches: [LENIENT], faults, authorizationServer };
    const profile = { organizations: { other: { writes } } };
    const { finished, results } = await runAgainstReference(reference, { profile });
    expect(unsettled(results.filter(({ level }) => level === "MUST"))).toEqual([]);
    expect(outcome(results, "errors.bad-request/not-json@submitChange")).toBe("warn");
    expect(finished.verdict).toBe("conformant");
    expect(Math.max(...Object.values(finished.writes))).toBeLessThan(20);
  },
);

describe("what the profile does not state", () => {
  test("a missing invalid body is named as missing, and other cases are judged", async () => {
    const { results } = await runAgainstReference(
      {},
      {
        patterns: ["errors.bad-request", "errors.submission"],
        // The document would supply it.
        profile: { openapi: null, operations: { submitChange: { invalidBody: null } } },
      },
    );
    const missing = [
      "errors.bad-request/invalid-body@submitChange",
      "errors.bad-request/invalid-body-space@submitChange",
      "errors.bad-request/invalid-body-quoted@submitChange",
      "errors.bad-request/invalid-body-capitals@submitChange",
      "errors.bad-request/invalid-body-semicolon@submitChange",
      "errors.bad-request/invalid-body-text-json@submitChange",
      "errors.bad-request/invalid-body-merge-patch@submitChange",
      "errors.submission/fields@submitChange",
    ];
    expect(results.filter((one) => one.outcome === "not-provisioned")).toEqual(
      missing.map((id): unknown =>
        expect.objectContaining({ id, missing: ["operations.submitChange.invalidBody"] }),
      ),
    );
    expect(outcome(results, "errors.bad-request/invalid-body@editOrganization")).toBe("pass");
    expect(outcome(results, "errors.bad-request/not-json@submitChange")).toBe("pass");
  });

  test("an operation that does not take JSON is not tested with invalid JSON", async () => {
    const { results } = await runCases("errors.bad-request", {
      profile: {
        operations: {
          editOrganization: { contentType: "application/xml", body: "<x/>", invalidBody: null },
        },
      },
    });
    expect(outcome(results, "errors.bad-request/not-json@editOrganization")).toBe("not-applicable");
  });
});

test("an edit that creates what does not exist is a failure, though a second one is refused", async () => {
  const created = new Set<string>();
  const creating: Patch = {
    findOrganization: (original) => (call) => {
      const { orgId = "", operation, receiver } = call;
      const { organizations } = receiver.store;
      const some = organizations.values().next().value;
      if (created.has(orgId)) throw new Refusal(403, "It is another's.");
      if (operation === "editOrganization" && some && !organizations.has(orgId)) {
        created.add(orgId);
        organizations.set(orgId, { ...some, id: orgId });
      }
      return original(call);
    },
  };
  const id = "errors.not-found/unknown-organization@editOrganization";
  const { results } = await runCases(id, { patches: [creating] });
  expect(outcome(results, id)).toBe("fail");
});

test("what the contract leaves open about errors is observed", async () => {
  const { finished } = await runCases("errors.*");
  const seen = Object.fromEntries(
    finished.observations.map(({ id, value }) => [id, worded(value)]),
  );
  expect(seen).toMatchObject({
    "status.unknown-organization": "404 (5 times)",
    "status.invalid-body": "400 (3 times)",
    "errors.challenge": expect.stringMatching(/^Bearer without credentials/),
    "errors.elements": expect.stringMatching(/^none \(\d+ times\), objects of field, message/),
    "media-type.errors": expect.stringMatching(/^application\/json/),
    "errors.unknown-route/options-without-token@viewOrganization": "405 Method Not Allowed",
  });
});

/** A receiver that accepts every token; `refuse` answers requests without one. */
async function against(
  refuse: (request: IncomingMessage, response: ServerResponse) => void,
  patterns: readonly string[],
): Promise<readonly WordedResult[]> {
  const server = createServer((request, response) => {
    if (request.headers.authorization?.startsWith("Bearer eyJ")) {
      response.end(JSON.stringify({ id: "11111111-1111-4111-8111-111111111111" }));
    } else refuse(request, response);
  });
  const profile = {
    baseUrl: await listening(server),
    organizations: { primary: "11111111-1111-4111-8111-111111111111" },
  };
  try {
    return (await runAgainst(profile, { patterns })).results;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const ERROR = JSON.stringify({ status: 401, message: "no", errors: [] });

function answer(response: ServerResponse, body: string): void {
  response.writeHead(401, { "content-type": "application/json" }).end(body);
}

async function judge(
  refuse: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<unknown[]> {
  const results = await against(refuse, ["errors.shape", "receiver.token-required"]);
  return [
    "errors.shape/viewOrganization",
    "receiver.token-required/not-ascii@viewOrganization",
  ].map((id) => outcome(results, id));
}

describe("no false alarm", () => {
  test("for HEAD, whose answer has no body", async () => {
    expect(await judge((_request, response) => answer(response, ERROR))).toEqual(["pass", "pass"]);
  });

  test("for a body that is longer than the read limit", async () => {
    const long = ERROR.padEnd(5 * 1024 * 1024, " ");
    const outcomes = await judge(({ url }, response) =>
      answer(response, url?.includes("/orgs/") ? long : ERROR),
    );
    expect(outcomes).toEqual(["inconclusive", "pass"]);
  });

  test("for a server that itself answers or closes requests that are hardly HTTP", async () => {
    const outcomes = await judge(({ headers, url, method }, response) => {
      const odd = !/^[ -~]*$/.test(headers.authorization ?? "");
      if (odd) response.socket?.destroy();
      else if (method !== "GET" || !/^(\/[\w-]+)+(\?.*)?$/.test(url ?? "")) {
        response.writeHead(400, { "content-type": "text/html" }).end("<h1>Bad Request</h1>");
      } else answer(response, ERROR);
    });
    expect(outcomes).toEqual(["pass", "pass"]);
  });
});
