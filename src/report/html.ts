import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { fixturePath } from "../lib/package-root.ts";
import { caseData, cases } from "./html/cases.ts";
import { failures } from "./html/failures.ts";
import { type Content, html as template, toSource, unmarked, verbatim } from "./html/markup.ts";
import { matrix } from "./html/matrix.ts";
import { notices } from "./html/notices.ts";
import { observations } from "./html/observations.ts";
import { VERDICTS, verdict } from "./html/verdict.ts";
import { reportJson } from "./json.ts";
import type { Report } from "./report.ts";
import type { Reporter } from "./reporter.ts";

/** One page that needs nothing but itself: no network, and no script to read the verdict, the failures and the matrix. */
export const html: Reporter = { file: "report.html", render: page };

function page(report: Report): string {
  const style = readFileSync(fixturePath("html", "page.css"), "utf8");
  const script = readFileSync(fixturePath("html", "page.js"), "utf8");
  const policy = [
    "default-src 'none'",
    `style-src ${digest(style)}`,
    `script-src ${digest(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
  const { target, suite } = report;
  return toSource(template`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${verbatim(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${unmarked(`${VERDICTS[report.verdict].words}: ${target.baseUrl}`)}</title>
<style>${verbatim(style)}</style>
</head>
<body>
<nav class="skip" aria-label="Skip to">${skipLinks(report)}</nav>
<header>
<p>${suite.name}</p>
<h1>Conformance of <code>${target.baseUrl}</code></h1>
</header>
<main>
${verdict(report, fingerprint(report))}${notices(report)}${failures(report)}
${anyCase(report) && [matrix(report), cases(report)]}${observations(report)}</main>
${anyCase(report) && [caseData(report), template`<script type="module">${verbatim(script)}</script>`]}
</body>
</html>
`);
}

/** False where a run ended before its first case. */
function anyCase({ rules }: Report): boolean {
  return rules.some(({ cases: some }) => some.length > 0);
}

function skipLinks(report: Report): Content {
  const links = [
    ["verdict", "Verdict"],
    ...(report.rules.some(({ outcome }) => outcome === "fail") ? [["failures", "Failures"]] : []),
    ...(anyCase(report)
      ? [
          ["matrix", "Matrix"],
          ["cases", "Cases"],
        ]
      : []),
    ...(report.observations.length > 0 ? [["observations", "Observations"]] : []),
  ];
  return links.map(([id, text]) => template`<a href="#${id}">${text}</a> `);
}

/** SHA-256 of the `report.json` that the page is made of, in hexadecimal digits. */
function fingerprint(report: Report): string {
  return createHash("sha256").update(reportJson(report)).digest("hex");
}

function digest(source: string): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
}
