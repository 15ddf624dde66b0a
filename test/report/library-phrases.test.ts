import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { readEnvelope } from "../../src/attest/envelope.ts";
import { parseSource } from "../../src/document/parse.ts";
import { documentedSchema } from "../../src/document/schema.ts";
import { readFleet } from "../../src/fleet/fleet-file.ts";
import { schemaIssueText } from "../../src/lib/schema-issue.ts";
import { systemReason } from "../../src/lib/system-error.ts";
import { firstIssue } from "../../src/lib/zod-issue.ts";
import { problemsOf } from "../../src/profile/problems.ts";
import { profileSchema } from "../../src/profile/schema.ts";
import { parseText } from "../../src/profile/yaml.ts";
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
  expect(storedReport({ schemaVersion: "2.1", verdict: 7 })).toBe(
    "verdict: must be text, not a number; put it in quotes",
  );
  expect(storedReport({})).toBe("schemaVersion: is missing");
});

/** A text for each error of the parser of YAML that a text can have. */
const BAD_YAML: readonly (readonly [text: string, said: string])[] = [
  ["a: &x *x\n", "1:7: an alias (*) takes neither an anchor"],
  ["a: &x: 1", "1:6: an anchor (&) or alias (*) needs a name without colon"],
  ["%FOO\n---\na: 1", "1:1: directives (%) mean nothing here"],
  ['a: "\\q"', "1:5: this is no escape in double quotes"],
  ["a: [1,\n", "2:1: a brace or bracket before this is not closed"],
  ["a: @b", "1:4: a text that begins with this character needs quotes"],
  ["a: b: c", "1:4: a colon and a space begin a mapping"],
  ["{a: 1 b: 2}", "1:5: a comma is missing"],
  ["a: 1\na: 2", "2:1: "],
  [`${"k".repeat(1100)}: 1`, "1:1: a key of more than 1024 characters"],
  ["a: 'x", "1:6: a quote, bracket, brace, colon, comma or blank is missing"],
  ["a\nb: 1", "1:1: a key must be on one line"],
  ["a: &x &y 1", "1:7: a value takes one anchor"],
  ["a: 1\n---\nb: 2", "2:1: a second document begins here"],
  ["a: !!str !!str 1", "1:10: a value takes one tag"],
  ["[a]: 1", "1:1: a key must be plain text"],
  ["a:\n\t- 1", "2:1: tabs cannot indent; use spaces"],
  ["a: ]", "1:4: this cannot stand here"],
];
const OF_YAML = /flow|implicit|block|collection|node|token|source|reserved|unresolved|unique|YAML/i;

it.each(BAD_YAML)(
  "bad YAML is explained in plain words, with its place: %j",
  async (text, said) => {
    const [problem] = parseText(text).problems;
    const ofProfile = `${problem?.line}:${problem?.column}: ${problem?.text}`;
    // What the parser merely warns of does not matter in a document.
    const ofDocument = await parseSource(text, "file").then(
      () => `file:${said}`,
      (error: unknown) => (error as Error).message,
    );
    expect(ofDocument).toContain(`file:${said}`);
    expect(ofProfile.startsWith(said)).toBe(true);
    expect(ofProfile + ofDocument).not.toMatch(OF_YAML);
  },
);

it("an alias without an anchor is explained in plain words", async () => {
  await expect(parseSource("a: *x", "openapi.yaml")).rejects.toThrow(
    "openapi.yaml: an alias (*) has no anchor (&) before it",
  );
});

