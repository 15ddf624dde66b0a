import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";

import { describe, expect, test, vi } from "vitest";

import { Interrupted } from "../../src/http/client.ts";
import { HANGS_MS } from "../support/hangs.ts";
import { listening } from "../support/listening.ts";
import { holdTimeLimits, TIME_LIMIT_MS } from "../support/time-limit.ts";
import { hastyClock, manualClock } from "./clock.ts";
import { OK, response, sender, type SenderOptions, talking, wire } from "./wire.ts";

/**
 * Answers the n-th request with the n-th of these, reset and silence too, and all further ones with the last; where it
 * is to be called, it is, and nothing is answered.
 */
function answering(
  options: SenderOptions,
  ...answers: readonly (string | (() => void))[]
): ReturnType<typeof talking> {
  return talking(options, (socket, { number }) => {
    const answer = answers[Math.min(number, answers.length) - 1] ?? "";
    if (typeof answer === "function") answer();
    else if (answer === "reset") socket.resetAndDestroy();
    else if (answer !== "silence") socket.write(answer);
  });
}

describe("a response with Retry-After", () => {
  test.each<[string, number, string[], number]>([
    ["429 in seconds", 429, ["Retry-After: 7"], 7000],
    ["503 in seconds", 503, ["Retry-After: 7"], 7000],
    ["429 without delay", 429, ["Retry-After: 0"], 0],
    [
      "429 until a time by its own clock",
      429,
      ["Date: Tue, 01 Jan 2030 00:00:00 GMT", "Retry-After: Tue, 01 Jan 2030 00:00:09 GMT"],
      9000,
    ],
    ["429 until a time that has passed", 429, ["Retry-After: Tue, 01 Jan 2019 00:00:00 GMT"], 0],
    ["429 without a time", 429, [], 500],
    ["429 with invalid text", 429, ["Retry-After: soon"], 500],
    ["429 with a negative number", 429, ["Retry-After: -1"], 500],
    ["429 twice", 429, ["Retry-After: 1", "Retry-After: 2"], 500],
  ])("%s: the client waits, then sends the request again", async (_what, status, lines, waitMs) => {
    const clock = hastyClock();
    const onWait = vi.fn<() => void>();
    const answer = response(status, "", ...lines);
    const { send, exchanges } = await answering({ clock, onWait }, answer, OK);
    expect((await send({ method: "PATCH" })).status).toBe(200);
    expect(clock.waits.reduce((sum, ms) => sum + ms, 0)).toBe(waitMs);
    expect(onWait).toHaveBeenCalledTimes(waitMs > 0 ? 1 : 0);
    expect(exchanges.map(({ id }) => id)).toEqual(["rule.id/case~1", "rule.id/case~2"]);
  });

  test.each<[string, number, string[]]>([
    ["429 for longer than a minute", 429, ["Retry-After: 61"]],
    ["429 forever", 429, ["Retry-After: 99999999999999999999999999"]],
    ["429 until a distant date", 429, ["Retry-After: Fri, 31 Dec 9999 23:59:59 GMT"]],
    ["403", 403, ["Retry-After: 1"]],
  ])("%s: the client does not wait", async (_what, status, lines) => {
    const clock = hastyClock();
    const { server, send } = await answering({ clock }, response(status, "", ...lines), OK);
    expect((await send()).status).toBe(status);
    expect([clock.waits, server.heard.length]).toEqual([[], 1]);
  });

  test.each([502, 503, 504])(
    "is not required for a gateway's %i: a read is sent once more",
    async (status) => {
      const clock = hastyClock();
      const { send } = await answering({ clock }, response(status), OK);
      expect([(await send()).status, clock.waits]).toEqual([200, [100]]);
      const down = await answering({ clock }, response(status, "", "Retry-After: soon"));
      const heard = down.server.heard;
      expect([(await down.send()).status, heard.length]).toEqual([status, 2]);
      expect([(await down.send({ method: "POST" })).status, heard.length]).toEqual([status, 3]);
    },
  );

  test.each([
    ["a read that is answered 409", 409, "GET"],
    ["a read that is answered 423", 423, "GET"],
    ["a read that is answered 503 without a time", 503, "GET"],
    ["a write that is answered 503 without a time", 503, "PATCH"],
  ])("%s only beside others is sent again alone", async (_what, status, method) => {
    let underWay = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const server = createHttpServer((_request, answer) => {
      underWay += 1;
      most = Math.max(most, underWay);
      answer.statusCode = underWay > 1 ? status : 200;
      waiting.push(() => {
        underWay -= 1;
        answer.end("{}");
      });
      // The first two are answered together.
      if (most > 1) for (const end of waiting.splice(0)) end();
    });
    const { send } = sender(await listening(server), { clock: hastyClock() });
    const replies = await Promise.all([send({ method }), send({ method })]);
    expect([most, ...replies.map((reply) => reply.status)]).toEqual([2, 200, 200]);
  });

  test("a status that comes alone too is not tried again for ever", async () => {
    const { server, send } = await answering({ clock: hastyClock() }, response(409));
    const replies = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(409));
    expect(server.heard.length).toBeLessThan(40);
  });

  test("is obeyed three times; then it is the answer, and other requests do not wait for it", async () => {
    const clock = hastyClock();
    const { server, send } = await answering({ clock }, response(429, "", "Retry-After: 2"));
    expect((await send()).status).toBe(429);
    expect([clock.waits, server.heard.length]).toEqual([[2000, 2000, 2000], 4]);
    expect((await send()).status).toBe(429);
    expect([clock.waits.length, server.heard.length]).toEqual([3, 5]);
  });

  test("is obeyed again after a different answer", async () => {
    const clock = hastyClock();
    const busy = response(429, "", "Retry-After: 2");
    const { send } = await answering({ clock }, busy, busy, busy, busy, OK, busy, OK);
    const replies = [await send(), await send(), await send()];
    expect(replies.map(({ status }) => status)).toEqual([429, 200, 200]);
    expect(clock.waits).toHaveLength(4);
  });

  test.each<[string, number, number]>([
    ["a lock that the next request brings about again", 1, 300],
    ["a limit that leaves room for half a request per second", 10, 600],
    ["a limit that leaves room for a request per second", 20, 1000],
  ])("is obeyed for a limited time in total: %s", async (_what, between, seconds) => {
    const clock = hastyClock();
    const { send, http } = await talking({ clock }, (socket, { number }) => {
      socket.write(number % (between + 1) === 0 ? response(429, "", "Retry-After: 20") : OK);
    });
    // Of so many requests 50 ask to wait.
    for (let n = 0; n < 50 * between; n++) await send();
    const waited = clock.waits.reduce((sum, ms) => sum + ms, 0) / 1000;
    expect(waited).toBeGreaterThanOrEqual(seconds - 20);
    expect(waited).toBeLessThanOrEqual(seconds + 20);
    expect(http.patience.refused > 0).toBe(seconds < 1000);
  });

  test.each([
    ["without a time", [], 31],
    ["for a second", ["Retry-After: 1"], 30],
    ["for seven seconds", ["Retry-After: 7"], 35],
    ["for twenty seconds", ["Retry-After: 20"], 40],
    ["for a minute", ["Retry-After: 60"], 60],
  ])("is not obeyed for long where it refuses all of a kind: %s", async (_what, lines, seconds) => {
    const clock = hastyClock();
    const { send, http } = await talking({ clock }, (socket, { head }) => {
      socket.write(head.startsWith("POST") ? response(429, "", ...lines) : OK);
    });
    for (let n = 0; n < 30; n++) {
      expect((await send({ method: "POST" })).status).toBe(429);
      expect((await send()).status).toBe(200);
    }
    const waited = clock.waits.reduce((sum, ms) => sum + ms, 0) / 1000;
    expect(Math.floor(waited)).toBe(seconds);
    expect(http.patience.refused).toBeGreaterThan(0);
  });

  test("delays all other requests until the wait is over", async () => {
    const clock = manualClock();
    const { server, send } = await answering({ clock }, response(429, "", "Retry-After: 5"), OK);
    const first = send();
    expect(await clock.nextSleep()).toBe(5000);
    const others = Promise.all([send(), send(), send()]);
    clock.advance(4999);
    // A request that had been sent would have arrived before this one.
    await fetch(server.origin);
    expect(server.heard).toHaveLength(2);
    clock.advance(1);
    expect((await first).status).toBe(200);
    expect((await others).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test("lets all requests pass in the end if the target accepts one at a time", async () => {
    const clock = hastyClock();
    let freeAtMs = 0;
    const { send } = await talking({ clock }, (socket) => {
      const free = clock.nowMs() >= freeAtMs;
      if (free) freeAtMs = clock.nowMs() + 1000;
      socket.write(free ? OK : response(429, "", "Retry-After: 1"));
    });
    const replies = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  test("is not waited for after an interrupt", async () => {
    const clock = manualClock();
    const interrupt = new AbortController();
    const { server, send } = await answering(
      { clock, signal: interrupt.signal, concurrency: 2 },
      response(429, "", "Retry-After: 60"),
    );
    const sent = Promise.allSettled(Array.from({ length: 5 }, () => send()));
    await clock.nextSleep();
    interrupt.abort();
    const reasons = (await sent).map((one) => (one as PromiseRejectedResult).reason as unknown);
    expect(reasons.every((reason) => reason instanceof Interrupted)).toBe(true);
    expect(server.heard.length).toBeLessThanOrEqual(2);
  });
});

describe("a request without an answer", () => {
  test.each(["GET", "HEAD", "OPTIONS"])("is sent again after a reset: %s", async (method) => {
    const clock = hastyClock();
    const { send } = await answering({ clock }, "reset", "reset", "reset", response(200));
    expect((await send({ method })).status).toBe(200);
    expect(clock.waits).toEqual([50, 100, 150]);
  });

  test.each(["PATCH", "POST", "PUT", "DELETE"])(
    "is not sent again if it may have arrived: %s",
    async (method) => {
      const { server, send } = await answering({ clock: hastyClock() }, "reset", OK);
      const { status, exchange } = await send({ method, body: "{}" });
      expect([status, exchange.fault?.kind, server.heard.length]).toEqual([0, "reset", 1]);
    },
  );

  test("is not repeated forever", async () => {
    const { server, send } = await answering({ clock: hastyClock() }, "reset");
    expect((await send()).exchange.fault?.kind).toBe("reset");
    expect(server.heard).toHaveLength(4);
  });

  test("is sent again once after a time-out", async () => {
    const passTimeLimit = holdTimeLimits();
    const { send } = await answering({ timeoutMs: TIME_LIMIT_MS }, passTimeLimit, OK);
    expect((await send()).status).toBe(200);
    const deaf = await answering({ timeoutMs: TIME_LIMIT_MS }, passTimeLimit);
    expect((await deaf.send()).exchange.fault?.kind).toBe("timeout");
    expect(deaf.server.heard).toHaveLength(2);
    expect((await deaf.send({ method: "POST" })).exchange.fault?.kind).toBe("timeout");
    expect(deaf.server.heard).toHaveLength(3);
  });

  test("is not sent again after a time-out if the target answers nobody", async () => {
    const { send, http } = await answering(
      { timeoutMs: TIME_LIMIT_MS, concurrency: 2 },
      holdTimeLimits(),
    );
    for (let n = 0; n < 4; n++) await send();
    expect(http.requests).toBe(2 + 2 + 1 + 1);
  });

  test("is sent again if nobody listened, even a write: it cannot have arrived", async () => {
    const server = await wire((socket) => socket.write(OK));
    const port = Number(new URL(server.origin).port);
    await server.stop();
    const back = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(OK));
    });
    const clock = {
      ...hastyClock(),
      async sleep(): Promise<void> {
        if (!back.listening) await once(back.listen(port, "127.0.0.1"), "listening");
      },
    };
    const { send, exchanges } = sender(server.origin, { clock });
    expect((await send({ method: "PATCH", body: "{}" })).status).toBe(200);
    expect(exchanges.map(({ fault }) => fault?.kind)).toEqual(["unreachable", undefined]);
    back.close();
  });

  test("has no answer if nobody listens at all", async () => {
    const { server, send, http } = await answering({ clock: hastyClock() }, OK);
    await server.stop();
    const { status, exchange } = await send();
    expect([status, exchange.fault?.kind, http.requests]).toEqual([0, "unreachable", 4]);
    expect(exchange.fault?.message).toMatch(/ECONNREFUSED/);
  });

  test("is repeated for a limited time if somebody listened before", async () => {
    const clock = hastyClock();
    const { server, send, http } = await answering({ clock }, OK);
    await send();
    await server.stop();
    await send();
    expect(http.outages.isGone).toBe(true);
    const waitedMs = clock.waits.reduce((sum, ms) => sum + ms, 0);
    expect(waitedMs).toBeGreaterThan(29_000);
    expect(waitedMs).toBeLessThan(35_000);
    const { length } = clock.waits;
    await send();
    expect(clock.waits.length - length).toBeLessThan(5);
  });
});

describe("an interrupt", () => {
  test("ends running requests, records them as cancelled and starts no others", async () => {
    const interrupt = new AbortController();
    const { server, send, exchanges } = await answering(
      {
        signal: interrupt.signal,
        concurrency: 2,
        timeoutMs: 60_000,
      },
      "silence",
    );
    const sent = Promise.allSettled(Array.from({ length: 6 }, () => send()));
    await vi.waitFor(() => expect(server.heard).toHaveLength(2), { timeout: HANGS_MS });
    interrupt.abort("stop it");
    const reasons = (await sent).map((one) => (one as PromiseRejectedResult).reason as unknown);
    expect(reasons.filter((reason) => reason instanceof Interrupted)).toHaveLength(6);
    expect(exchanges.map(({ fault }) => fault?.kind)).toEqual(["cancelled", "cancelled"]);
    expect(server.heard).toHaveLength(2);
    await vi.waitFor(() => expect(server.open).toBe(0), { timeout: HANGS_MS });
  });

  test("ends every wait at once", async () => {
    const interrupt = new AbortController();
    const { http } = sender("http://127.0.0.1:9", { signal: interrupt.signal });
    const waiting = http.wait(60_000).catch((error: unknown) => error);
    interrupt.abort();
    expect(await waiting).toBeInstanceOf(Interrupted);
    await expect(http.wait(0)).rejects.toThrow(Interrupted);
  });

  test("leaves no listeners on its signal", async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, "addEventListener");
    const remove = vi.spyOn(signal, "removeEventListener");
    const { send, http } = await answering({ signal }, OK);
    await Promise.all(Array.from({ length: 30 }, () => send()));
    await http.close();
    expect(add.mock.calls.length).toBeLessThan(30);
    expect(remove.mock.calls.length).toBe(add.mock.calls.length);
  });
});

describe("a limit on requests per second", () => {
  test("spaces them evenly, repeats included", async () => {
    const clock = hastyClock();
    const times: number[] = [];
    const { send } = await talking(
      { clock, maxRequestsPerSecond: 40, concurrency: 1 },
      (socket, { number }) => {
        times.push(clock.nowMs());
        socket.write(number === 2 ? response(429, "", "Retry-After: 0") : OK);
      },
    );
    await Promise.all([send(), send(), send()]);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps).toEqual([25, 25, 25]);
  });

  test("causes no wait if it is not set", async () => {
    const clock = hastyClock();
    const { send } = await answering({ clock }, OK);
    await Promise.all([send(), send(), send()]);
    expect(clock.waits).toEqual([]);
  });
});
