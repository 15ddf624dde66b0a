import { describe, expect, it } from "vitest";

import { phrase } from "../../src/probe/phrase.ts";
import { html } from "../../src/report/html.ts";
import { markdown } from "../../src/report/markdown.ts";
import { summary } from "../../src/report/terminal.ts";
import { reportOf, result } from "./events.ts";
import { reportProblems } from "./schema.ts";

const report = reportOf([result("a@viewOrganization")], {
  facts: [
    {
      rule: "receiver.expiry",
      accepts: phrase`a token ${"7,199 s"} after \`exp\``,
      refuses: phrase`one ${"7,200 s"} after it`,
    },
    {
      rule: "receiver.expiry",
      operation: "editOrganization",
      accepts: phrase`a <b>token</b>`,
      refuses: phrase`nothing`,
    },
  ],
  diagnoses: [
    {
      fault: "expiry-tolerance-long",
      rule: "receiver.expiry",
      behaves: "accepts a token long after `exp`, up to a limit",
      look: "The tolerance is too large.",
    },
  ],
});
const LINE =
  "The deployment accepts a token 7,199 s after `exp`, and refuses one 7,200 s after it.";

describe("what a run shows by itself", () => {
  it("is in the JSON report as text, and its schema knows it", () => {
    expect(report.facts?.[0]).toEqual({
      rule: "receiver.expiry",
      accepts: "a token 7,199 s after `exp`",
      refuses: "one 7,200 s after it",
    });
    expect(reportProblems(JSON.parse(JSON.stringify(report)))).toEqual([]);
  });

  it.each([
    ["the terminal", summary(report, { columns: 200, color: false })],
    ["Markdown", markdown.render(report).replaceAll(/`([\d,]+)`/g, "$1")],
    ["the page", html.render(report).replaceAll(/<\/?code>/g, "`")],
  ])("stands before the diagnosis in %s", (_where, text) => {
    expect(text).toContain(LINE);
    expect(text.indexOf(LINE)).toBeLessThan(text.search(/behaves like/i));
    expect(text).toMatch(/PATCH `?\/orgs\/\{orgId\}/);
  });

  it("is escaped in the page", () => {
    expect(html.render(report)).not.toContain("<b>token</b>");
  });
});