/** A value for each keyword of JSON Schema that a value can violate. */
const BAD_VALUES: readonly (readonly [schema: object, value: unknown, said: string])[] = [
  [{ type: "integer" }, "a", "must be an integer"],
  [{ type: ["string", "null"] }, 7, "must be a string or null"],
  [{ required: ["a"] }, {}, "lacks the member `a`"],
  [{ dependentRequired: { a: ["b"] } }, { a: 1 }, "has the member `a`, and so must have `b`"],
  [{ additionalProperties: false }, { a: 1 }, "may not have the member `a`"],
  [{ unevaluatedProperties: false }, { a: 1 }, "may not have the member `a`"],
  [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, "may not have a member with the name `ab`"],
  [{ minProperties: 1 }, {}, "must have at least 1 member"],
  [{ maxProperties: 0 }, { a: 1 }, "must have at most 0 members"],
  [{ enum: ["a", 7] }, "b", 'must be "a" or 7'],
  [{ const: null }, 1, "must be null"],
  [{ minimum: 7 }, 1, "must be at least 7"],
  [{ maximum: 7 }, 8, "must be at most 7"],
  [{ exclusiveMinimum: 7 }, 7, "must be more than 7"],
  [{ exclusiveMaximum: 7 }, 7, "must be less than 7"],
  [{ multipleOf: 2 }, 1, "must be a multiple of 2"],
  [{ minLength: 2 }, "a", "must have at least 2 characters"],
  [{ maxLength: 1 }, "ab", "must have at most 1 character"],
  [{ pattern: "^a" }, "b", "must match the pattern `^a`"],
  [{ minItems: 1 }, [], "must have at least 1 item"],
  [{ maxItems: 1 }, [1, 2], "must have at most 1 item"],
  [{ prefixItems: [{}], items: false }, [1, 2], "may have no more than 1 item"],
  [{ prefixItems: [{}], unevaluatedItems: false }, [1, 2], "may have no more than 1 item"],
  [{ uniqueItems: true }, [1, 1], "may have no two equal items"],
  [{ contains: { const: 1 } }, [2], "must have at least 1 item that its schema asks for"],
  [{ anyOf: [{ const: 1 }] }, 2, "must match at least one of the schemas in `anyOf`"],
  [{ oneOf: [{}, {}] }, 2, "must match exactly one of the schemas in `oneOf`, and matches several"],
  [{ not: {} }, 2, "may not match the schema in `not`"],
  // oxlint-disable-next-line unicorn/no-thenable
  [{ if: {}, then: false }, 2, "must match the schema in `then`"],
  [{ properties: { a: false } }, { a: 1 }, "may not be there"],
];

it.each(BAD_VALUES)("what violates %j is said in plain words", (schema, value, said) => {
  const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
  expect(validate(value)).toBe(false);
  const texts = (validate.errors ?? []).map((error) => schemaIssueText(error));
  expect(texts).toContain(said);
  expect(texts.join("\n")).not.toMatch(/must NOT|does not satisfy|undefined/);
});

it.each<[what: string, schema: object, said: string]>([
  ["a type that does not exist", { properties: { a: { type: "text" } } }, "its `type` must "],
  ["a bound that is a text", { minimum: "7" }, "its `minimum` must be a number"],
  ["a list for a mapping", { properties: [] }, "its `properties` must be an object"],
])("a schema with %s says so in plain words", (_what, schema, said) => {
  const { unusable = "" } = documentedSchema({}, schema, "3.1", "response");
  expect(unusable).toContain(said);
  expect(unusable).not.toMatch(/JSONType|NOT|keyword|strict/);
});

it.each<[what: string, schema: z.ZodType, value: unknown, said: string]>([
  ["a missing member", z.object({ a: z.string() }), {}, "a: is missing"],
  ["a choice", z.object({ a: z.enum(["x", "y"]) }), { a: "z" }, "a: must be one of x, y"],
  ["an unknown member", z.strictObject({}), { a: 1 }, 'it: has members that are not known: "a"'],
  ["a small number", z.number().min(3), 1, "it: must be at least 3"],
  ["a long text", z.string().max(1), "ab", "it: must have a length of at most 1"],
  ["a multiple", z.number().multipleOf(3), 1, "it: must be a multiple of 3"],
  ["a form", z.url(), "x", "it: does not have the form of a URL"],
  ["a union", z.union([z.string(), z.number()]), true, "it: has a value that is not possible here"],
  ["a name", z.record(z.string().max(1), z.number()), { ab: 1 }, "ab: has a member whose name"],
  ["a condition of its own", z.custom(() => false), 1, "it: has a value that is not possible here"],
])("zod: %s is said in plain words", (_what, schema, value, said) => {
  const text = firstIssue(schema.safeParse(value).error?.issues ?? [], value);
  expect(text).toContain(said);
  expect(text).not.toMatch(LIBRARY);
});

it("what the system says reaches nobody, only what it means", () => {
  const error = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
  });
  expect(systemReason(error)).toBe("the disk is full");
  expect(systemReason(Object.assign(error, { code: "EODD" }))).toBe("the system answered EODD");
});
