import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { startReference } from "../../src/reference/index.ts";
import { REPORTERS } from "../../src/report/index.ts";
import { command, createIo } from "../cli/io.ts";
import { reportProblems } from "../report/schema.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";
import { jwtSegmentsIn } from "../support/segments.ts";
import { describedClients, SECRET } from "./judge.ts";
import { smallServer } from "./small-server.ts";

/** A part of a secret of this length counts as a leak. */
const PIECE = 12;

test("the output of run, doctor, token and replay contains no token, code, verifier or secret", async () => {
  let baseUrl = "";
  const server = await smallServer(SECRET, () => baseUrl, {
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
      clients: describedClients(),
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
  await run("run", "--dry-run", "--rule", "authorization-server.*");
  await run("replay", "out/report.json", "receiver.signature/forged@viewOrganization");
  for (const file of readdirSync(join(io.cwd, "out"))) {
    outputs.set(file, readFileSync(join(io.cwd, "out", file), "utf8"));
  }
  expect(outputs.size).toBeGreaterThan(8);
  // A wrong secret that is tried begins like the right one.
  const secrets = [SECRET, SECRET.slice(0, PIECE), ...server.secrets];
  expect(secrets.length).toBeGreaterThan(40);
  const leaking = [...outputs].filter(
    ([, text]) =>
      jwtSegmentsIn(text).length > 0 || secrets.some((one) => text.includes(one.slice(-PIECE))),
  );
  expect(leaking.map(([name]) => name)).toEqual([]);
  expect(reportProblems(JSON.parse(outputs.get("report.json") ?? ""))).toEqual([]);
});
