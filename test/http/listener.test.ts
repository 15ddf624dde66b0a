import { createServer } from "node:http";

import { afterEach, expect, test } from "vitest";

import { type Callback, createListener, type Listener } from "../../src/http/listener.ts";
import { listening } from "../support/listening.ts";

const opened: Listener[] = [];
afterEach(() => Promise.all(opened.splice(0).map((listener) => listener.close())));

function listenAt(address: string | undefined): Listener {
  const listener = createListener(address, (path, url) =>
    path.endsWith(".json") || path.startsWith("/.well-known")
      ? { contentType: "application/json", body: `["${url}"]` }
      : undefined,
  );
  opened.push(listener);
  return listener;
}

async function place(listener: Listener): Promise<Callback> {
  const result = await listener.open();
  if ("unreachable" in result) throw new Error(result.unreachable);
  return result;
}

test("serves a place, and records who asked for it", async () => {
  const { url, hits } = await place(listenAt("http://127.0.0.1:0"));
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\da-f]+$/);
  expect(hits).toEqual([]);
  const answer = await fetch(`${url}/keys.json?x=1`);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(await answer.json()).toEqual([url]);
  expect((await fetch(`${url}/other`, { method: "HEAD" })).status).toBe(404);
  expect(hits).toEqual(["GET /keys.json", "HEAD something else"]);
});

test("keeps places apart, and answers 404 elsewhere", async () => {
  const listener = listenAt("http://127.0.0.1:0");
  const [one, other] = [await place(listener), await place(listener)];
  expect(new URL(one.url).host).toBe(new URL(other.url).host);
  await fetch(`${one.url}/keys.json`);
  expect((await fetch(new URL("/keys.json", one.url))).status).toBe(404);
  expect([one.hits.length, other.hits.length]).toEqual([1, 0]);
});

test("finds a place behind the well-known path of RFC 8414 and below its own path", async () => {
  const { url, hits } = await place(listenAt("http://localhost:0/conformance/"));
  const { origin, pathname } = new URL(url);
  expect(pathname).toMatch(/^\/conformance\/[\da-f]+$/);
  await fetch(`${origin}/.well-known/oauth-authorization-server${pathname}`);
  await fetch(`${url}/.well-known/openid-configuration`);
  expect(hits).toEqual([
    "GET /.well-known/oauth-authorization-server",
    "GET /.well-known/openid-configuration",
  ]);
});

test.each([
  ["no address", undefined, /has no `request\.callback`/],
  ["https", "https://tests.example.com", /speaks http/],
])("says why it cannot be reached: %s", async (_name, address, reason) => {
  expect(await listenAt(address).open()).toEqual({ unreachable: expect.stringMatching(reason) });
});

test("says why it cannot be reached: the port is taken", async () => {
  const origin = await listening(createServer());
  const result = await listenAt(origin).open();
  expect(result).toEqual({ unreachable: expect.stringContaining(`port ${new URL(origin).port}`) });
});

test("listens only after it was asked for a place, and not after it was closed", async () => {
  const listener = listenAt("http://127.0.0.1:0");
  const { url } = await place(listener);
  await listener.close();
  await expect(fetch(url)).rejects.toBeInstanceOf(TypeError);
});
