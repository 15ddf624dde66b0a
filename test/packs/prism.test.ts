import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { expect, test, vi } from "vitest";

import { certify } from "../../src/index.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import type { Report } from "../../src/report/report.ts";
import { folderWith } from "../support/folder.ts";
import { HANGS_MS } from "../support/hangs.ts";

/** The protocol's published document; it is not this project's, so the repository has no copy. */
const BESIDE = "../shared/commongrants/openapi.0.4.0.yaml";
const DOCUMENT = join(packageRoot, BESIDE);
/** A mock that answers each route with the document's examples, whatever it is sent. Too large to be a dependency. */
const PRISM = ["--yes", "--package", "@stoplight/prism-cli@5.16.0", "--", "prism"] as const;
/** The id of the organization in the document's examples. */
const ORGANIZATION = "083b4567-e89d-42c8-a439-6c1234567890";

const RULES = ["receiver.token-required", "receiver.issuer", "resources.edit", "commongrants.*"];

test(
  "a mock of the published document has its envelopes and keeps nothing",
  { timeout: 600_000 },
  async ({ skip }) => {
    skip(!existsSync(DOCUMENT), `${BESIDE} does not exist`);
    const found = spawnSync("npx", [...PRISM, "--version"], { timeout: 300_000 });
    skip(found.status !== 0, "npx cannot get @stoplight/prism-cli");
    const port = await freePort();
    const args = [...PRISM, "mock", "--port", String(port), DOCUMENT];
    // A group of its own, because npx starts the mock as a process of its own.
    const mock = spawn("npx", args, { stdio: "ignore", cwd: folderWith(), detached: true });
    try {
      const origin = `http://127.0.0.1:${port}`;
      await vi.waitFor(() => fetch(origin), { timeout: HANGS_MS, interval: 200 });
      const report = await certified(`${origin}/common-grants`);
      expect(report.packs?.[0]?.verdict).toBe("non-conformant");
      expectMock(report);
    } finally {
      await end(mock);
    }
  },
);

function certified(baseUrl: string): Promise<Report> {
  return certify({
    profile: {
      baseUrl,
      claimsNamespace: "https://commongrants.org",
      testIssuer: { url: "https://issuer.example.com", keys: join(packageRoot, "keys") },
      organizations: { primary: ORGANIZATION },
      writes: true,
      openapi: DOCUMENT,
      packs: ["commongrants"],
    },
    seed: 1,
    patterns: RULES,
  });
}

function failed(of: Pick<Report, "rules">): string[] {
  return of.rules.flatMap(({ cases }) =>
    cases.filter(({ outcome }) => outcome === "fail").map(({ id }) => id),
  );
}

function expectMock({ rules, packs = [] }: Report): void {
  const [pack] = packs;
  const seen = failed({ rules: pack?.rules ?? [] });
  // It has one revision, shows no edit, and checks no token.
  expect(seen).toEqual(
    expect.arrayContaining([
      "commongrants.revision/ids-differ@editOrganization",
      "commongrants.submission/shown@editOrganization",
      "commongrants.tokens/expired-75s@viewOrganization",
    ]),
  );
  // It keeps nothing, so nothing is said of its ledger. The example of a submission has the status of another answer.
  expect(seen.filter((id) => /\.(?:ledger|provenance|envelope)\//.test(id))).toEqual([
    "commongrants.envelope/status@submitChange",
  ]);
  // The contract's rules see that it checks no token and shows no edit, and do not ask for what the protocol adds.
  const core = failed({ rules });
  expect(core).toContain("receiver.issuer/untrusted@viewOrganization");
  expect(core.filter((id) => !id.startsWith("receiver."))).toEqual([
    "resources.edit/seen@editOrganization",
  ]);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function end(mock: ChildProcess): Promise<void> {
  if (mock.exitCode !== null || mock.pid === undefined) return;
  const ended = once(mock, "exit");
  process.kill(-mock.pid, "SIGKILL");
  await ended;
}
