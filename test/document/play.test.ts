import { appendFileSync } from "node:fs";

import { test } from "vitest";

import { FAULTS } from "../../src/reference/index.ts";
import { runAgainstReference } from "../support/run-against.ts";
process.env["DOC_ALL"] = "1";
const out = "/tmp/doc/all.txt";
test("variants", async () => {
  for (const { name, rule } of FAULTS) {
    try {
      const { results } = await runAgainstReference(
        { faults: [name] },
        { patterns: [rule, "document.*"] },
      );
      appendFileSync("/tmp/doc/progress.txt", name + "\n");
      const bad = results.filter(
        (r) => r.rule.startsWith("document.") && ["fail", "warn"].includes(r.outcome),
      );
      for (const r of bad)
        appendFileSync(
          out,
          `FAULT ${name} (${rule}): ${r.outcome} ${r.id}: ${r.reason ?? r.actual}\n`,
        );
    } catch (e) {
      appendFileSync(out, `FAULT ${name}: threw ${e}\n`);
    }
  }
  appendFileSync(out, "done\n");
}, 3600_000);
