import { OUTCOMES } from "../../src/engine/events.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Report } from "../../src/report/report.ts";
import { exchange, reportOf, result, withBaseline } from "./events.ts";

/** Answers that may harm the reader of a report. */
export const HOSTILE: readonly string[] = [
  "<script>alert(1)</script><img src=x onerror=alert(1)>",
  "]]><failure/><!-- --><![CDATA[",
  "\u001B[2J\u001B]0;pwned\u0007\u009B31m",
  Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join(""),
  "\u007F\uFFFE\uFFFF\u{1FFFE} half \uD83D pair \uDC00",
  "\u202Eevil\u2066\u200B\u2028\u2029",
  "` `` ``` ```` ~~~ `code",
  "::error::pwned\n::stop-commands::x\n##[error]pwned",
  "word ".repeat(19) + "::stop-commands::pwned ##[set-output name=a]b",
  "@everyone #1 GH-1 org/repo#1 www.example.com https://example.com a@example.com deadbeef0123",
  "[link](javascript:alert(1)) ![image](http://h/i.png) [ref]: http://h",
  "# heading\n> quote\n- item\n1. one\n| a | b |\n| - | - |\n---\n***bold*** _em_ ~~s~~ $x$ :smile: &lt;",
  "1. first",
  "\"quotes\" 'single' &amp; %0A %25 a,b:c",
];

/** What is kept of a message when it is recorded, in characters. */
const RECORDED = 4096;

/** A report in which every text that can come from a target is hostile. */
export function hostileReport(texts: readonly string[] = HOSTILE): Report {
  const results = texts.flatMap((text, index) =>
    OUTCOMES.map((outcome) =>
      result(`${outcome}-${index}@viewOrganization`, {
        outcome,
        title: text,
        reason: phrase`${text}`,
        expected: phrase`${text}`,
        actual: phrase`${text}`,
        missing: [text],
        evidence: {
          probes: [`x${index}`],
          differences: [{ part: "claim", name: text, control: text, probe: text }],
        },
      }),
    ),
  );
  const exchanges = texts.map((whole, index) => {
    const text = whole.slice(0, RECORDED);
    return exchange(`x${index}`, {
      request: {
        method: "POST",
        url: `http://h/${text}?q=${text}`,
        headers: [["x", text]],
        body: text,
      },
      response: { status: 200, headers: { location: text }, body: text, truncated: false },
    });
  });
  const text = texts.join(" ");
  const report = reportOf(
    results,
    {
      verdictText: text,
      observations: texts.map((value, index) => ({
        id: `o${index}`,
        title: value,
        value: phrase`${value}`,
      })),
      setup: texts.map((problem) => ({ problem, remedy: problem })),
      diagnoses: texts.map((behaves) => ({ fault: "f", rule: "r", behaves, look: behaves })),
      suiteErrors: texts,
    },
    exchanges,
  );
  const known = { case: "receiver.expiry/fail-1@viewOrganization", reason: text };
  const stale = texts.map((why) => ({ case: why, why }));
  return withBaseline(report, { file: text, known: [known], unknown: texts, stale });
}

/** The same with one text of ten million characters. */
export function hugeReport(): Report {
  return hostileReport(["x ".repeat(5_000_000)]);
}
