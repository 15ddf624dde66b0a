import type { Socket } from "node:net";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";

import { expect, test, vi } from "vitest";

import { BODY_LIMIT_BYTES, CUT_BYTES } from "../../src/http/connection/body.ts";
import type { Fault, Reply } from "../../src/http/exchange.ts";
import { HANGS_MS } from "../support/hangs.ts";
import { holdTimeLimits, TIME_LIMIT_MS } from "../support/time-limit.ts";
import { OK, response, talking } from "./wire.ts";

/** The reply to a GET that is answered with these bytes, and how often it was sent. */
async function answered(
  bytes: string | Buffer | ((socket: Socket) => void),
  { method = "GET", timeoutMs = 60_000 } = {},
): Promise<{ reply: Reply; sent: number }> {
  const { send, http } = await talking({ timeoutMs }, (socket) => {
    if (typeof bytes === "function") bytes(socket);
    else socket.end(bytes);
  });
  const reply = await send({ method });
  return { reply, sent: http.requests };
}

const head = (...lines: readonly string[]): string => [...lines, "", ""].join("\r\n");

test.each(
  Object.entries<string>({
    "is text": "Hello?\r\n\r\n",
    "has no status": "HTTP/1.1\r\n\r\n",
    "has the status 000": "HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n",
    "has a status of four digits": "HTTP/1.1 2000 OK\r\n\r\n",
    "has no colon in a field": "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
    "has a control character in a field": "HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n",
    "has two lengths": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "has a length and chunks":
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "has a broken chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
    "switches protocols unasked":
      "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    "speaks HTTP/2": "\0\0\x12\x04\0\0\0\0\0",
    "has a head of 70 KiB": `HTTP/1.1 200 OK\r\nA: ${"a".repeat(70 * 1024)}\r\n\r\n`,
    "has a head of 20,000 fields": `HTTP/1.1 200 OK\r\n${"Ab: cdef\r\n".repeat(20_000)}\r\n`,
  }),
)("an answer that %s is malformed, and a read is sent once more", async (_what, bytes) => {
  const { reply, sent } = await answered(bytes);
  expect([reply.status, reply.exchange.fault?.kind, sent]).toEqual([0, "malformed", 2]);
  expect(reply.exchange.response).toBeUndefined();
});

test("a write is not sent again after a malformed answer", async () => {
  const { reply, sent } = await answered("Hello?\r\n\r\n", { method: "POST" });
  expect([reply.exchange.fault?.kind, sent]).toEqual(["malformed", 1]);
});

test.each(
  Object.entries<[string, number, string]>({
    "of HTTP/1.0 without a length": [head("HTTP/1.0 200 OK") + "{}", 200, "{}"],
    "without a length": [head("HTTP/1.1 401 No") + "{}", 401, "{}"],
    "without a reason phrase": ["HTTP/1.1 403 \r\nContent-Length: 2\r\n\r\n{}", 403, "{}"],
    "after early hints": [head("HTTP/1.1 103 Hints") + head("HTTP/1.1 102 Wait") + OK, 200, "{}"],
    "of an unknown status": [response(999, "x"), 999, "x"],
    "of 204": [head("HTTP/1.1 204 None"), 204, ""],
    "in chunks": [
      head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
      200,
      "{}",
    ],
  }),
)("an answer %s is valid", async (_what, [bytes, status, body]) => {
  const { reply, sent } = await answered(bytes);
  expect([reply.status, reply.body, sent]).toEqual([status, body, 1]);
});

/** Lets the time limit pass as soon as what was written has been read: all of it is in this one process. */
function holdUntilRead(): () => void {
  const passTimeLimit = holdTimeLimits();
  return () => setImmediate(() => setImmediate(() => setImmediate(passTimeLimit)));
}

test("the time limit ends a flood of interim answers", async () => {
  const isRead = holdUntilRead();
  const { reply } = await answered(
    (socket) => {
      const flood = (): void => {
        while (socket.writable && socket.write(head("HTTP/1.1 103 Hints").repeat(100))) continue;
        if (socket.writable) socket.once("drain", flood);
      };
      flood();
      isRead();
    },
    { timeoutMs: TIME_LIMIT_MS },
  );
  expect([reply.status, reply.exchange.fault?.kind]).toEqual([0, "timeout"]);
});

