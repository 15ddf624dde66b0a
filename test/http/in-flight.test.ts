import { expect, test } from "vitest";

import { createInFlight, type InFlight } from "../../src/http/persistence/in-flight.ts";

const SMALL = { body: Buffer.from("{}"), cut: false };
const LARGE = { body: Buffer.alloc(1024 * 1024 + 1), cut: false };

function adapting(concurrency: number): InFlight & { readonly queue: { concurrency: number } } {
  const queue = { concurrency };
  return { queue, ...createInFlight(queue, concurrency) };
}

function noteMany(inFlight: InFlight, times: number): void {
  for (let at = 0; at < times; at++) inFlight.note(SMALL);
}

test("a crowded deployment gets fewer requests at once, but never fewer than two", () => {
  const inFlight = adapting(4);
  inFlight.noteCrowded();
  expect(inFlight.queue.concurrency).toBe(3);
  for (let at = 0; at < 5; at++) inFlight.noteCrowded();
  expect(inFlight.queue.concurrency).toBe(2);
});

test("after many responses there is one more request in flight, up to the former number", () => {
  const inFlight = adapting(4);
  inFlight.noteCrowded();
  inFlight.noteCrowded();
  noteMany(inFlight, 31);
  expect(inFlight.queue.concurrency).toBe(2);
  noteMany(inFlight, 1);
  expect(inFlight.queue.concurrency).toBe(3);
  noteMany(inFlight, 100);
  expect(inFlight.queue.concurrency).toBe(4);
});

test("a deployment with large responses gets two requests at once from then on", () => {
  const inFlight = adapting(8);
  inFlight.note(LARGE);
  noteMany(inFlight, 100);
  expect(inFlight.queue.concurrency).toBe(2);
});

test("one request at once stays one", () => {
  const inFlight = adapting(1);
  inFlight.noteCrowded();
  inFlight.note({ ...SMALL, cut: true });
  noteMany(inFlight, 100);
  expect(inFlight.queue.concurrency).toBe(1);
});
