import { describe, expect, it } from "vitest";

import { certify, SuiteError } from "../../src/index.ts";
import { ERROR_CODES } from "../../src/lib/errors.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import { packageText } from "../support/package-text.ts";

async function errorOf(act: Promise<unknown>): Promise<SuiteError> {
  const error: unknown = await act.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof SuiteError) return error;
  throw new Error("no SuiteError was thrown", { cause: error });
}

describe("errors", () => {
  it("have the codes that docs/library.md documents, and no others", () => {
    const page = packageText("docs/library.md");
    const documented = [...page.matchAll(/^\| `(ERR_\w+)`/gm)].map(([, code]) => code);
    expect(documented).toEqual(ERROR_CODES);
  });

  it("show by their code what is wrong", async () => {
    const codes = await Promise.all(
      [
        {},
        { baseUrl: "https://sync.example.com" },
        { profile: { baseUrl: "http://127.0.0.1:9", openapi: "./package.json" }, cwd: packageRoot },
        { baseUrl: "http://127.0.0.1:9", patterns: ["no.such.rule"] },
        { baseUrl: "http://127.0.0.1:9", seed: 1 },
      ].map(async (options) => (await errorOf(certify(options))).code),
    );
    expect(codes).toEqual([
      "ERR_PROFILE",
      "ERR_KEYS",
      "ERR_DOCUMENT",
      "ERR_NO_MATCH",
      "ERR_TARGET_UNREACHABLE",
    ]);
  });

  it("list every problem of a profile", async () => {
    const profile = { baseUrl: "nowhere", writes: "perhaps" };
    const { code, problems, message } = await errorOf(certify({ profile }));
    expect(code).toBe("ERR_PROFILE");
    expect(problems).toHaveLength(2);
    for (const problem of problems) expect(message).toContain(problem);
  });
});
