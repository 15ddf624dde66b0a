import { createHash } from "node:crypto";

import { itemIf } from "../lib/group-by.ts";
import { newFailures, openCases } from "./groups.ts";
import { caseData, cases } from "./html/cases.ts";
import { failures, warned, warnings } from "./html/failures.ts";
import { pageOf, type Section } from "./html/frame.ts";
import { html as template } from "./html/markup.ts";
import { matrix } from "./html/matrix.ts";
import { packParts, packSections, packVerdicts } from "./html/packs.ts";
import { blocked, inapplicable, notices, observations } from "./html/sections.ts";
import { VERDICTS, verdict } from "./html/verdict.ts";
import { reportJson } from "./json.ts";
import { casesOf, type Report, type Reporter } from "./report.ts";

/** A self-contained page: no network, and no script for verdict, failures and matrix. */
export const html: Reporter = { file: "report.html", render: page };

function page(report: Report): string {
  const { target, suite } = report;
  // None when a run ended before its first case.
  const some = casesOf(report).length > 0;
  const fingerprint = createHash("sha256").update(reportJson(report)).digest("hex");
  return pageOf({
    title: `${VERDICTS[report.verdict].words}: ${target.baseUrl}`,
    styles: ["page.css"],
    script: some ? "page.js" : undefined,
    sections: sections(report, some),
    head: template`<p>${suite.name}</p>
<h1>Conformance of <code>${target.baseUrl}</code></h1>`,
    main: template`${verdict(report, fingerprint)}${packVerdicts(report)}${notices(report)}${failures(report)}${blocked(report)}
${warnings(report)}${some && matrix(report)}${some && cases(report)}${inapplicable(report)}${observations(report)}${packParts(report)}`,
    data: some && caseData(report),
  });
}

function sections(report: Report, some: boolean): readonly Section[] {
  const failed = newFailures(report).length > 0;
  const isBlocked = openCases(report).length > 0;
  return [
    { id: "verdict", name: "Verdict" },
    ...itemIf(failed, { id: "failures", name: "Failures" }),
    ...itemIf(isBlocked, {
      id: "blocked",
      name: report.verdict === "incomplete" ? "What blocks" : "Not judged",
    }),
    ...itemIf(warned(report).length > 0, { id: "warnings", name: "Warnings" }),
    ...itemIf(some, { id: "matrix", name: "Matrix" }),
    ...itemIf(some, { id: "cases", name: "Cases" }),
    ...itemIf(report.observations.length > 0, { id: "observations", name: "Observations" }),
    ...packSections(report),
  ];
}
