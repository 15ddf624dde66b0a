import { generateKeyPairSync, sign } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { beforeAll, expect, test } from "vitest";

import { signStatement } from "../../src/attest/envelope.ts";
import type { Jwk } from "../../src/keys/algorithms.ts";
import { repeatedMembers } from "../../src/lib/strict-json.ts";
import { reportJson } from "../../src/report/json.ts";
import { command, createIo, oneLine } from "../cli/io.ts";
import { genuine } from "./reports.ts";

let text: string;

const { privateKey } = generateKeyPairSync("ed25519");
const KEY = { ...privateKey.export({ format: "jwk" }), kid: "ours" } as unknown as Jwk;

beforeAll(async () => {
  text = reportJson(await genuine({}, { patterns: ["receiver.rotation"] }));
}, 300_000);

/** The same with a second member of that name, before the first member. */
function twice(json: string, member: string): string {
  return json.replace("{", `{${member},`);
}

test.each([
  ['{"a":1,"b":{"a":2}}', undefined],
  ['[{"a":1},{"a":1}]', undefined],
  ['{"a":"\\",\\"a\\":","b":["a","a"]}', undefined],
  [`{"a":1${" ".repeat(1000)},"a"${"\n".repeat(1000)}:2}`, ["a"]],
  ['{"a":[0,{"b/c":1,"b\\u002fc":1}]}', ["a", "1", "b/c"]],
  ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
])("a member that stands twice is found in %s", (json, path) => {
  expect([...repeatedMembers(json)][0]).toEqual(path);
});

const CHECK = ["verify", "report.json", "--attestation"];

test.each([
  ["verify", ["verify", "twice.json"]],
  ["attest", ["attest", "twice.json", "--key", "key.jwk"]],
  ["compare", ["compare", "report.json", "twice.json"]],
  ["replay", ["replay", "twice.json", "receiver.rotation"]],
  ["merge", ["merge", "fleet.json", "--out", "merged"], "/runs"],
  ["verify, in a key set", [...CHECK, "envelope.json", "--keys", "keys.json"], "/keys"],
  ["verify, in an envelope", [...CHECK, "twice.json", "--keys", "keys.json"]],
  ["attest, in a key", ["attest", "report.json", "--key", "twice.jwk"], "/d"],
])("%s refuses a file in which a member stands twice", async (_, argv, member = "/verdict") => {
  const io = createIo();
  const write = (name: string, content: string): void => writeFileSync(join(io.cwd, name), content);
  write("report.json", text);
  write("twice.json", twice(text, '"verdict": "non-conformant"'));
  write("fleet.json", '{"runs":[],"runs":[]}');
  write("key.jwk", JSON.stringify(KEY));
  write("twice.jwk", twice(JSON.stringify(KEY), `"d":"${String(KEY["d"])}"`));
  write("keys.json", '{"keys":[],"keys":[]}');
  write("envelope.json", JSON.stringify(await signStatement({}, KEY)));
  const { code, out, err } = await command(argv, io);
  expect(err).toMatch(new RegExp(`it has the member ${member} twice`));
  expect(err).not.toContain(String(KEY["d"]));
  expect(out).toBe("");
  expect(code).toBe(2);
});

test("merge takes no result from a report in which a member stands twice", async () => {
  const io = createIo();
  mkdirSync(join(io.cwd, "one"));
  writeFileSync(join(io.cwd, "one/report.json"), twice(text, '"verdict": "non-conformant"'));
  const { out } = await command(["merge", "one", "--out", "merged"], io);
  expect(out).toContain("1 run: 1 error");
  const fleet = readFileSync(join(io.cwd, "merged/fleet.json"), "utf8");
  expect(fleet).toContain("it has the member /verdict twice");
});

test("a signed statement in which a member stands twice is not accepted", async () => {
  const io = createIo();
  const payload = '{"_type":1,"_type":2}';
  const type = "application/vnd.in-toto+json";
  const message = `DSSEv1 ${type.length} ${type} ${payload.length} ${payload}`;
  const sig = sign(null, Buffer.from(message), privateKey).toString("base64");
  const { d: _private, ...publicKey } = KEY;
  const written = {
    "report.json": text,
    "envelope.json": JSON.stringify({
      payloadType: type,
      payload: Buffer.from(payload).toString("base64"),
      signatures: [{ sig }],
    }),
    "keys.json": JSON.stringify({ keys: [publicKey] }),
  };
  for (const [name, content] of Object.entries(written)) {
    writeFileSync(join(io.cwd, name), content);
  }
  const { code, out } = await command([...CHECK, "envelope.json", "--keys", "keys.json"], io);
  expect(oneLine(out)).toContain("it has the member /_type twice");
  expect(code).toBe(1);
});
