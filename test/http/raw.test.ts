import { once } from "node:events";
import { createServer, type Socket } from "node:net";

import { afterEach, expect, test } from "vitest";

import { createHttpClient } from "../../src/http/client.ts";
import type { Reply, HttpRequest } from "../../src/http/exchange.ts";
import { listen } from "../support/listening.ts";
import { referenceTarget } from "../support/target.ts";
import { holdTimeLimits } from "../support/time-limit.ts";

const TIMEOUT_MS = 60_000;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Sends one request to a server that answers its first bytes with the given function. */
async function sendTo(
  answer: (socket: Socket, received: string) => void,
  spec: Partial<HttpRequest> = {},
  token?: string,
): Promise<Reply> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (bytes) => answer(socket, bytes.toString("latin1")));
    closing.push(() => socket.destroy());
  });
  closing.push(() => server.close());
  const target = referenceTarget({
    baseUrl: `${await listen(server)}/base`,
    request: { timeoutMs: TIMEOUT_MS },
  });
  const http = createHttpClient(target);
  closing.push(() => void http.close());
  return http.send(
    {
      method: "POST",
      path: "/base/orgs?x=1",
      headers: [["authorization", "Bearer \0nul"]],
      body: "né",
      ...spec,
    },
    { caseId: "a/b", token },
  );
}

const said = (...lines: string[]): string => lines.join("\r\n");

test("sends field values unchanged, and the rest of the request as usual", async () => {
  let seen = "";
  const reply = await sendTo((socket, received) => {
    seen = received;
    socket.end(
      said("HTTP/1.1 401 No", "X-A: b", "Transfer-Encoding: chunked", "", "2", "{}", "0", "", ""),
    );
  });
  expect(reply).toMatchObject({ status: 401, headers: { "x-a": "b" }, body: "{}", cut: false });
  expect(reply.json()).toEqual({});
  const [head = "", body] = seen.split("\r\n\r\n");
  expect(body).toBe(Buffer.from("né").toString("latin1"));
  const lines = head.split("\r\n");
  expect(lines[0]).toBe("POST /base/orgs?x=1 HTTP/1.1");
  expect(lines).toContain("authorization: Bearer \0nul");
  expect(lines).toContain("content-length: 3");
  expect(lines).toContain("conformance-case: a/b");
  expect(lines.filter((line) => line.startsWith("host: 127.0.0.1:"))).toHaveLength(1);
});

test("records no token, wherever it was put", async () => {
  const token = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2lnbmF0dXJlLXRoYXQtaXMtbG9uZw";
  const reply = await sendTo(
    (socket) => socket.end(said("HTTP/1.1 400 Bad", "", token)),
    { headers: [["x-other", `a\nauthorization: Bearer ${token}`]] },
    token,
  );
  expect(JSON.stringify(reply.exchange)).not.toContain(token);
  expect(reply.exchange.request.headers).toContainEqual([
    "x-other",
    "a\nauthorization: Bearer [redacted]",
  ]);
});

test.each<[string, (socket: Socket) => void, string]>([
  ["is closed", (socket) => void socket.end(), "reset"],
  ["is reset", (socket) => void socket.resetAndDestroy(), "reset"],
  ["sends bytes that are not HTTP", (socket) => void socket.end("garbage\r\n\r\n"), "malformed"],
])("a connection that %s is a named fault", async (_what, answer, kind) => {
  const reply = await sendTo(answer);
  expect([reply.status, reply.exchange.fault?.kind]).toEqual([0, kind]);
});

test.each<[string, string]>([
  ["sends nothing", ""],
  ["stops halfway", said("HTTP/1.1 200 OK", "Content-Length: 9", "", "half")],
])("a connection that %s is a fault at the time limit", async (_what, bytes) => {
  const passTimeLimit = holdTimeLimits(TIMEOUT_MS);
  const reply = await sendTo((socket) => socket.write(bytes, passTimeLimit));
  expect([reply.status, reply.exchange.fault?.kind]).toEqual([0, "timeout"]);
});

test.each(["", "Connection: close\r\n"])(
  "a body longer than announced ends where it was said to: %j",
  async (header) => {
    const reply = await sendTo((socket) =>
      socket.end(said(`HTTP/1.1 400 Bad\r\n${header}Content-Length: 2`, "", "{}}")),
    );
    expect(reply).toMatchObject({ status: 400, body: "{}" });
  },
);

test("closes its connection even if the server does not", async () => {
  let closed: Promise<unknown> | undefined;
  const reply = await sendTo((socket) => {
    closed = once(socket, "close");
    socket.write(said("HTTP/1.1 200 OK", "Content-Length: 2", "", "ok"));
  });
  expect(reply.body).toBe("ok");
  await closed;
});

test("leaves ordinary requests to the HTTP client", async () => {
  const reply = await sendTo(
    (socket, received) =>
      socket.end(
        said("HTTP/1.1 200 OK", "", /connection: keep-alive/i.test(received) ? "kept" : ""),
      ),
    { method: "GET", headers: [], body: undefined },
  );
  expect(reply.body).toBe("kept");
});
