import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { readEnvelope } from "../../src/attest/envelope.ts";
import { readFleet } from "../../src/fleet/fleet-file.ts";
import { problemsOf } from "../../src/profile/problems.ts";
import { profileSchema } from "../../src/profile/schema.ts";
import { storedReport } from "../../src/report/stored.ts";

const LIBRARY = /expected|received|Invalid|Too (?:small|big)|Unrecognized|must NOT have/;
const WRONG: readonly unknown[] = [null, 7, "text", true, [], [7], {}, { a: 7 }];

function fleetProblem(value: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), "fleet-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "fleet.json");
  writeFileSync(file, JSON.stringify(value));
  try {
    readFleet(file, "fleet.json");
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const READERS: Readonly<Record<string, [members: string, read: (value: unknown) => unknown]>> = {
  report: [
    "schemaVersion verdict partial suiteErrors remaining baseline suite target seed rules cases exchanges",
    storedReport,
  ],
  envelope: ["payloadType payload signatures", (value) => readEnvelope(JSON.stringify(value))],
  fleet: ["schemaVersion runs verdict startedAt", fleetProblem],
  profile: [
    "baseUrl testIssuer organizations operations limits http authorizationServer errors",
    (value) =>
      problemsOf(profileSchema.safeParse(value).error?.issues ?? [], value)
        .map(({ text }) => text)
        .join("\n"),
  ],
};

it.each(Object.keys(READERS))(
  "values of wrong types: the reader of a %s uses its own words",
  (name) => {
    const [members, read] = READERS[name] ?? ["", String];
    const values = [
      ...WRONG,
      ...members.split(" ").flatMap((member) => WRONG.map((one) => ({ [member]: one }))),
    ];
    for (const value of values) {
      const said = read(value);
      expect(said).toEqual(expect.any(String));
      expect(said).not.toMatch(LIBRARY);
    }
  },
);

it("the reader of a report says what is wrong and where", () => {
  expect(storedReport({ schemaVersion: "2.0", verdict: 7 })).toBe(
    "verdict: must be text, not a number; put it in quotes",
  );
  expect(storedReport({})).toBe("schemaVersion: is missing");
});