test.each(
  Object.entries<[string, Partial<Fault>]>({
    "before the head": ["", { message: "1000 ms" }],
    "in the head": ["HTTP/1.1 200 O", { message: "1000 ms" }],
    "before the body": [
      head("HTTP/1.1 200 OK", "Content-Length: 9"),
      {
        status: 200,
        message: "1000 ms, 0 of 9 bytes of the body came",
        body: { arrived: 0, announced: 9 },
      },
    ],
    "in a body with a wrong length": [
      head("HTTP/1.1 404 No", "Content-Length: 9") + "half",
      {
        status: 404,
        message: "1000 ms, 4 of 9 bytes of the body came",
        body: { arrived: 4, announced: 9 },
      },
    ],
    "in a body without a length": [
      head("HTTP/1.1 404 No") + "half",
      { status: 404, message: "1000 ms, 4 bytes of the body came", body: { arrived: 4 } },
    ],
  }),
)("a time-out %s is named, with what was seen", async (_what, [bytes, seen]) => {
  const isRead = holdUntilRead();
  const answer = (socket: Socket): void => void socket.write(bytes, isRead);
  const { reply, sent } = await answered(answer, { timeoutMs: TIME_LIMIT_MS });
  expect(reply.status).toBe(0);
  expect(reply.exchange.fault).toEqual({ kind: "timeout", ...seen });
  expect(sent).toBe(2);
});

test("the time limit ends an endless, slow body", async () => {
  const isRead = holdUntilRead();
  const { reply } = await answered(
    (socket) => {
      socket.write(head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"));
      const drip = setInterval(() => socket.write("1\r\n \r\n", isRead), 10);
      socket.once("close", () => clearInterval(drip));
    },
    { timeoutMs: TIME_LIMIT_MS },
  );
  expect(reply.exchange.fault).toMatchObject({ kind: "timeout", status: 200 });
});

test.each<[string, string]>([
  ["with a known length", head("HTTP/1.1 200 OK", "Content-Length: 9") + "half"],
  ["in chunks", head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "4\r\nhalf\r\n"],
])("an incomplete answer %s is no answer, whatever its beginning", async (_what, bytes) => {
  const read = await answered(bytes);
  expect([read.reply.status, read.sent]).toEqual([0, 4]);
  expect(read.reply.exchange.fault).toMatchObject({ kind: "cut", status: 200 });
  const write = await answered(bytes, { method: "PATCH" });
  expect([write.reply.status, write.sent]).toEqual([0, 1]);
  expect(write.reply.exchange.fault).toMatchObject({ kind: "cut", status: 200 });
});

test("bytes after an answer are not taken as the next answer", async () => {
  const smuggled = response(200, '"smuggled"');
  const { send } = await talking({ concurrency: 1 }, (socket, { number }) =>
    socket.write(response(401, "{}") + (number === 1 ? smuggled : "")),
  );
  const replies = [await send(), await send(), await send()];
  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401]);
});

test("a 204 with a body does not affect later answers", async () => {
  const { send } = await talking({ concurrency: 1 }, (socket, { number }) =>
    socket.write(
      number === 1 ? head("HTTP/1.1 204 None", "Content-Length: 2") + "{}" : response(403),
    ),
  );
  expect([(await send()).status, (await send()).status, (await send()).status]).toEqual([
    204, 403, 403,
  ]);
});

test("repeated header fields are joined, and unusual names are kept", async () => {
  const { reply } = await answered(
    response(
      401,
      "",
      "WWW-Authenticate: Bearer",
      "www-authenticate: Basic",
      "__proto__: x",
      "constructor: y",
    ),
  );
  expect(reply.headers["www-authenticate"]).toBe("Bearer, Basic");
  expect(Object.entries(reply.headers)).toEqual(
    expect.arrayContaining([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]),
  );
  expect(Object.getPrototypeOf(reply.headers)).toBe(Object.prototype);
});

test("a long body is read up to the limit, and its beginning is kept", async () => {
  const { reply } = await answered((socket) => {
    socket.write(head("HTTP/1.1 400 Bad"));
    const chunk = '{"message":"'.padEnd(64 * 1024, "x");
    const pour = (): void => {
      while (socket.writable && socket.write(chunk)) continue;
      if (socket.writable) socket.once("drain", pour);
    };
    pour();
  });
  expect([reply.status, reply.cut, reply.body.length]).toEqual([400, true, CUT_BYTES]);
  expect(reply.json()).toBeUndefined();
  expect(reply.exchange.response).toMatchObject({ truncated: true });
  expect(reply.exchange.response?.body.length).toBeLessThan(5000);
});

