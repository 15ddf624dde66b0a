import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";
import { stringify } from "yaml";

import type { ReferenceOptions } from "../../src/reference/index.ts";
import { command, createIo } from "./io.ts";
import { receiver } from "./servers.ts";

/** The output of a run, without ports, times, generated values and counts. */
async function printed(
  options: Omit<ReferenceOptions, "jwks">,
  argv: readonly string[],
  change: (profile: Record<string, unknown>) => object = (profile) => profile,
): Promise<string> {
  const { profile } = await receiver(options);
  const io = createIo();
  writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(change(structuredClone(profile))));
  const { code, out } = await command(["run", "--seed", "1", ...argv], io);
  const steady = out
    .replace(/^Observed, never judged\n[^]*?(?=^Rules\n)/m, "")
    .replaceAll(/\b\d+ observations\b/g, "N observations")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replaceAll(/\b\d+(\.\d+)? m?s\b/g, "TIME")
    // On a slow machine, other requests are always in progress while a case waits.
    .replaceAll(" (TIME of it only waiting)", "")
    .replaceAll(/\b\d+ requests\b/g, "N requests")
    .replaceAll(/\b1\d{9}\b/g, "SECONDS")
    .replaceAll(/conformance-[\w-]+/g, "UNIQUE");
  return `${steady}\nexit code ${code}\n`;
}

test.each<[string, ...Parameters<typeof printed>]>([
  ["conformant", {}, []],
  ["one-fault", { faults: ["expiry-unchecked"] }, []],
  ["one-fault-verbose", { faults: ["expiry-unchecked"] }, ["--verbose"]],
  ["several-faults", { faults: ["issuer-unchecked", "scope-unchecked"] }, []],
  ["nobody-let-in", { faults: ["rejects-everything"] }, []],
  ["incomplete", {}, [], (profile) => ({ ...profile, denied: undefined })],
])("the output of a run that is %s is unchanged", async (name, ...run) => {
  await expect(await printed(...run)).toMatchFileSnapshot(`__snapshots__/${name}.txt`);
});

test.each<[lines: number, faults: string[]]>([
  [25, []],
  [60, ["expiry-unchecked"]],
  [
    120,
    [
      "issuer-unchecked",
      "scope-unchecked",
      "expiry-unchecked",
      "audience-by-prefix",
      "binding-unchecked",
    ],
  ],
])(
  "a run prints at most %i lines and writes a small page, with the faults %j",
  async (most, faults) => {
    const { profile } = await receiver({ faults });
    const io = createIo();
    writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(profile));
    const { out, err } = await command(["run", "--seed", "1", "--report", "html"], io);
    expect((err + out).split("\n").length).toBeLessThanOrEqual(most);
    expect(out.split("\n").filter(({ length }) => length > io.stdout.columns)).toEqual([]);
    const page = readFileSync(join(io.cwd, "reports/report.html"), "utf8");
    expect(Buffer.byteLength(page)).toBeLessThan(1_200_000);
    if (faults.length > 0) return;
    expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
    expect(page.match(/<[a-z]/g)?.length).toBeLessThan(5000);
  },
);
