import { expect, test } from "vitest";

import { command, createIo, ioWith, oneLine, reportIn, type TestIo } from "./io.ts";
import { receiver } from "./servers.ts";

test.each<[string, Parameters<typeof receiver>[0] | undefined, string[]]>([
  ["both sides", undefined, []],
  ["a selection of the receiver", {}, ["--rule", "receiver.expiry,receiver.order,pagination.*"]],
  ["one case", {}, ["--rule", "receiver.isolation/side-by-side@viewOrganization"]],
  [
    "tokens of its own server",
    { authorizationServer: "alone" },
    ["--rule", "receiver.scope,errors.*,authorization-server.scope"],
  ],
])("--dry-run says how many requests a run sends: %s", async (_what, reference, rules) => {
  const { testIssuer, ...profile } = reference ? (await receiver(reference)).profile : {};
  const told = reference?.authorizationServer === undefined ? { testIssuer } : {};
  const io = (): TestIo => (reference ? ioWith({ ...profile, ...told }) : createIo());
  const { out, err } = await command(["run", ...rules, "--dry-run"], io());
  const about = Number(/about (\d+) requests/.exec(oneLine(out))?.[1]);
  const ran = await command(["run", "--seed", "7", ...rules], io());
  const { requests } = reportIn(ran.io);
  expect(Math.abs(about - requests) / requests, `${about} of ${requests} ${err}`).toBeLessThan(
    0.03,
  );
});
