import { expect, onTestFinished, test } from "vitest";

import { createOrigins } from "../../src/authorization-server/protocol/origins.ts";
import { listen } from "../cli/servers.ts";
import { manualClock } from "../http/clock.ts";

test("an origin that asks the suite to wait does not delay other origins", async () => {
  let busy = true;
  const slow = await listen((_request, response) => {
    response.writeHead(busy ? 429 : 200, busy ? { "retry-after": "30" } : {}).end();
    busy = false;
  });
  const other = await listen((_request, response) => response.end("{}"));
  const clock = manualClock();
  const origins = createOrigins(
    { request: { headers: {}, timeoutMs: 10_000 }, secrets: [] },
    { clock },
  );
  onTestFinished(() => origins.close());
  const waiting = origins.send("a/slow", { method: "GET", url: slow.baseUrl });
  expect(await clock.nextSleep()).toBe(30_000);

  const replies = [
    await origins.send("a/other", { method: "GET", url: other.baseUrl }),
    await origins.send("a/other", { method: "GET", url: other.baseUrl }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(slow.methods).toEqual(["GET"]);

  clock.advance(30_000);
  expect((await waiting).status).toBe(200);
});
