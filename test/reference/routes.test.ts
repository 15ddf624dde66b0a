import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { SuiteError } from "../../src/lib/errors.ts";
import { startReference, type RunningReference } from "../../src/reference/index.ts";
import { folderWith } from "../support/folder.ts";
import { listening } from "../support/listening.ts";
import { ALGORITHMS, JWKS, send, type Request } from "./client.ts";

let receiver: RunningReference;
beforeAll(async () => {
  receiver = await startReference({ jwks: JWKS });
});
afterAll(() => receiver.close());

test.each<[string, Request, number]>([
  ["an unknown route", { path: "/nowhere" }, 404],
  ["a trailing slash", { path: "/orgs/" }, 404],
  ["an invalid escape", { path: "/orgs/%zz" }, 400],
  ["a method that the route does not support", { path: "/orgs", method: "DELETE" }, 405],
  ["an unknown method", { path: "/orgs", method: "PROPFIND" }, 405],
  ["an unknown change", { operation: "readChange", changeId: "toString" }, 404],
  ["a malformed id", { orgId: "__proto__" }, 404],
  ["invalid JSON", { operation: "editOrganization", body: "{" }, 400],
  ["a polluting body", { operation: "editOrganization", body: '{"__proto__":{"x":1}}' }, 400],
  [
    "text",
    { operation: "submitChange", body: "x", headers: { "content-type": "text/plain" } },
    415,
  ],
  ["a large body", { operation: "submitChange", body: `"${"x".repeat(2_000_000)}"` }, 413],
])("%s is answered with an Error body", async (_, request, status) => {
  const reply = await send(receiver, request);
  expect(reply.status).toBe(status);
  expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
  expect(reply.body).toEqual({ status, message: expect.any(String), errors: expect.any(Array) });
});

test.each([
  ["nonsense", "nonsense\r\n\r\n", 400],
  ["an unknown expectation", "GET /orgs HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n", 417],
  ["an endless header", `GET /orgs HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431],
])("%s on the socket is answered with an Error body", async (_, text, status) => {
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(receiver.baseUrl).port), "127.0.0.1", () =>
      socket.write(text),
    );
    let received = "";
    socket.on("data", (chunk) => (received += String(chunk)));
    socket.on("close", () => resolve(received));
    socket.on("error", () => {});
  });
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const body: unknown = JSON.parse(/\{.*\}/.exec(answer)?.[0] ?? "");
  expect(body).toEqual({ status, message: expect.any(String), errors: [] });
});

test("64 concurrent connections get answers from 100,000 organizations", async () => {
  const large = await startReference({ jwks: JWKS, organizations: 100_000 });
  try {
    const replies = await Promise.all(
      Array.from({ length: 256 }, (_, index) =>
        send(large, { operation: "listOrganizations", query: `?pageSize=5&page=${index + 1}` }),
      ),
    );
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(large.requests).toBe(256);
    expect(replies[0]?.body).toMatchObject({ paginationInfo: { totalItems: 99_999 } });
  } finally {
    await large.close();
  }
});

describe("keys", () => {
  test("come from a file or a URL", async () => {
    const file = join(folderWith({ "jwks.json": JSON.stringify(JWKS) }), "jwks.json");
    const publisher = createServer((_, response) => response.end(JSON.stringify(JWKS)));
    const url = `${await listening(publisher)}/jwks.json`;
    for (const jwks of [file, url]) {
      const reading = await startReference({ jwks });
      expect((await send(reading)).status).toBe(200);
      expect(reading.profile["testIssuer"]).toMatchObject({
        algorithms: ALGORITHMS,
      });
      await reading.close();
    }
  });

  test("that cannot be fetched when a token arrives are an error of the receiver: 503", async () => {
    let broken = false;
    const publisher = createServer((_, response) =>
      response.writeHead(broken ? 500 : 200).end(JSON.stringify(JWKS)),
    );
    const url = `${await listening(publisher)}/jwks.json`;
    const reading = await startReference({ jwks: url });
    broken = true;
    const reply = await send(reading);
    expect(reply.status).toBe(503);
    expect(reply.body).toMatchObject({ status: 503 });
    await reading.close();
  });
});

test.each([
  ["an unknown fault", { faults: ["isuer-unchecked"] }, /issuer-unchecked/],
  ["an unknown variant", { variants: ["statuses"] }, /statuses-all-403/],
  ["too many organizations", { organizations: 100_001 }, /100000/],
  ["a missing file", { jwks: "nowhere/jwks.json" }, /JWKS/],
  ["a symmetric key set", { jwks: { keys: [{ kty: "oct", k: "AAAA", alg: "HS256" }] } }, /RS256/],
])("%s is a user error", async (_, options, words) => {
  const error: unknown = await startReference({ jwks: JWKS, ...options }).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(SuiteError);
  const { message, hint } = error as SuiteError;
  expect(`${message}\n${hint}`).toMatch(words);
});

test("a port that is in use is a user error", async () => {
  const port = Number(new URL(receiver.baseUrl).port);
  await expect(startReference({ jwks: JWKS, port })).rejects.toThrow(SuiteError);
});
