import { once } from "node:events";
import type { Socket } from "node:net";

import { expect, test } from "vitest";

import type { Reply, HttpRequest } from "../../src/http/exchange.ts";
import { holdTimeLimits } from "../support/time-limit.ts";
import { type Heard, talking } from "./wire.ts";

const TIMEOUT_MS = 60_000;

/** Sends one request, with a field value that no client sends, to a server that answers so. */
async function sendTo(
  answer: (socket: Socket, heard: Heard) => void,
  spec: Partial<HttpRequest> = {},
  token?: string,
): Promise<Reply> {
  const { send } = await talking({ timeoutMs: TIMEOUT_MS }, answer);
  const path = "/base/orgs?x=1";
  const headers = [["authorization", "Bearer \0nul"]] as const;
  return send({ method: "POST", path, headers, body: "né", ...spec }, { caseId: "a/b", token });
}

const said = (...lines: string[]): string => lines.join("\r\n");

test("sends field values unchanged, and the rest of the request as usual", async () => {
  let seen: Heard | undefined;
  const reply = await sendTo((socket, heard) => {
    seen = heard;
    socket.end(
      said("HTTP/1.1 401 No", "X-A: b", "Transfer-Encoding: chunked", "", "2", "{}", "0", "", ""),
    );
  });
  expect(reply).toMatchObject({ status: 401, headers: { "x-a": "b" }, body: "{}", cut: false });
  expect(reply.json()).toEqual({});
  expect(seen?.body).toBe(Buffer.from("né").toString("latin1"));
  const lines = seen?.head.split("\r\n") ?? [];
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
    (socket, { head }) =>
      socket.end(said("HTTP/1.1 200 OK", "", /connection: keep-alive/i.test(head) ? "kept" : "")),
    { method: "GET", headers: [], body: undefined },
  );
  expect(reply.body).toBe("kept");
});
