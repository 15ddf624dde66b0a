import { afterEach, expect, test, vi } from "vitest";

import { startReference, VARIANTS, type RunningReference } from "../../src/reference/index.ts";
import {
  BINDING,
  deniedOrganization,
  FOREIGN_KEY,
  JWKS,
  member,
  mint,
  organization,
  send,
  type Request,
} from "./client.ts";

let running: RunningReference | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await running?.close();
});

async function start(...variants: string[]): Promise<RunningReference> {
  running = await startReference({ jwks: JWKS, variants });
  return running;
}

test("names are unique", () => {
  expect(new Set(VARIANTS.map(({ name }) => name)).size).toBe(VARIANTS.length);
});

test.each([
  ["statuses-all-403", 403],
  ["statuses-all-400", 400],
  ["statuses-all-404", 404],
])(
  "%s refuses failures of checks 1 to 6 with %i, and of local policy with 403",
  async (name, status) => {
    const receiver = await start(name);
    const refused: Request[] = [
      { authorization: null },
      { token: { claims: { aud: "x" } } },
      { token: { claims: { scope: "x" } } },
      { token: { claims: { [BINDING]: "x" } } },
    ];
    for (const request of refused) expect((await send(receiver, request)).status).toBe(status);
    expect((await send(receiver, { orgId: deniedOrganization(receiver) })).status).toBe(403);
  },
);

test("bare-bodies and its profile use no envelope", async () => {
  const receiver = await start("bare-bodies");
  const list = await send(receiver, { operation: "listOrganizations", query: "?pageSize=1" });
  expect(list.body).toHaveLength(24);
  expect(member((await send(receiver)).body, "id")).toBe(organization(receiver, "primary"));
  expect(receiver.profile["operations"]).toMatchObject({ listOrganizations: {} });
  expect(JSON.stringify(receiver.profile)).not.toMatch(/paginat|\/data|\/items/);
});

test("no-pagination lists everything without PaginatedResultsInfo", async () => {
  const receiver = await start("no-pagination");
  const list = await send(receiver, { operation: "listOrganizations", query: "?pageSize=1" });
  expect(Object.keys(list.body as object)).toEqual(["items"]);
});

/** The time at which a token is issued, some seconds from now. */
function issued(inSeconds: number): Request {
  return { token: { claims: { iat: Math.floor(Date.now() / 1000) + inSeconds } } };
}

test.each<[string, () => Request]>([
  ["unbound-refused", () => ({})],
  ["at-jwt-only", () => ({})],
  ["at-jwt-only", () => ({ token: { header: { typ: undefined } } })],
  ["typ-absent-only", () => ({})],
  ["typ-jwt-only", () => ({ token: { header: { typ: "jwt" } } })],
  ["other-algorithms-alone", () => ({ token: { alg: "RS256" } })],
  ["strict-iat", () => issued(-3700)],
  ["strict-iat", () => issued(60)],
  ["clock-ahead", () => ({})],
])("%s refuses what the plain receiver accepts", async (name, request) => {
  expect((await send(await start(name), request())).status).toBeGreaterThanOrEqual(400);
  await running?.close();
  expect((await send(await start(), request())).status).toBe(200);
});

test.each<[string, (receiver: RunningReference) => Request]>([
  ["typ-ignored", () => ({ token: { header: { typ: "whatever" } } })],
  ["binding-leniently-read", (receiver) => boundTo([organization(receiver, "primary")])],
  [
    "binding-leniently-read",
    (receiver) => boundTo(organization(receiver, "primary").toUpperCase()),
  ],
])("%s accepts what the plain receiver refuses", async (name, request) => {
  const lenient = await start(name);
  expect((await send(lenient, request(lenient))).status).toBe(200);
  await lenient.close();
  const plain = await start();
  expect((await send(plain, request(plain))).status).toBeGreaterThanOrEqual(400);
});

function boundTo(claim: unknown): Request {
  return { token: { claims: { [BINDING]: claim } } };
}

/** For each change in the feed after a submission: whether it was there before, and whether it has an id. */
async function feedOf(variant: string): Promise<unknown[]> {
  const receiver = await start(variant);
  await send(receiver, { operation: "submitChange" });
  const feed = await send(receiver, { operation: "readChangesFeed" });
  await receiver.close();
  return (member(feed.body, "items") as unknown[]).map((item) => [
    member(item, "source") === "import",
    member(item, "id") !== undefined,
  ]);
}

test("the variants of the feed show other changes, or another order", async () => {
  expect(await feedOf("feed-oldest-first")).toEqual([
    [true, true],
    [false, true],
  ]);
  expect(await feedOf("feed-starts-empty")).toEqual([[false, true]]);
  expect(await feedOf("feed-lags")).toEqual([[true, true]]);
  expect(await feedOf("feed-without-ids")).toEqual([
    [false, false],
    [true, false],
  ]);
});

