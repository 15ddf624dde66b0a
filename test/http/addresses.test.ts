import dns from "node:dns";

import { expect, test } from "vitest";

import type { Target } from "../../src/profile/target.ts";
import { replaceIn } from "../support/replace.ts";
import { OK, sender, wire } from "./wire.ts";

/** Resolves every name to these addresses, one list after the other. */
function resolveTo(...answers: readonly (readonly string[])[]): void {
  let at = 0;
  const answer = (_host: string, _options: object, callback: (...found: unknown[]) => void): void =>
    callback(
      null,
      answers[at++ % answers.length]?.map((address) => ({
        address,
        family: address.includes(":") ? 6 : 4,
      })),
    );
  replaceIn(dns, { lookup: answer as unknown as typeof dns.lookup });
}

/** The target of an untrusted profile. */
const untrusted =
  (named?: string) =>
  (target: Target): Target => ({ ...target, untrusted: { named } });
/** It must be sent byte by byte, over a raw connection. */
const RAW = { headers: [["x-odd", "a\0b"]] as const };

test.each([
  ["127.0.0.1"],
  ["169.254.169.254"],
  ["::ffff:127.0.0.1"],
  ["8.8.8.8", "127.0.0.1"],
  ["127.0.0.1", "8.8.8.8"],
])("no connection is made to a vendor's host that is %s %s", async (...addresses) => {
  const server = await wire((socket) => socket.end(OK));
  resolveTo(addresses);
  const { port } = new URL(server.origin);
  const { send } = sender(`http://vendor.example:${port}`, { change: untrusted() });
  const sent = await Promise.all([{}, RAW, { method: "POST" }].map((spec) => send(spec)));
  for (const { exchange } of sent) {
    expect(exchange.fault?.kind).toBe("unreachable");
    expect(exchange.fault?.message).toContain("not on the public internet");
  }
  expect(server.connections).toBe(0);
});

test("a connection is made to a host on the command line, wherever it is", async () => {
  const server = await wire((socket) => socket.end(OK));
  const { send } = sender(server.origin, { change: untrusted(server.origin) });
  expect([(await send()).status, (await send(RAW)).status]).toEqual([200, 200]);
});

test.each(["localhost", "localhost.", "receiver.localhost"])(
  "%s is this machine, whatever the system resolves it to",
  async (host) => {
    const server = await wire((socket) => socket.end(OK));
    resolveTo(["203.0.113.1"]);
    const { port } = new URL(server.origin);
    const { send } = sender(`http://${host}:${port}`);
    expect([(await send()).status, (await send(RAW)).status]).toEqual([200, 200]);
  },
);
