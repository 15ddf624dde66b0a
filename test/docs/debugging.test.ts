import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
// oxlint-disable-next-line no-unassigned-import -- the script needs the build
import "../support/built.ts";

test("docs/debugging.md and docs/debugging-own.md show what their commands print, except the long ones", async () => {
  const script = `${packageRoot}/scripts/debugging.mjs`;
  const ended = await promisify(execFile)(process.execPath, [script, "--check"]).catch(
    (error: { stderr: string; code: unknown }) => error,
  );
  expect(ended).toMatchObject({ stderr: "" });
  expect(ended).not.toHaveProperty("code");
});
