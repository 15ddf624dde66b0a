import { appendFileSync } from "node:fs";
import { test } from "vitest";
import { FAULTS, VARIANTS } from "../../src/reference/index.ts";
import { runAgainstReference } from "../support/run-against.ts";
process.env["DOC_ALL"] = "1";
const out = "/tmp/doc/all.txt";
test("variants", async () => {
  for (const { name } of VARIANTS) {
    try {
    const { results } = await runAgainstReference({ variants: [name] }, { patterns: ["document.*", "resources.*", "errors.not-found"] });
    const bad = results.filter(r => r.rule.startsWith("document.") && ["fail","warn","inconclusive","not-provisioned"].includes(r.outcome));
    for (const r of bad) appendFileSync(out, `VARIANT ${name}: ${r.outcome} ${r.id}: ${r.reason ?? r.actual}\n`);
    } catch (e) { appendFileSync(out, `VARIANT ${name}: threw ${e}\n`); }
  }
  for (const { name, rule } of FAULTS) {
    try {
    const { results } = await runAgainstReference({ faults: [name] }, { patterns: [rule, "document.*"] });
    const bad = results.filter(r => r.rule.startsWith("document.") && ["fail","warn"].includes(r.outcome));
    for (const r of bad) appendFileSync(out, `FAULT ${name} (${rule}): ${r.outcome} ${r.id}: ${r.reason ?? r.actual}\n`);
    } catch (e) { appendFileSync(out, `FAULT ${name}: threw ${e}\n`); }
  }
  appendFileSync(out, "done\n");
}, 3600_000);