const coded = (coding: string, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      head("HTTP/1.1 200 OK", `Content-Encoding: ${coding}`, `Content-Length: ${body.length}`),
    ),
    body,
  ]);

const JSON_BYTES = Buffer.from('{"a":1}');

test.each<[string, Buffer]>([
  ["gzip", gzipSync(JSON_BYTES)],
  ["x-gzip", gzipSync(JSON_BYTES)],
  ["GZIP", gzipSync(JSON_BYTES)],
  ["deflate", deflateSync(JSON_BYTES)],
  ["deflate", deflateRawSync(JSON_BYTES)],
  ["br", brotliCompressSync(JSON_BYTES)],
  ["deflate, gzip", gzipSync(deflateSync(JSON_BYTES))],
  ["identity", JSON_BYTES],
])("a body coded as %s is decoded", async (coding, bytes) => {
  const { reply } = await answered(coded(coding, bytes));
  expect([reply.json(), reply.cut]).toEqual([{ a: 1 }, false]);
});

test.each<[string, Buffer]>([
  ["gzip", JSON_BYTES],
  ["br", JSON_BYTES],
  ["br, gzip", gzipSync(JSON_BYTES)],
])(
  "a body that is not in the content coding %s is no JSON for its readers",
  async (coding, bytes) => {
    const { reply } = await answered(coded(coding, bytes));
    expect([reply.status, reply.json(), reply.undecoded]).toEqual([200, undefined, true]);
    expect(reply.exchange.response).toMatchObject({ body: bytes.toString(), undecoded: true });
  },
);

test.each<[string, Buffer]>([
  ["zstd", JSON_BYTES],
  ["constructor", JSON_BYTES],
  [Array(50).fill("gzip").join(","), JSON_BYTES],
])("a body with an unknown content coding (%s) is kept as received", async (coding, bytes) => {
  const { reply } = await answered(coded(coding, bytes));
  expect([reply.json(), reply.undecoded]).toEqual([{ a: 1 }, undefined]);
});

test.each(["gzip", "br"])(
  "a bomb of %s is decoded up to the limit, and its beginning is kept",
  async (coding) => {
    const bomb = Buffer.alloc(10 * BODY_LIMIT_BYTES, "a");
    const bytes =
      coding === "gzip"
        ? gzipSync(bomb)
        : brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    const { reply } = await answered(coded(coding, bytes));
    expect([reply.cut, reply.body.length]).toEqual([true, CUT_BYTES]);
  },
);

test.each<[string, string, unknown]>([
  ["with a byte order mark", "\xef\xbb\xbf{}", {}],
  ["that is not UTF-8", '{"a":"\xff"}', { a: "\uFFFD" }],
  ["that is not JSON", "<p>", undefined],
  ["that is nested without an end", "[".repeat(200_000), undefined],
  ["that is nested too deeply", `${'{"a":['.repeat(5000)}${"]}".repeat(5000)}`, undefined],
  [
    "with brackets in its texts",
    `["${"[".repeat(1000)}","\\\\","\\"${"{".repeat(1000)}"]`,
    ["[".repeat(1000), "\\", `"${"{".repeat(1000)}`],
  ],
])("a body %s is recognised as JSON or not", async (_what, body, value) => {
  const { reply } = await answered(response(200, body));
  expect(reply.json()).toEqual(value);
});

test("a record limits the size of the header fields", async () => {
  const lines = Array.from({ length: 500 }, (_, n) => `X-${n}: ${"v".repeat(100)}`);
  const { reply } = await answered(response(200, "", ...lines));
  expect(Object.keys(reply.headers).length).toBeGreaterThan(500);
  expect(JSON.stringify(reply.exchange).length).toBeLessThan(12_000);
  expect(reply.exchange.response?.truncated).toBe(true);
});

test("an error in the suite's own request is thrown, not blamed on the target", async () => {
  const { server, send } = await talking({}, response(200));
  await expect(send({ headers: [["x-a", "\u{1F600}"]] })).rejects.toThrow(/invalid/i);
  expect(server.heard).toEqual([]);
});

test("a target that closes or resets its connections leaves none of them open", async () => {
  const { server, send } = await talking({}, (socket, { number }) => {
    if (number % 2) socket.resetAndDestroy();
    else socket.end();
  });
  const replies = await Promise.all([send(), send(), send({ method: "POST" })]);
  expect(replies.map(({ exchange }) => exchange.fault?.kind)).toEqual(["reset", "reset", "reset"]);
  await vi.waitFor(() => expect(server.open).toBe(0), { timeout: HANGS_MS });
});
