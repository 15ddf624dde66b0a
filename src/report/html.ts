import { createHash } from "node:crypto";

import { newFailures } from "./groups.ts";
import { caseData, cases } from "./html/cases.ts";
import { failures, warnings } from "./html/failures.ts";
import { pageOf, type Section } from "./html/frame.ts";
import { html as template } from "./html/markup.ts";
import { matrix } from "./html/matrix.ts";
import { notices, observations, unjudged } from "./html/sections.ts";
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
    main: template`${verdict(report, fingerprint)}${notices(report)}${some && matrix(report)}
${failures(report)}${warnings(report)}${unjudged(report)}${some && cases(report)}${observations(report)}`,
    data: some && caseData(report),
  });
}

function sections(report: Report, some: boolean): readonly Section[] {
  const failed = newFailures(report).length > 0;
  return [
    { id: "verdict", name: "Verdict" },
    ...(some ? [{ id: "matrix", name: "Matrix" }] : []),
    ...(failed ? [{ id: "failures", name: "Failures" }] : []),
    ...(some ? [{ id: "cases", name: "Cases" }] : []),
    ...(report.observations.length > 0 ? [{ id: "observations", name: "Observations" }] : []),
  ];
}
