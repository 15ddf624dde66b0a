import { createServer as createTlsServer } from "node:https";
import type { Server, Socket } from "node:net";

import { afterEach, expect, test, vi } from "vitest";

import { Interrupted } from "../../src/http/client.ts";
import type { HttpRequest } from "../../src/http/exchange.ts";
import { profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import { folderWith } from "../support/folder.ts";
import { HANGS_MS } from "../support/hangs.ts";
import { listening } from "../support/listening.ts";
import { startProxy } from "../support/proxy.ts";
import { CERTIFICATE, KEY } from "./certificate.ts";
import { hastyClock } from "./clock.ts";
import { OK, response, sender, talking, wire } from "./wire.ts";

afterEach(() => vi.unstubAllEnvs());

const WRITE = { method: "PATCH", body: "{}" };
const POST = { method: "POST", body: "{}" };

test("reads share kept-alive connections, up to the allowed number", async () => {
  const { server, send } = await talking({ concurrency: 2 }, OK);
  for (let n = 0; n < 10; n++) await send();
  expect(server.connections).toBeLessThanOrEqual(2);
});

test.each(["PATCH", "POST", "PUT", "DELETE"])("each %s has its own connection", async (method) => {
  const { server, send } = await talking({}, OK);
  await send();
  for (let n = 0; n < 3; n++) await send({ method, body: "{}" });
  await send();
  const writes = server.heard.filter(({ head }) => head.startsWith(method));
  expect(writes).toHaveLength(3);
  for (const { connection } of writes) {
    expect(server.heard.filter((one) => one.connection === connection)).toHaveLength(1);
  }
  expect(writes[0]?.head).toMatch(/^connection: close$/im);
});

test("requests that name one connection share it, writes too, and no other request uses it", async () => {
  const { server, send, http } = await talking({ concurrency: 1 }, OK);
  await send();
  await send({ method: "PATCH", body: "{}", connection: "a" });
  await send({ connection: "a" });
  await send({ connection: "b" });
  await send();
  await send(WRITE);
  expect(server.heard.map(({ connection }) => connection)).toEqual([1, 2, 2, 3, 1, 4]);
  await http.close();
  await vi.waitFor(() => expect(server.open).toBe(0));
});

test("the connection of the next write is opened while a write is under way", async () => {
  const writes: (() => void)[] = [];
  const { server, send, http } = await talking({ concurrency: 1 }, (socket, { head }) => {
    const answer = (): void => void socket.write(OK);
    if (head.startsWith("GET")) answer();
    else writes.push(answer);
  });
  await send();
  await send();
  for (const connections of [3, 4]) {
    const sent = send(POST);
    await vi.waitFor(() => {
      expect(server.connections).toBe(connections);
      expect(writes).toHaveLength(1);
    });
    writes.shift()?.();
    expect((await sent).status).toBe(200);
  }
  expect(server.heard.map(({ connection }) => connection)).toEqual([1, 1, 2, 3]);
  await http.close();
  await vi.waitFor(() => expect(server.open).toBe(0));
});

test("the connection that replaces a closed one is opened ahead", async () => {
  const closing = [3, 5];
  const { server, send, http } = await talking({ concurrency: 1 }, (socket, { number }) => {
    if (closing.includes(number)) socket.end(response(200, "{}", "Connection: close"));
    else socket.write(OK);
  });
  for (let n = 0; n < 4; n++) await send();
  await vi.waitFor(() => expect(server.connections).toBe(3));
  for (let n = 0; n < 3; n++) await send();
  expect(server.heard.map(({ connection }) => connection)).toEqual([1, 1, 1, 2, 2, 3, 3]);
  await http.close();
  await vi.waitFor(() => expect(server.open).toBe(0));
});

test("a connection that replaces a closed one is kept alive", async () => {
  const { server, send } = await talking({ concurrency: 1 }, (socket, { number }) => {
    if (number === 2) socket.end(response(200, "{}", "Connection: close"));
    else socket.write(OK);
  });
  for (let n = 0; n < 5; n++) await send();
  expect(server.heard.map(({ connection }) => connection)).toEqual([1, 1, 2, 2, 2]);
});

test("a connection that was opened ahead is not used once the server has closed it", async () => {
  const { server, send } = await talking({ concurrency: 1 }, OK);
  await send();
  await send();
  await send(POST);
  await vi.waitFor(() => expect(server.connections).toBe(3));
  server.drop(3);
  await vi.waitFor(() => expect(server.open).toBe(1));
  // The answer to another request arrives after the end of that connection.
  await send();
  expect((await send(POST)).status).toBe(200);
  expect(server.heard.map(({ connection }) => connection)).toEqual([1, 1, 2, 1, 4]);
});

test("no connection is opened ahead where the server keeps none alive", async () => {
  const { server, send } = await talking({ concurrency: 1 }, (socket) =>
    socket.end(response(200, "{}", "Connection: close")),
  );
  for (const method of ["GET", "GET", "POST", "POST", "GET"]) await send({ method });
  expect(server.connections).toBe(5);
});

test("a write that must be rejected shares the kept-alive connections", async () => {
  const { server, send } = await talking({ concurrency: 1 }, response(401, "{}"));
  await send();
  for (let n = 0; n < 3; n++) await send(WRITE, { repeatable: true });
  expect(server.heard).toHaveLength(4);
  expect(server.connections).toBe(1);
});

test("such a write is sent once more, on a new connection, if its connection is closed", async () => {
  const { server, send, exchanges } = await talking({ concurrency: 1 }, (socket, { number }) => {
    if (number === 2) socket.destroy();
    else socket.write(response(401, "{}"));
  });
  await send();
  expect((await send(WRITE, { repeatable: true })).status).toBe(401);
  expect(server.heard.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  expect(new Set(exchanges.map(({ id }) => id)).size).toBe(3);
});

test("such a write has no answer if the new connection is closed too", async () => {
  const { server, send } = await talking({}, (socket) => socket.destroy());
  const { exchange } = await send(WRITE, { repeatable: true });
  expect(exchange.fault?.kind).toBe("reset");
  expect(server.heard).toHaveLength(2);
});

test("the number of requests in flight stays within the limit", async () => {
  const held: Socket[] = [];
  const { server, send } = await talking({ concurrency: 3 }, (socket) => {
    held.push(socket);
    // A fourth request would have been sent by now.
    if (held.length === 3)
      setImmediate(() => held.splice(0).forEach((one) => one.write(response(200))));
  });
  const replies = await Promise.all(Array.from({ length: 9 }, () => send()));
  expect(replies.map(({ status }) => status)).toEqual(Array(9).fill(200));
  expect(server.connections).toBe(3);
});

test.each([
  ["a write", { method: "POST" }, {}],
  ["an urgent read", {}, { urgent: true }],
])("%s is sent before reads that wait already", async (_what, spec, context) => {
  const { server, send } = await talking({ concurrency: 1 }, response(200));
  const waiting = [send(), send(), send()];
  await send({ path: "/base/now", ...spec }, context);
  await Promise.all(waiting);
  expect(server.heard.findIndex(({ head }) => head.includes("/base/now"))).toBe(1);
});

test.each([
  ["a final answer leaves its place to the next request before it is recorded", 404, 2],
  ["an answer after which a request is sent again keeps its place", 503, 1],
])("%s", async (_what, status, sentByThen) => {
  const requests: number[] = [];
  const onExchange = (): void => void requests.push(http.requests);
  const options = { concurrency: 1, clock: hastyClock(), onExchange };
  const { send, http } = await talking(options, response(status));
  await Promise.all([send(), send()]);
  expect(requests[0]).toBe(sentByThen);
});

test("a redirect is an answer and is not followed", async () => {
  const { server, send, http } = await talking(
    {},
    response(302, "", "Location: http://127.0.0.1:9/elsewhere"),
  );
  expect((await send()).status).toBe(302);
  expect([server.heard.length, http.requests]).toEqual([1, 1]);
});

test("header fields with the same name are sent as separate lines, in order, directly and through a proxy", async () => {
  const server = await wire((socket) => socket.write(response(200)));
  const twice = {
    headers: [
      ["authorization", "a"],
      ["x-b", "c"],
      ["authorization", "d"],
    ],
  } as const;
  await sender(server.origin).send(twice);
  const { host } = await startProxy(Number(new URL(server.origin).port));
  vi.stubEnv("http_proxy", host);
  vi.stubEnv("no_proxy", "");
  await sender("http://sync.example").send(twice);
  expect(server.heard).toHaveLength(2);
  for (const { head } of server.heard) {
    expect(head.match(/^authorization: .*$/gim)).toEqual(["authorization: a", "authorization: d"]);
  }
});

test("the proxy variables, including NO_PROXY, apply, but not to this machine", async () => {
  const server = await wire((socket) => socket.write(response(200)));
  const { host, asked } = await startProxy(Number(new URL(server.origin).port));
  vi.stubEnv("http_proxy", host);
  vi.stubEnv("no_proxy", "direct.example");
  expect((await sender("http://sync.example").send()).status).toBe(200);
  expect(asked).toEqual(["sync.example:80"]);
  expect((await sender(server.origin).send()).status).toBe(200);
  const direct = await sender("http://direct.example", { timeoutMs: 500 }).send();
  expect(direct.exchange.fault?.kind).not.toBe("reset");
  expect(asked).toHaveLength(1);
});

test("a refusal by a proxy is not an answer of the target", async () => {
  const { host } = await startProxy(undefined, "user:pass-word");
  vi.stubEnv("http_proxy", `http://user:pass-word@${host}`);
  vi.stubEnv("no_proxy", "");
  const { exchange } = await sender("http://sync.example").send();
  expect(exchange.fault).toMatchObject({
    kind: "unreachable",
    message: expect.stringContaining("403") as string,
  });
  expect(JSON.stringify(exchange)).not.toContain("pass-word");
});

async function tlsOrigin(server: Server): Promise<string> {
  return (await listening(server)).replace("http://127.0.0.1", "https://localhost");
}

test("TLS requires a certificate of a known authority or of the profile", async () => {
  const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (_request, answer) => {
    answer.end("{}");
  });
  const origin = await tlsOrigin(server);
  const refused = await sender(origin).send();
  expect([refused.status, refused.exchange.fault?.kind]).toEqual([0, "tls"]);
  const known = sender(origin, {
    change: (target) => ({ ...target, request: { ...target.request, ca: CERTIFICATE } }),
  });
  expect((await known.send()).status).toBe(200);
  expect((await known.send(WRITE)).status).toBe(200);
});

test("with mutual TLS, the client certificate is sent, and its key is not recorded", async () => {
  const server = createTlsServer(
    { key: KEY, cert: CERTIFICATE, ca: CERTIFICATE, requestCert: true, rejectUnauthorized: true },
    (_request, answer) => void answer.end("{}"),
  );
  const origin = await tlsOrigin(server);
  const folder = folderWith({ "ca.pem": CERTIFICATE, "client.pem": CERTIFICATE, "key.pem": KEY });
  const withRequest = (request: object): ReturnType<typeof sender> =>
    sender(origin, {
      change: () =>
        resolveTarget({ profile: profileFromObject({ baseUrl: origin, request }, folder) }),
    });
  const refused = await withRequest({ ca: "ca.pem" }).send();
  expect(refused.status).toBe(0);
  const known = withRequest({ ca: "ca.pem", cert: "client.pem", key: "key.pem" });
  const replies = [
    await known.send(),
    await known.send(WRITE),
    // Bytes that no client sends go out over a socket of their own.
    await known.send({ headers: [["x", "a\0b"]] }),
  ];
  expect(replies.map(({ status }) => status).slice(0, 2)).toEqual([200, 200]);
  expect(replies[2]?.exchange.fault?.kind).not.toBe("tls");
  expect(JSON.stringify(replies)).not.toContain(KEY.split("\n")[1]);
});

test("a closed client leaves no open connection", async () => {
  const { server, send, http } = await talking({}, () => {});
  const sent = send().catch((error: unknown) => error);
  await vi.waitFor(() => expect(server.heard).toHaveLength(1), { timeout: HANGS_MS });
  await http.close();
  expect(await sent).toBeInstanceOf(Interrupted);
  await vi.waitFor(() => expect(server.open).toBe(0), { timeout: HANGS_MS });
});

const INTERIM = [
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.1 102 Processing\r\nx-a: b\r\n\r\n",
  "HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n",
  "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Go on\r\nx-a: b\r\n\r\n",
];
const NEEDS_RAW_SOCKET = [["x-a", "nul\0"]] as const;

test.each(INTERIM)("the interim response %j is passed over, on any connection", async (interim) => {
  const { send } = await talking({}, (socket, { number }) =>
    socket.write(`${interim}${response(201, String(number))}`),
  );
  const sent: Partial<HttpRequest>[] = [
    {},
    {},
    POST,
    { ...POST, connection: "a" },
    { connection: "a" },
    { ...POST, headers: NEEDS_RAW_SOCKET },
  ];
  for (const [at, spec] of sent.entries()) {
    expect(await send(spec)).toMatchObject({ status: 201, body: String(at + 1) });
  }
});

test("an interim response may come in pieces, and before a fault", async () => {
  let pieces = [
    "HTT",
    "P/1.1 10",
    "0 Continue\r\nx-a:",
    " b\r\n\r",
    "\n",
    "HTTP/1.1 2",
    "00 OK\r\n",
  ];
  const { send } = await talking({}, (socket, { number }) => {
    if (number > 1) return void socket.end("HTTP/1.1 100 Continue\r\n\r\n");
    pieces = [...pieces, "content-length: 2\r\n\r\n", "{}"];
    socket.setNoDelay();
    const next = (): void => {
      const piece = pieces.shift();
      if (piece !== undefined) socket.write(piece, () => setImmediate(next));
    };
    next();
  });
  expect(await send(POST)).toMatchObject({ status: 200, body: "{}" });
  const { exchange } = await send(POST);
  expect(exchange.fault?.kind).toBe("reset");
});
