import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { startReference } from "../../src/reference/index.ts";
import { REPORTERS } from "../../src/report/index.ts";
import { command, createIo } from "../cli/io.ts";
import { reportProblems } from "../report/schema.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";
import { jwtSegmentsIn } from "../support/segments.ts";
import { CONSENT_COMMAND } from "./clients.ts";
import { smallServer } from "./small-server.ts";

const SECRET_FILE = `${packageRoot}/keys/client-secret`;

/** A part of a secret of this length counts as a leak. */
const PIECE = 12;

test("the output of run, doctor, token and replay contains no token, code, verifier or secret", async () => {
  let baseUrl = "";
  const secret = readFileSync(SECRET_FILE, "utf8").trim();
  const server = await smallServer(secret, () => baseUrl, {
    codesTwice: true,
    noPkce: true,
    pushed: "required",
  });
  const reference = await startReference({ jwks: BUNDLED_JWKS, trusts: server });
  onTestFinished(() => reference.close());
  ({ baseUrl } = reference);
  const io = createIo();
  const profile = {
    ...reference.profile,
    testIssuer: false,
    denied: undefined,
    authorizationServer: {
      issuer: server.issuer,
      probes: true,
      clients: {
        service: {
          flow: "client_credentials",
          id: "service",
          secretFile: SECRET_FILE,
          authentication: "client_secret_post",
        },
        web: {
          flow: "authorization_code",
          id: "web",
          secretFile: SECRET_FILE,
          scopes: ["org:read", "org.changes:read"],
          redirectUri: "http://127.0.0.1:0/callback",
          consent: CONSENT_COMMAND,
        },
      },
    },
  };
  writeFileSync(join(io.cwd, "orgsync.yaml"), JSON.stringify(profile));
  const formats = [...REPORTERS.keys()].flatMap((format) => ["--report", format]);
  const outputs = new Map<string, string>();
  const run = async (...args: string[]): Promise<number> => {
    const { code, out, err } = await command(args, Object.assign(createIo(), { cwd: io.cwd }));
    outputs.set(args.join(" "), `${out}\n${err}`);
    return code;
  };
  // The two faults cause failures, so that the test also searches what is shown of failures.
  expect(await run("run", "--out", "out", ...formats)).toBe(1);
  await run("doctor");
  await run("token", "--client", "web");
  await run("run", "--dry-run");
  await run("replay", "out/report.json", "receiver.signature/forged@viewOrganization");
  for (const file of readdirSync(join(io.cwd, "out"))) {
    outputs.set(file, readFileSync(join(io.cwd, "out", file), "utf8"));
  }
  expect(outputs.size).toBeGreaterThan(8);
  // A wrong secret that is tried begins like the right one.
  const secrets = [secret, secret.slice(0, PIECE), ...server.secrets];
  expect(secrets.length).toBeGreaterThan(40);
  const leaking = [...outputs].filter(
    ([, text]) =>
      jwtSegmentsIn(text).length > 0 || secrets.some((one) => text.includes(one.slice(-PIECE))),
  );
  expect(leaking.map(([name]) => name)).toEqual([]);
  expect(reportProblems(JSON.parse(outputs.get("report.json") ?? ""))).toEqual([]);
});
