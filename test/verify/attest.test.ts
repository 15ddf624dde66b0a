import { generateKeyPairSync } from "node:crypto";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { beforeAll, expect, test } from "vitest";

import { reportJson } from "../../src/report/json.ts";
import type { Report } from "../../src/report/report.ts";
import { command, createIo, oneLine, type TestIo } from "../cli/io.ts";
import { listen } from "../cli/servers.ts";
import { genuine } from "./reports.ts";

let conformant: Report;
let incomplete: Report;
let partial: Report;
/** A folder in which the one that is conformant was attested, and one for the one that is incomplete, which is read sooner. */
let passed: TestIo;
let failed: TestIo;

beforeAll(async () => {
  conformant = await genuine(
    {},
    {
      profile: (profile) => ({
        ...profile,
        deployment: { name: "acme-staging", version: "4.2.0" },
      }),
    },
  );
  // It ends after its first requests.
  incomplete = await genuine({ faults: ["rejects-everything"] });
  partial = await genuine({}, { patterns: ["receiver.audience"] });
  passed = folderWith(conformant, { kid: "ours" });
  await command(ATTEST, passed);
  failed = folderWith(incomplete);
  await command(ATTEST, failed);
}, 300_000);

/** A folder with a report, a signing key, and the public keys. */
function folderWith(
  report: Report,
  { kid, type = "ec" }: { kid?: string; type?: "ec" | "rsa" | "ed25519" } = {},
): TestIo {
  const io = createIo();
  const { publicKey, privateKey } =
    type === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : type === "rsa"
        ? generateKeyPairSync("rsa", { modulusLength: 2048 })
        : generateKeyPairSync("ed25519");
  const jwk = (key: typeof publicKey): object => ({ ...key.export({ format: "jwk" }), kid });
  writeFileSync(join(io.cwd, "report.json"), reportJson(report));
  writeFileSync(join(io.cwd, "key.jwk"), JSON.stringify(jwk(privateKey)));
  writeFileSync(join(io.cwd, "keys.json"), JSON.stringify({ keys: [jwk(publicKey)] }));
  return io;
}

const ATTEST = ["attest", "report.json", "--key", "key.jwk"];
const CHECK = ["verify", "report.json", "--attestation", "attestation.json", "--keys", "keys.json"];

/** Without the keys. */
const UNDER = CHECK.slice(0, -1);

/** A copy of a folder with a report, its attestation, and the keys. */
function attestedFolder(attestation: TestIo = failed): TestIo {
  const io = createIo();
  cpSync(attestation.cwd, io.cwd, { recursive: true });
  return io;
}

/** The statement in an attestation. */
function statementIn(io: TestIo): { predicate: unknown } {
  const { payload, payloadType } = JSON.parse(
    readFileSync(join(io.cwd, "attestation.json"), "utf8"),
  ) as { payload: string; payloadType: string };
  expect(payloadType).toBe("application/vnd.in-toto+json");
  return JSON.parse(Buffer.from(payload, "base64").toString("utf8")) as { predicate: unknown };
}

test("a statement that is verified says what it is about", async () => {
  const { code, out } = await command(CHECK, attestedFolder(passed));
  expect(out).toContain("Signed with the key ours: PASSED.");
  expect(oneLine(out)).toMatch(
    /It is about acme-staging 4\.2\.0 at http.* as it was on \d{4}-\d\d-\d\d.* left \d+ writes behind/,
  );
  expect(code).toBe(0);
});

test.each([["ec"], ["rsa"], ["ed25519"]] as const)(
  "a statement signed with a key of the type %s is verified with the public key",
  async (type) => {
    const io = folderWith(incomplete, { type, kid: "ours" });
    expect((await command(ATTEST, io)).code).toBe(0);
    const { code, out } = await command(CHECK, io);
    expect(out).toContain("Signed with the key ours: FAILED.");
    expect(code).toBe(0);
  },
);

test("a statement names the deployment, the suite, the rules and the file", () => {
  expect(statementIn(passed)).toMatchObject({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: "report.json", digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }],
    predicateType: "https://in-toto.io/attestation/test-result/v0.1",
    predicate: {
      result: "PASSED",
      configuration: [
        { name: "suite", uri: expect.stringMatching(/^pkg:npm\/orgsync-conformance@/) },
        { name: "rules", digest: { sha256: conformant.plan.rules } },
        {
          name: "deployment",
          uri: conformant.target.baseUrl,
          annotations: { deployment: { name: "acme-staging", version: "4.2.0" } },
        },
        {
          name: "run",
          annotations: {
            verdict: "conformant",
            scope: conformant.scope,
            startedAt: conformant.startedAt,
            leftOut: conformant.excluded,
            leftBehind: conformant.leftBehind,
          },
        },
      ],
      failedTests: [],
    },
  });
});

