import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { startReference, VARIANTS, type RunningReference } from "../../src/reference/index.ts";
import { DENIED, OTHER, PRIMARY } from "../../src/reference/store.ts";
import { BINDING, JWKS, mint, send, type Request } from "./client.ts";

const running: RunningReference[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const one of running.splice(0)) await one.close();
});

async function start(...variants: string[]): Promise<RunningReference> {
  const receiver = await startReference({ jwks: JWKS, variants });
  running.push(receiver);
  return receiver;
}

type Asked = Request | ((receiver: RunningReference) => Request | Promise<Request>);

const claims = (more: Readonly<Record<string, unknown>>): Request => ({ token: { claims: more } });
const now = (): number => Math.floor(Date.now() / 1000);
const bound = (claim: unknown, request: Request = {}): Request => ({
  ...request,
  ...claims({ [BINDING]: claim }),
});

/** An organization that does not exist. */
const NOBODY = "9c1f7c52-0c7e-4b1e-9d0a-3f1f5f0f8a11";

/** Requests, good and bad, of which each variant answers at least one in a way of its own. */
const REQUESTS: readonly Asked[] = [
  {},
  { operation: "listOrganizations", query: "?pageSize=1" },
  { operation: "listOrganizations" },
  { operation: "listOrganizations", query: "?pageSize=101" },
  { operation: "listOrganizations", query: "?pageSize=2000" },
  { operation: "listOrganizations", query: "?page=99" },
  { operation: "listOrganizations", query: "?page=01" },
  { operation: "readChangesFeed" },
  { operation: "readChangesFeed", query: "?pageSize=1" },
  { operation: "editOrganization" },
  { operation: "editOrganization", body: { id: "another", mission: "x" } },
  {},
  { operation: "submitChange" },
  { operation: "submitChange" },
  { operation: "submitChange", query: "?page=1&pageSize=1" },
  { operation: "readChangesFeed" },
  { operation: "readChange" },
  { operation: "editOrganization", body: { name: 7 } },
  { method: "OPTIONS", authorization: null },
  { headers: { "if-none-match": "*" } },
  {
    operation: "editOrganization",
    headers: { "x-http-method-override": "GET" },
    ...claims({ scope: "org:read" }),
  },
  { operation: "submitChange", headers: { "idempotency-key": "1" } },
  { operation: "submitChange", headers: { "idempotency-key": "1" }, body: { mission: "other" } },
  { authorization: null },
  { path: "/nowhere", authorization: null },
  { path: "/nowhere" },
  { path: "/orgs/" },
  { path: "/orgs/x%2f.." },
  { path: "/orgs//" },
  { orgId: NOBODY },
  { orgId: "nobody" },
  { orgId: DENIED },
  { operation: "readChangesFeed", orgId: OTHER },
  async (receiver) => ({ authorization: null, query: `?access_token=${await mint(receiver)}` }),
  async (receiver) => ({ authorization: `Bearer ${await mint(receiver)}==` }),
  bound(PRIMARY),
  bound(PRIMARY, { operation: "listOrganizations" }),
  bound(NOBODY, { operation: "listOrganizations" }),
  bound([PRIMARY]),
  bound(PRIMARY.toUpperCase()),
  bound(null),
  bound("x"),
  bound(NOBODY),
  claims({ aud: "x" }),
  (receiver) => claims({ aud: [receiver.baseUrl] }),
  (receiver) => claims({ aud: `${receiver.baseUrl}/` }),
  claims({ scope: "x" }),
  claims({ scope: ["org:read"] }),
  claims({ scope: "org:*" }),
  claims({ sub: undefined }),
  claims({ long: "x".repeat(2048) }),
  { headers: { long: "x".repeat(12_000) } },
  { headers: { x_forwarded_user: "x" } },
  () => claims({ iat: now() - 3700 }),
  () => claims({ iat: now() + 60 }),
  () => claims({ exp: now() - 2 }),
  () => claims({ exp: now() - 200 }),
  () => claims({ exp: String(now() + 600) }),
  () => claims({ exp: now() + 100_000 }),
  ...["at+jwt", "jwt", "whatever", undefined].map((typ) => ({ token: { header: { typ } } })),
  { token: { header: { kid: "unknown" } } },
  { token: { alg: "RS256" } },
  { token: { alg: "PS256" } },
];

/** An answer without what differs each time; `closed` where there is none. */
async function answer(receiver: RunningReference, asked: Asked): Promise<string> {
  const request = typeof asked === "function" ? await asked(receiver) : asked;
  const sent = await send(receiver, request).catch(() => undefined);
  if (!sent) return "closed";
  const { status, headers, body } = sent;
  const ahead = (Date.parse(headers.get("date") ?? "") - Date.now()) / 1000;
  const named = [...headers].filter(([name]) => name !== "date");
  return JSON.stringify([status, Math.round(ahead / 100), named, body])
    .replaceAll(receiver.baseUrl, "")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time");
}

test("names are unique", () => {
  expect(new Set(VARIANTS.map(({ name }) => name)).size).toBe(VARIANTS.length);
});

/** Those that show only in the course of time, beside other requests, on the wire, or in the document. */
const HIDDEN = [
  "writes-locked",
  "reads-locked-by-token",
  "overloaded",
  "others-write",
  "rate-limited",
  "slow-answers",
  "keys-fetched",
  "interim-responses",
  // No client of the platform sends a GET with a body.
  "bodies-of-reads-refused",
  "document-alone",
  "document-3.0",
];

/** What a receiver answers to all of them, one after another. */
async function answersOf(receiver: RunningReference): Promise<string[]> {
  const answers: string[] = [];
  for (const asked of REQUESTS) answers.push(await answer(receiver, asked));
  return answers;
}

describe("differs from the plain receiver:", () => {
  let plain: readonly string[];
  beforeAll(async () => {
    plain = await answersOf(await start());
  });

  const seen = VARIANTS.filter(({ name, server = false }) => !server && !HIDDEN.includes(name));
  test.each(seen.map(({ name }) => name))("%s", async (name) => {
    const variant = await start(name);
    for (const [at, asked] of REQUESTS.entries()) {
      if ((await answer(variant, asked)) !== plain[at]) return;
    }
    expect.fail("it answers every request as the plain receiver does");
  });

  test("nothing does without a variant", async () => {
    expect(await answersOf(await start())).toEqual(plain);
  });
});

test("others-write submits its own changes", async () => {
  const receiver = await start("others-write");
  const feed = (): Promise<string> => answer(receiver, { operation: "readChangesFeed" });
  expect(await feed()).toMatch(/"totalItems":1\b/);
  for (let request = 0; request < 100; request++) await send(receiver);
  expect(await feed()).toMatch(/"totalItems":2\b/);
});

test("rate-limited tells a client when to come back after too many requests in a second", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const limited = await start("rate-limited");
  const replies = await Promise.all(
    Array.from({ length: 301 }, () => send(limited, { authorization: null })),
  );
  const told = replies.find(({ status }) => status === 429);
  expect(told?.headers.get("retry-after")).toBe("1");
  expect(told?.body).toMatchObject({ status: 429 });
  vi.advanceTimersByTime(1000);
  expect((await send(limited, { authorization: null })).status).toBe(401);
});
