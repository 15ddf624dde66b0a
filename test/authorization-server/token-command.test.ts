import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { runTokenCommand } from "../../src/authorization-server/tokens/token-command.ts";
import { Interrupted } from "../../src/http/client.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import { startReference } from "../../src/reference/index.ts";
import { folderWith } from "../support/folder.ts";
import { BUNDLED_JWKS, rulesWith, runAgainst } from "../support/run-against.ts";

const ASKED = { scopes: ["org:read", "org:write"], organization: "an-id", subject: "svc" };

/** A command that runs a script of its own. */
function scripted(script: string): { argv: [string, ...string[]]; folder: string } {
  const folder = folderWith({ "get-token.mjs": script });
  return { argv: [process.execPath, "get-token.mjs", "--flag"], folder };
}

test("a token command gets the request in its environment and prints a token", async () => {
  const command = scripted(`
    const { ORGSYNC_SCOPES, ORGSYNC_ORGANIZATION, ORGSYNC_SUBJECT } = process.env;
    const told = [ORGSYNC_SCOPES, ORGSYNC_ORGANIZATION, ORGSYNC_SUBJECT, ...process.argv.slice(2)];
    console.error("whatever goes here is dropped");
    console.log(Buffer.from(told.join("|")).toString("base64url"));
  `);
  const given = await runTokenCommand(command, ASKED);
  const { token } = given as { token: string };
  expect(Buffer.from(token, "base64url").toString()).toBe("org:read org:write|an-id|svc|--flag");
  const unbound = await runTokenCommand(command, { ...ASKED, organization: null });
  expect(
    Buffer.from((unbound as typeof given & { token: string }).token, "base64url").toString(),
  ).toBe("org:read org:write||svc|--flag");
});

test.for<[what: string, script: string, failed: RegExp, cannot?: true]>([
  ["cannot", "process.exit(3)", /says that it cannot get such a token$/, true],
  ["fails", "console.log('secret-token'); process.exit(1)", /ended with 1$/],
  ["prints nothing", "", /printed something other than one token$/],
  [
    "prints two tokens",
    "console.log('one'); console.log('two')",
    /printed something other than one token$/,
  ],
  [
    "prints an error message",
    "console.log('<html>no</html>')",
    /printed something other than one token$/,
  ],
  ["prints too much", "process.stdout.write('x'.repeat(1e6))", /printed more than 64 KiB$/],
  ["never ends", "setInterval(() => {}, 1000)", /returned nothing within 0\.5 s$/],
])("a command that %s provides no token", async ([, script, failed, cannot]) => {
  const given = await runTokenCommand(scripted(script), ASKED, {
    timeoutMs: script.includes("setInterval") ? 500 : 60_000,
  });
  expect(given).toMatchObject({ failed: expect.stringMatching(failed) });
  expect("cannot" in given).toBe(cannot === true);
  expect(JSON.stringify(given)).not.toContain("secret-token");
});

test("an error names a program that does not exist", async () => {
  const given = await runTokenCommand({ argv: ["./no-such-program"], folder: tmpdir() }, ASKED);
  expect(given).toEqual({
    failed: "./no-such-program could not be started: ENOENT",
    unclear: true,
  });
});

test("an interrupt ends the command", async () => {
  const ended = new AbortController();
  const given = runTokenCommand(scripted("setInterval(() => {}, 1000)"), ASKED, {
    signal: ended.signal,
  });
  ended.abort();
  await expect(given).rejects.toThrow(Interrupted);
});

/** Gets tokens with client credentials for every request, and logs each run. */
const GETS_TOKENS = `
import { once } from "node:events";
import { appendFileSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { text } from "node:stream/consumers";
const { ORGSYNC_SCOPES: scope, ORGSYNC_ORGANIZATION: organization, ORGSYNC_SUBJECT: subject } = process.env;
const [, , tokenUrl, primary, secretFile, log] = process.argv;
appendFileSync(log, [scope, organization, subject].join("|") + "\\n");
const bound = organization === "" ? "" : organization === primary ? "primary" : "other";
const partner = subject === "svc-partner" ? "partner" : "";
const id = [partner, bound].filter(Boolean).join("-") || "service";
const secret = readFileSync(secretFile, "utf8").trim();
// Not with fetch, which takes longer to load than everything else here.
const asked = request(tokenUrl, {
  method: "POST",
  auth: id + ":" + secret,
  headers: { "content-type": "application/x-www-form-urlencoded" },
});
asked.end(String(new URLSearchParams({ grant_type: "client_credentials", scope })));
const [response] = await once(asked, "response");
if (response.statusCode !== 200) process.exit(3);
console.log(JSON.parse(await text(response)).access_token);
`;

test("a receiver is judged with the tokens of a command, and each token is obtained once", async () => {
  const reference = await startReference({ jwks: BUNDLED_JWKS, authorizationServer: "alone" });
  onTestFinished(() => reference.close());
  const { authorizationServer, organizations, ...profile } = reference.profile;
  const { issuer } = authorizationServer as { issuer: string };
  const { primary } = organizations as { primary: string };
  const { argv, folder } = scripted(GETS_TOKENS);
  const secretFile = `${packageRoot}/keys/client-secret`;
  const script = join(folder, "get-token.mjs");
  const command = [argv[0], script, `${issuer}/token`, primary, secretFile, join(folder, "log")];
  const { finished, results } = await runAgainst(
    { ...profile, organizations, tokens: { command } },
    {
      // A read and a write: each token takes a process.
      patterns: [
        "receiver.{scope,binding,local-policy,signature}/*@{viewOrganization,editOrganization}",
      ],
    },
  );
  expect(finished.suiteErrors).toEqual([]);
  expect(rulesWith(results, "fail", "warn", "inconclusive")).toEqual([]);
  expect(rulesWith(results, "pass")).toEqual([
    "receiver.signature",
    "receiver.scope",
    "receiver.binding",
    "receiver.local-policy",
  ]);
  const asked = readFileSync(join(folder, "log"), "utf8").trim().split("\n");
  expect(new Set(asked).size).toBe(asked.length);
  // It is unknown which issuer's keys verify them.
  const confused = results.find(({ id }) => id.startsWith("receiver.signature/hs256-spki-pem@"));
  expect(confused?.missing).toEqual(["authorizationServer"]);
});
