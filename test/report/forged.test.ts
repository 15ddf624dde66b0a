import { XMLValidator } from "fast-xml-parser";
import { describe, expect, it, test } from "vitest";

import { phrase } from "../../src/probe/phrase.ts";
import { annotations } from "../../src/report/annotations.ts";
import { html as page } from "../../src/report/html.ts";
import { junit } from "../../src/report/junit.ts";
import { markdown } from "../../src/report/markdown.ts";
import type { Report } from "../../src/report/report.ts";
import { storedReport } from "../../src/report/stored.ts";
import { exchange, reportOf, result } from "./events.ts";
import { html, outsideCode, tags } from "./rendered.ts";

/** Ids and other short texts with which a forged report could inject content. */
const FORGED = [
  "receiver.x\n::error title=forged::forged",
  "a::stop-commands::forged",
  'a"/><testcase name="forged"/><x a="',
  "a]]></failure></testcase><testcase name='forged'/>",
  "</script><script>forged()</script>",
  '"><img src=x onerror=forged()>',
  "x` @everyone [forged](javascript:forged()) <b>",
  "a|b|forged\n# forged\n",
  "\u001B[2Jforged\u202E",
];

function count(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}

/** The report of a run with one text in place of every id and every short text that a run makes itself. */
function forgedReport(text: string): Report {
  const cases = ["fail", "warn", "inconclusive", "pass"] as const;
  const report = reportOf(
    cases.map((outcome) =>
      result(`${outcome}${text}`, {
        outcome,
        reason: phrase`${text}`,
        evidence: { probes: [`x${text}`], controls: [`y${text}`], differences: [] },
      }),
    ),
    {
      observations: [{ id: text, title: text, value: phrase`${text}` }],
      diagnoses: [{ fault: text, rule: "receiver.expiry", behaves: text, look: text }],
    },
    [exchange(`x${text}`, { caseId: text }), exchange(`y${text}`, { caseId: text })],
  );
  return {
    ...report,
    suite: { ...report.suite, version: text, requirements: text },
    target: { ...report.target, baseUrl: text, audience: text, issuer: text, algorithm: text },
    startedAt: text,
    rules: report.rules.map((rule) => ({ ...rule, id: `${rule.id}${text}`, clause: text })),
    baseline: {
      file: text,
      known: [{ case: text, reason: text }],
      unknown: [text],
      stale: [{ case: text, why: text }],
    },
  };
}

describe.each(FORGED)("a report whose ids are %j", (text) => {
  const report = forgedReport(text);

  it("creates no GitHub command", () => {
    const lines = annotations(report).split("\n").slice(0, -1);
    const honest = annotations(forgedReport("plain")).split("\n").slice(0, -1);
    expect(lines).toHaveLength(honest.length);
    for (const line of lines)
      expect(line).toMatch(/^::(error|warning) title=[^:,\p{C}]+::\P{C}+$/u);
  });

  it("creates no JUnit case", () => {
    const xml = junit.render(report);
    expect(XMLValidator.validate(xml)).toBe(true);
    expect(count(/<testcase\b/g, xml)).toBe(
      count(/<testcase\b/g, junit.render(forgedReport("plain"))),
    );
  });

  it("creates no Markdown tag, link, heading or mention", () => {
    const shown = html(markdown.render(report));
    const honest = html(markdown.render(forgedReport("plain")));
    expect(tags(shown).filter((tag) => !tags(honest).includes(tag))).toEqual([]);
    expect(outsideCode(shown)).not.toMatch(/@everyone|javascript:|forged\(/);
    expect(count(/<h\d/g, shown)).toBe(count(/<h\d/g, honest));
  });

  it("creates no HTML element", () => {
    const shown = page.render(report);
    expect(count(/<script\b/gi, shown)).toBe(
      count(/<script\b/gi, page.render(forgedReport("plain"))),
    );
    expect(shown).not.toMatch(/<img\b/i);
    // oxlint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\u001B\u202E]/);
  });
});

test.each(FORGED.filter((text) => /[\s\p{C}]/u.test(text)))(
  "a stored report with the id %j is refused",
  (text) => {
    const json: unknown = JSON.parse(JSON.stringify(forgedReport(text)));
    expect(storedReport(json)).toMatch(/is not an id$/);
  },
);
