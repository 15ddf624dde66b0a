import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { expect, test } from "vitest";

import { BODY_LIMIT_BYTES, CUT_BYTES } from "../../src/http/connection/body.ts";
import type { Reply } from "../../src/http/exchange.ts";
import { createBodyStore, type KeptBody } from "../../src/http/kept-body.ts";
import { OK, response, talking } from "./wire.ts";

/** The reply to a request that is answered with this body. */
async function replyWith(body: string): Promise<Reply> {
  const { send } = await talking({}, response(200, body));
  return send();
}

const charities = (length: number): unknown[] =>
  Array.from({ length }, (_, id) => ({ id, name: `Charity ${id}` }));

test("a long answer is the same after it was packed", async () => {
  const list = charities(5000);
  const reply = await replyWith(JSON.stringify(list));
  const before = reply.body;
  reply.keep();
  expect([reply.body, reply.json(), reply.cut]).toEqual([before, list, false]);
});

test("answers that cannot be packed are kept while there is room, and then truncated", () => {
  const store = createBodyStore();
  const bodies = Array.from({ length: 6 }, () => store.store(randomBytes(BODY_LIMIT_BYTES), false));
  for (const body of bodies) body.keep();
  expect(bodies.map(({ cut }) => cut)).toEqual([false, false, false, true, true, true]);
  expect(bodies.map((body) => body.bytes().length)).toEqual([
    ...Array<number>(3).fill(BODY_LIMIT_BYTES),
    ...Array<number>(3).fill(CUT_BYTES),
  ]);
});

test("equal large answers are parsed once and packed once", () => {
  const bodies = createBodyStore();
  const [list, other] = [0, 1].map((first) =>
    JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id: id + first }))),
  );
  const store = (text = ""): KeptBody => bodies.store(Buffer.from(text), false);
  const stored = [list, other, list, other].map(store);
  const values = stored.map((body) => body.json());
  expect(values[2]).toBe(values[0]);
  expect(values[3]).toBe(values[1]);
  expect(bodies.bytes).toBe(1.2 * `${list}${other}`.length);
  stored[0]?.keep();
  expect(stored.map((body) => body.bytes().toString())).toEqual([list, other, list, other]);
});

test.each(["[]", "{}", "1"])("a list of 300,001 items %s is too long to be read", async (item) => {
  const reply = await replyWith(`[${Array(300_001).fill(item).join(",")}]`);
  expect([reply.cut, reply.json()]).toEqual([true, undefined]);
});

test("a list of 60,000 items is read", async () => {
  const list = charities(60_000);
  const reply = await replyWith(JSON.stringify(list));
  expect([reply.cut, reply.json()]).toEqual([false, list]);
});

test("a secret is not recorded if only its beginning fits into the record", async () => {
  const token = `eyJhbGciOiJub25lIn0.${"c".repeat(2000)}.${"s".repeat(300)}`;
  // Redaction shortens these so much that the end of the text would be in the kept part.
  const others = Array(57)
    .fill(`eyJhbGciOiJub25lIn0.${"x".repeat(2270)}`)
    .join(" ");
  for (let shift = 0; shift < 3; shift++) {
    const secret = `s3cr3t-${"q".repeat(2000)}-end`;
    const { send } = await talking(
      {
        change: (target) => ({ ...target, secrets: [secret] }),
      },
      response(200, others + " ".repeat(shift * 500) + secret.repeat(40) + token),
    );
    const { exchange } = await send({}, { token });
    expect(exchange.response?.body).not.toMatch(/q{20}|s3cr3t/);
  }
});

test("replies that nobody needs are released while other requests wait", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const answered = 5;
  const { send } = await talking({ concurrency: 1 }, (socket, { number }) => {
    if (number <= answered) socket.write(OK);
  });
  const sendAll = (count: number): ReturnType<typeof send>[] =>
    Array.from({ length: count }, () => send());
  const replies = Promise.all(sendAll(answered)).then((all) => all.map((one) => new WeakRef(one)));
  void Promise.allSettled(sendAll(3));
  const released = await replies;
  // A WeakRef holds its object until the current job has ended.
  await setImmediate();
  collectGarbage();
  expect(released.map((one) => one.deref())).toEqual(Array(answered).fill(undefined));
});
