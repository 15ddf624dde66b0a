import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { expect, it } from "vitest";

import { privateValues } from "../../src/keys/jwks-file.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import { loadProfile } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import { command, ioWith, type TestIo } from "../cli/io.ts";
import { listen } from "../cli/servers.ts";
import { loadDocument } from "./loading.ts";
import { openapi } from "./support.ts";

const MARK = "n0b0dys-bus1ness";
const ORGANIZATION = "11111111-1111-4111-8111-111111111111";
const PRIVATE = JSON.parse(readFileSync(join(packageRoot, "keys/private.jwks.json"), "utf8")) as {
  keys: Record<string, unknown>[];
};

interface Ran {
  readonly code: number;
  readonly err: string;
  /** All that was sent, printed and written. */
  readonly told: string;
  readonly bodies: readonly string[];
}

/**
 * A folder with a profile of a receiver that accepts everything and says back what it is sent. Beside the document
 * `api/openapi.json` and the profile there is much that is nobody's business.
 */
async function prepared(
  document: (folder: string, origin: string) => object,
): Promise<Pick<Ran, "bodies"> & { readonly io: TestIo; readonly sent: readonly string[] }> {
  const sent: string[] = [];
  const bodies: string[] = [];
  const { baseUrl } = await listen((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      sent.push(request.url ?? "", JSON.stringify(request.headers), body);
      if (request.url === "/secret.json") sent.push(`asked for it: ${MARK}`);
      if (body !== "") bodies.push(body);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: ORGANIZATION, echo: body }));
    });
  });
  const secret = JSON.stringify({ password: MARK });
  const profile = {
    baseUrl,
    openapi: "api/openapi.json",
    testIssuer: { keys: "api/keys" },
    organizations: { primary: ORGANIZATION },
    writes: true,
  };
  const io = ioWith(profile, {
    "outside.json": secret,
    "api/.env": `PASSWORD: ${MARK}`,
    "api/.hidden.json": secret,
    "api/.config/a.json": secret,
    "api/notes.txt": secret,
    "api/plain.json": secret,
    "api/folder.json/a.json": secret,
  });
  const folder = join(io.cwd, "api");
  cpSync(join(packageRoot, "keys"), join(folder, "keys"), { recursive: true });
  symlinkSync(join(io.cwd, "outside.json"), join(folder, "link.json"));
  symlinkSync(join(folder, "keys"), join(folder, "other"));
  symlinkSync(join(io.cwd, "orgsync.yaml"), join(folder, "profile.yaml"));
  const { origin } = new URL(baseUrl);
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document(folder, origin)));
  return { io, sent, bodies };
}

/** A run with writes of such a profile. */
async function run(document: (folder: string, origin: string) => object): Promise<Ran> {
  const { io, sent, bodies } = await prepared(document);
  const flags = ["--rule", "document.valid", "--rule", "routes.*"];
  const { code, out, err } = await command(["run", ...flags, "--seed", "1"], io);
  return { code, err, told: [...sent, out, err, ...written(io.cwd)].join("\n"), bodies };
}

function written(folder: string): string[] {
  try {
    return readdirSync(join(folder, "reports"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.includes("."))
      .map((name) => readFileSync(join(folder, "reports", name), "utf8"));
  } catch {
    return []; // Nothing was run.
  }
}

function expectNothingTold(told: string): void {
  expect(told).not.toContain(MARK);
  for (const value of PRIVATE.keys.flatMap(privateValues)) expect(told).not.toContain(value);
}

const REFERENCES: [what: string, reference: (folder: string, origin: string) => string][] = [
  ["the private keys", () => "keys/private.jwks.json"],
  ["a key", () => "keys/private.jwks.json#/keys/0"],
  ["the public keys", () => "keys/jwks.json"],
  ["the keys, by a link", () => "other/private.jwks.json"],
  ["the profile, by a link", () => "profile.yaml"],
  [".env", () => ".env"],
  ["a hidden file", () => ".hidden.json"],
  ["a hidden folder", () => ".config/a.json"],
  ["another kind of file", () => "notes.txt"],
  ["a folder", () => "folder.json"],
  ["a link that leads outside", () => "link.json"],
  ["the folder above", () => "../outside.json"],
  ["the folder above, encoded", () => "%2e%2e%2foutside.json"],
  ["the folder above, by a way round", () => "keys/../../outside.json#/password"],
  ["a path", (folder) => join(folder, "../outside.json")],
  ["a file: URL", (folder) => pathToFileURL(join(folder, "../outside.json")).href],
  ["a file: URL of a good part", (folder) => pathToFileURL(join(folder, "plain.json")).href],
  ["a URL", (_folder, origin) => `${origin}/secret.json`],
  ["a URL without a scheme", (_folder, origin) => `${origin.replace("http:", "")}/secret.json`],
];

function editing(media: object): object {
  const requestBody = { content: { "application/json": media } };
  const responses = { 200: { description: "edited" } };
  return openapi({ "/orgs/{orgId}": { patch: { requestBody, responses } } });
}

const ANY = { type: "object" };

it.each(["example", "examples", "schema"] as const)(
  "references in data, as in the %s of a body, are not followed",
  async (place) => {
    const { code, told, bodies } = await run((folder, origin) => {
      const of = [
        ...REFERENCES.map(([, reference]) => reference(folder, origin)),
        "plain.json",
        "#/x",
      ];
      const literal = { mission: "any", config: of.map(($ref) => ({ $ref })) };
      return editing(
        {
          example: { schema: ANY, example: literal },
          examples: { schema: ANY, examples: { one: { value: literal } } },
          schema: { schema: { ...ANY, examples: [literal], default: literal, enum: [literal] } },
        }[place],
      );
    });
    expect(code).not.toBe(2);
    expect(bodies.some((body) => body.includes('"$ref":"keys/private.jwks.json"'))).toBe(true);
    expectNothingTold(told);
  },
);

it.each(REFERENCES)(
  "a reference to %s is not followed where OpenAPI allows references",
  async (_what, reference) => {
    let named = "";
    const { io, sent } = await prepared((folder, origin) => {
      named = reference(folder, origin);
      return editing({ schema: ANY, examples: { one: { $ref: named } } });
    });
    const { cwd } = io;
    const target = resolveTarget({ profile: loadProfile("orgsync.yaml", { cwd }) });
    const { unresolved } = await loadDocument(String(target.openapi), target, { cwd });
    const [problem = ""] = unresolved.map((one) => one.problem);
    expect(unresolved).toHaveLength(1);
    expect(problem).toMatch(/api\/openapi\.json refers to ".*", which (?:is|stands) /);
    expect(problem).toContain(named.split("#", 1)[0]);
    expect(sent).toEqual([]);
    expectNothingTold(problem);
  },
);

it("a reference to a file is not followed where OpenAPI does not allow references, and ends no run", async () => {
  const { code, told } = await run(() => openapi({ "/orgs": { get: { $ref: "plain.json" } } }));
  expect(code).not.toBe(2);
  expect(told).toContain("which is in a place where OpenAPI allows no reference");
  expectNothingTold(told);
});

it("no report contains private members of keys, however a target sends them", async () => {
  const [key] = PRIVATE.keys;
  const { told, bodies } = await run(() =>
    editing({ schema: ANY, example: { mission: "any", of: key } }),
  );
  // It is what the document shows that is sent: the receiver says it back, and no report has it.
  expect(bodies.some((body) => body.includes(String(key?.["d"])))).toBe(true);
  const reports = bodies.reduce((text, body) => text.replaceAll(body, ""), told);
  for (const value of privateValues(key ?? {})) expect(reports).not.toContain(value);
});