test("others-write submits its own changes", async () => {
  const receiver = await start("others-write");
  const feed = async (): Promise<unknown> => {
    const { body } = await send(receiver, { operation: "readChangesFeed" });
    return member(member(body, "paginationInfo"), "totalItems");
  };
  expect(await feed()).toBe(1);
  for (let request = 0; request < 100; request++) await send(receiver);
  expect(await feed()).toBe(2);
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

test("slow-answers delays answers", async () => {
  const slow = await start("slow-answers");
  const began = performance.now();
  for (let request = 0; request < 20; request++) await send(slow, { authorization: null });
  expect(performance.now() - began).toBeGreaterThan(190);
});

test("preflights-answered, errors-told and volatile-members change answers", async () => {
  const receiver = await start("preflights-answered", "errors-told", "volatile-members");
  const preflight = await send(receiver, { method: "OPTIONS", authorization: null });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([
    204,
    "*",
  ]);
  const refused = await send(receiver, { authorization: null });
  expect(member(refused.body, "errors")).toEqual([member(refused.body, "message")]);
  const [first, second] = [await send(receiver), await send(receiver)];
  expect(second.body).not.toEqual(first.body);
});

test("list-refuses-bound refuses bound tokens only on the list", async () => {
  const receiver = await start("list-refuses-bound");
  const token = { claims: { [BINDING]: organization(receiver, "primary") } };
  expect((await send(receiver, { operation: "listOrganizations", token })).status).toBe(403);
  expect((await send(receiver, { token })).status).toBe(200);
});

test("clock-ahead shows its time in the Date header", async () => {
  const reply = await send(await start("clock-ahead"));
  const ahead = Date.parse(reply.headers.get("date") ?? "") - Date.now();
  expect(Math.abs(ahead - 3_600_000)).toBeLessThan(60_000);
});

test("change-ids-numeric numbers the changes of each organization", async () => {
  const receiver = await start("change-ids-numeric");
  for (const which of ["primary", "other"] as const) {
    const orgId = organization(receiver, which);
    const submission = await send(receiver, { operation: "submitChange", orgId });
    expect(member(member(submission.body, "data"), "id")).toBe(2);
    expect((await send(receiver, { operation: "readChange", orgId, changeId: "2" })).status).toBe(
      200,
    );
  }
});

test("writes-204 answers without bodies", async () => {
  const receiver = await start("writes-204");
  const edit = await send(receiver, { operation: "editOrganization" });
  expect([edit.status, edit.body]).toEqual([204, ""]);
  const submission = await send(receiver, { operation: "submitChange" });
  expect([submission.status, submission.body]).toEqual([201, ""]);
  const path = submission.headers.get("location")?.slice(receiver.baseUrl.length) as string;
  expect((await send(receiver, { operation: "readChange", path })).status).toBe(200);
});

test("gzip, closes-connections and problem-json show in the headers", async () => {
  const receiver = await start("gzip", "closes-connections", "problem-json");
  const { headers, body } = await send(receiver, { authorization: null });
  expect(headers.get("content-encoding")).toBe("gzip");
  expect(headers.get("connection")).toBe("close");
  expect(headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect(body).toMatchObject({
    type: "about:blank",
    title: "Unauthorized",
    status: 401,
    errors: [],
  });
});

test.each<[string, Request | ((receiver: RunningReference) => Promise<Request>), number, string]>([
  ["odd-requests-refused", { path: "/orgs/x%2f.." }, 400, "text/html"],
  [
    "strays-need-token",
    { path: "/nowhere", authorization: null },
    401,
    "application/json; charset=utf-8",
  ],
  [
    "unknown-forbidden",
    { orgId: "9c1f7c52-0c7e-4b1e-9d0a-3f1f5f0f8a11" },
    403,
    "application/json; charset=utf-8",
  ],
  ["unknown-forbidden", { orgId: "nobody" }, 400, "application/json; charset=utf-8"],
  [
    "token-in-query",
    async (receiver) => ({ authorization: null, query: `?access_token=${await mint(receiver)}` }),
    200,
    "application/json; charset=utf-8",
  ],
  [
    "validation-422",
    { operation: "editOrganization", body: { name: 7 } },
    422,
    "application/json; charset=utf-8",
  ],
  ["media-type-respelled", {}, 200, "Application/JSON ;charset=UTF-8"],
])("%s answers %o with %i, %s", async (name, request, status, type) => {
  const receiver = await start(name);
  const made = typeof request === "function" ? await request(receiver) : request;
  const reply = await send(receiver, made);
  expect([reply.status, reply.headers.get("content-type")]).toEqual([status, type]);
});

test.each<[string, (receiver: RunningReference) => Promise<Request>, number]>([
  ["kid-ignored", async () => ({ token: { header: { kid: "unknown" } } }), 200],
  ["kid-ignored", async () => ({ token: { key: FOREIGN_KEY } }), 401],
  [
    "base64-leniently-read",
    async (receiver) => ({ authorization: `Bearer ${await mint(receiver)}==` }),
    200,
  ],
  ["rs256-declared-alone", async () => ({ token: { alg: "ES256" } }), 401],
  ["long-headers-refused", async () => ({ token: { claims: { long: "x".repeat(2048) } } }), 431],
])("%s decides about a token: case %#", async (name, request, status) => {
  const receiver = await start(name);
  expect((await send(receiver, await request(receiver))).status).toBe(status);
});
