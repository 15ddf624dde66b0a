import { expect, test } from "vitest";

import { annotations } from "../../src/report/annotations.ts";
import { REPORTERS } from "../../src/report/index.ts";
import type { Report } from "../../src/report/report.ts";
import { summary } from "../../src/report/terminal.ts";
import { reportOf, result } from "./events.ts";
import { reportProblems } from "./schema.ts";

const TEXT =
  "Partial. No MUST that was judged is violated, but part of the contract was left out. 1 of 900 MUST cases of the contract was judged: only receiver.expiry was selected.";
const GREEN = "\u001B[32m";

const partial = ofVerdict("partial", TEXT);
const conformant = ofVerdict("conformant", "Conformant. Every MUST that applies holds.");

function ofVerdict(verdict: "partial" | "conformant", verdictText: string): Report {
  return reportOf([result("hour-ago@viewOrganization", { outcome: "pass" })], {
    verdict,
    verdictText,
    partialBecause: verdict === "partial" ? ["only receiver.expiry was selected"] : [],
    coverage: { judged: 1, total: verdict === "partial" ? 900 : 1 },
  });
}

async function rendered(format: string, report: Report): Promise<string> {
  const reporter = await REPORTERS.get(format)?.();
  return reporter?.render(report) ?? "";
}

function verdictLine(report: Report): string {
  const text = summary(report, { columns: 100, color: true });
  return text.split("\n").find((line) => /Partial|Conformant/.test(line)) ?? "";
}

test("a report with a partial verdict is valid, and states how much was judged", () => {
  expect(reportProblems(partial)).toEqual([]);
  expect(partial).toMatchObject({
    verdict: "partial",
    partial: true,
    scope: { sides: ["receiver"], operations: ["viewOrganization"] },
    coverage: { judged: 1, total: 900 },
  });
});

test("the terminal shows conformant in green, and partial in another colour", () => {
  expect(verdictLine(conformant)).toContain(GREEN);
  expect(verdictLine(partial)).toContain("Partial");
  expect(verdictLine(partial)).not.toContain(GREEN);
});

test("the page shows partial without the colour and the symbol of conformant", async () => {
  const section = /<section class="verdict ([\w-]+)"/;
  expect(section.exec(await rendered("html", conformant))?.[1]).toBe("pass");
  const page = await rendered("html", partial);
  expect(section.exec(page)?.[1]).toBe("not-provisioned");
  expect(page).toMatch(/<title>Partial: /);
  expect(page).toContain("<b>1</b> of 900 MUST cases");
});

test("JUnit adds a skipped test", async () => {
  const counts = /<testsuites [^>]*tests="(\d)"[^>]* skipped="(\d)"/;
  expect(counts.exec(await rendered("junit", partial))?.slice(1)).toEqual(["2", "1"]);
  expect(counts.exec(await rendered("junit", conformant))?.slice(1)).toEqual(["1", "0"]);
});

test.each([
  ["junit", `<skipped message="${TEXT}"/>`, 'name="MUST cases judged" value="1 of 900"'],
  ["markdown", "## orgsync-conformance: partial", "1 of 900 MUST cases"],
  ["har", TEXT],
])("%s says what was judged", async (format, ...parts) => {
  const text = await rendered(format, partial);
  for (const part of parts) expect(text).toContain(part);
});

test("GitHub gets a notice", () => {
  expect(annotations(partial)).toBe(`::notice title=Partial::${TEXT}\n`);
  expect(annotations(conformant)).toBe("");
});