test("the predicate alone needs no key, and is the one of the statement", async () => {
  const io = attestedFolder();
  expect((await command(["attest", "report.json", "--predicate", "p.json"], io)).code).toBe(0);
  expect(JSON.parse(readFileSync(join(io.cwd, "p.json"), "utf8"))).toEqual(
    statementIn(io).predicate,
  );
});

test("the result of an incomplete run is FAILED", async () => {
  const io = folderWith(incomplete);
  const { code, out } = await command(ATTEST, io);
  expect(code).toBe(0);
  expect(out).toMatch(/^Signed: attestation\.json\. The statement says FAILED \(/);
  expect(statementIn(io).predicate).toMatchObject({ result: "FAILED", failedTests: [] });
});

test.each<[string, () => Report, number, RegExp]>([
  ["is partial", () => partial, 2, /only receiver\.audience was selected/],
  [
    "had a baseline",
    () => ({ ...conformant, baseline: { file: "known.yaml", known: [], unknown: [], stale: [] } }),
    2,
    /with a baseline/,
  ],
  ["was interrupted", () => ({ ...conformant, interrupted: true }), 2, /did not finish/],
  ["is not consistent", () => ({ ...incomplete, verdict: "conformant" }), 1, /Not consistent/],
])("a report that %s is not attested", async (_, report, code, why) => {
  const io = folderWith(report());
  const attested = await command(ATTEST, io);
  expect(oneLine(attested.err)).toMatch(why);
  expect(attested.code).toBe(code);
  expect(() => readFileSync(join(io.cwd, "attestation.json"))).toThrow("ENOENT");
});

test.each(
  Object.entries<[RegExp, (io: TestIo) => void]>({
    "of another file": [
      /it is about another file/,
      (io) => writeFileSync(join(io.cwd, "report.json"), `${reportJson(incomplete)}\n`),
    ],
    "signed with an unknown key": [
      /none of the keys has signed it/,
      (io) => writeFileSync(join(io.cwd, "keys.json"), '{"keys":[]}'),
    ],
    "with a changed payload": [
      /none of the keys has signed it/,
      (io) => {
        const file = join(io.cwd, "attestation.json");
        const envelope = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
        const statement = JSON.stringify({ ...statementIn(io), subject: [] });
        const payload = Buffer.from(statement).toString("base64");
        writeFileSync(file, JSON.stringify({ ...envelope, payload }));
      },
    ],
    "of a type other than the signed one": [
      /none of the keys has signed it/,
      (io) => {
        const file = join(io.cwd, "attestation.json");
        const envelope = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
        writeFileSync(file, JSON.stringify({ ...envelope, payloadType: "text/plain" }));
      },
    ],
  }),
)("an attestation %s is detected", async (_, [what, change]) => {
  const io = attestedFolder();
  change(io);
  const { code, out } = await command(CHECK, io);
  const words = oneLine(out);
  expect(words).toMatch(/^Refused: no trusted key has signed this report/);
  expect(words).toMatch(what);
  expect(words).not.toMatch(/consistent|PASSED/i);
  expect(code).toBe(1);
});

test("--report html writes a page with the chain from profile to signature", async () => {
  const io = attestedFolder(passed);
  const { code, err } = await command([...CHECK, "--report", "html"], io);
  expect(code).toBe(0);
  expect(err).toContain("Page: verification.html");
  const page = readFileSync(join(io.cwd, "verification.html"), "utf8");
  expect(page).toContain("The report is consistent: its evidence supports the verdict ");
  const links = ["Profile", "Report", "Statement", "Signature"].map((name) =>
    page.indexOf(`<dt>${name}</dt>`),
  );
  expect(links.every((at) => at > 0)).toBe(true);
  expect(links).toEqual(links.toSorted((a, b) => a - b));
  expect(page).toContain(String(conformant.target.profile));
  expect(page).not.toContain("<script");
});

test("keys are fetched from a URL with TLS, or without TLS from this machine only", async () => {
  const io = attestedFolder();
  const keys = readFileSync(join(io.cwd, "keys.json"), "utf8");
  const { baseUrl } = await listen((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(keys);
  });
  expect((await command([...UNDER, `${baseUrl}/jwks.json`], io)).code).toBe(0);
  const refused = await command([...UNDER, "http://keys.example.com/jwks.json"], io);
  expect(refused.err).toContain("not an https URL");
  expect(refused.code).toBe(2);
});

test.each<[string, string, string[]]>([
  ["no key", "No signing key is named", ["attest", "report.json"]],
  ["no keys", "go together", ["verify", "report.json", "--attestation", "keys.json"]],
  ["a public key", "contains no private JWK", ["attest", "report.json", "--key", "keys.json"]],
  [
    "an invalid envelope",
    "is not a DSSE envelope",
    [...CHECK.slice(0, 3), "keys.json", "--keys", "keys.json"],
  ],
])("with %s, nothing is attested or checked", async (_, why, argv) => {
  const io = folderWith(incomplete);
  const { code, err } = await command(argv, io);
  expect(code).toBe(2);
  expect(err).toContain(why);
});
