import { expect, test } from "vitest";

import { certify } from "../../src/index.ts";
import { documentedReceiver } from "../cli/servers.ts";

test("many runs with one signal, and many waiting requests, cause no warning", async () => {
  const { profile } = await documentedReceiver();
  const warnings: string[] = [];
  const listen = ({ name, message }: Error): number => warnings.push(`${name}: ${message}`);
  process.on("warning", listen);
  try {
    const { signal } = new AbortController();
    const patterns = ["receiver.token-required/missing@viewOrganization"];
    await Promise.all(Array.from({ length: 12 }, () => certify({ profile, patterns, signal })));
    await certify({
      profile: { ...profile, request: { maxRequestsPerSecond: 200 } },
      patterns: ["receiver.token-required"],
      concurrency: 20,
      signal,
    });
    // Warnings are emitted in a turn of their own.
    await new Promise((done) => setImmediate(done));
  } finally {
    process.off("warning", listen);
  }
  expect(warnings).toEqual([]);
});
