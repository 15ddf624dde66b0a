import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";

import { badge } from "../../src/report/badge.ts";
import type { Report } from "../../src/report/report.ts";
import { reportOf, result } from "./events.ts";

interface Read {
  readonly title: string;
  readonly words: string;
  readonly fill: string;
}

function read(report: Report): Read {
  const source = badge.render(report);
  expect(XMLValidator.validate(source)).toBe(true);
  const { svg } = new XMLParser({ ignoreAttributes: false }).parse(source) as {
    svg: {
      title: string;
      "@_aria-label": string;
      "@_role": string;
      g: [{ rect: { "@_fill": string }[] }, { text: { "#text": string }[] }];
    };
  };
  expect(svg).toMatchObject({ "@_role": "img", "@_aria-label": svg.title });
  const [shapes, labels] = svg.g;
  return {
    title: svg.title,
    words: labels.text[1]?.["#text"] ?? "",
    fill: shapes.rect[1]?.["@_fill"] ?? "",
  };
}

const report = (more: Partial<Report>): Report => ({ ...reportOf([result("one")]), ...more });
const GREEN = "#24704a";

describe("badge.svg", () => {
  it("is green only for a conformant deployment", () => {
    expect(read(report({ verdict: "conformant" }))).toMatchObject({
      words: "conformant",
      fill: GREEN,
    });
    const others: Partial<Report>[] = [
      { verdict: "non-conformant" },
      { verdict: "incomplete" },
      { verdict: "partial" },
      { verdict: "conformant", suiteErrors: ["boom"] },
      { verdict: "conformant", interrupted: true },
    ];
    for (const one of others) expect(read(report(one)).fill).not.toBe(GREEN);
  });

  it("says how much was judged for a partial verdict", () => {
    const partial = report({ verdict: "partial", coverage: { judged: 640, total: 899 } });
    expect(read(partial).words).toBe("partial: 640 of 899 MUST cases");
  });

  it("names in its title the target, the time and the rule set", () => {
    const { target } = report({});
    const deployment = { name: `<b>"acme" & co</b>\u202E`, version: "4.2.0" };
    const shown = read(report({ target: { ...target, deployment }, verdict: "conformant" }));
    expect(shown.title).toContain("4.2.0: conformant; ");
    expect(shown.title).toContain("2025-01-01; orgsync-conformance 0.1.0, requirements 1.0.0");
    expect(shown.title).not.toContain("\u202E");
  });
});
