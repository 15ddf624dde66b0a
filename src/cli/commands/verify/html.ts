import type { CheckedAttestation } from "../../../attest/check.ts";
import { counted } from "../../../lib/words.ts";
import { pageOf } from "../../../report/html/frame.ts";
import { type Content, html, type Markup } from "../../../report/html/markup.ts";
import { factList, sign } from "../../../report/html/parts.ts";
import type { WholeReport } from "../../../report/read-report.ts";
import type { Verification } from "../../../verify/verification.ts";
import { liveConclusion, powerOf, validity } from "./page.ts";
import type { LiveComparison } from "./sample.ts";
import { about, answer, reasons, toldAndLive } from "./verification-page.ts";

export interface Checked {
  readonly whole: WholeReport;
  readonly verification: Verification;
  readonly attestation: CheckedAttestation | undefined;
  readonly live: LiveComparison | undefined;
}

const MOST_SHOWN = 200;

/** The result of `verify` as a self-contained page: the answer, the chain from profile to signature, and what was judged again. */
export function checkedHtml(checked: Checked): string {
  const {
    whole: { report },
    verification,
    live,
  } = checked;
  const { words, like, text } = answer(report, verification, live);
  return pageOf({
    title: `${words}: ${report.target.baseUrl}`,
    styles: ["page.css"],
    sections: [
      { id: "verdict", name: "Answer" },
      { id: "chain", name: "Chain" },
      { id: "judged", name: "Judged again" },
    ],
    head: html`<p>${report.suite.name}</p>
      <h1>Verification of a report of <code>${report.target.baseUrl}</code></h1>`,
    main: html`<section class="verdict ${like}" aria-labelledby="verdict">
        <h2 id="verdict">${sign(like)} ${words}</h2>
        <p class="lead">${text}</p>
        ${factList(about(report))}
      </section>
      ${differences(live)}${chain(checked)}${discrepancies(verification)}${judged(checked)}`,
  });
}

function differences(live: LiveComparison | undefined): Content {
  if (live === undefined || live.others.length === 0) return undefined;
  return html`<section aria-labelledby="differences">
    <h2 id="differences">What the deployment does otherwise</h2>
    <ul>
      ${live.others.map((one) => html`<li><code>${one.case}</code>: ${toldAndLive(one)}</li>`)}
    </ul>
  </section>`;
}

/** Each link is bound to the one before it by a digest, or it is said to be missing. */
function chain({ whole: { report, sha256 }, verification, attestation }: Checked): Markup {
  const { target, suite, startedAt } = report;
  const judgedBy = `judged ${startedAt} by ${suite.name} ${suite.version}, rule set ${suite.requirements}`;
  return html`<section aria-labelledby="chain">
    <h2 id="chain">From profile to signature</h2>
    ${factList([
      [
        "Profile",
        target.profile === undefined
          ? "its digest is not in the report"
          : html`digest <code>${target.profile}</code>, in the report`,
      ],
      [
        "Report",
        html`SHA-256 <code>${sha256}</code>, ${judgedBy}:
          ${verification.consistent ? "it follows from its evidence" : "it does not follow from its evidence"}`,
      ],
      [
        "Statement",
        attestation === undefined
          ? "none was given"
          : `${attestation.result}: it names that SHA-256, and says what the report says. ${validity(report)}`,
      ],
      [
        "Signature",
        attestation === undefined
          ? "none was given: nobody vouches for the report"
          : html`with the key <code>${attestation.signedBy}</code>, which is in the key set that was
              given`,
      ],
    ])}
  </section>`;
}

function discrepancies({ discrepancies: all }: Verification): Content {
  if (all.length === 0) return undefined;
  return html`<section aria-labelledby="discrepancies">
    <h2 id="discrepancies">What does not follow</h2>
    <ul>
      ${all
        .slice(0, MOST_SHOWN)
        .map(
          ({ where, case: id, what }) =>
            html`<li>
              <code>${id ?? where}</code>${id !== undefined && html` <small>${where}</small>`}:
              ${what}
            </li>`,
        )}
    </ul>
    ${all.length > MOST_SHOWN && html`<p>and ${all.length - MOST_SHOWN} more</p>`}
  </section>`;
}

function judged({ verification, live }: Checked): Markup {
  const { judgedAgain, unjudged, cases, taken } = verification;
  return html`<section aria-labelledby="judged">
    <h2 id="judged">Judged again</h2>
    <p>
      ${judgedAgain} of ${counted(cases, "case")} were judged again. ${unjudged} have no judgement,
      as the report says. The others were not re-checked:
    </p>
    <ul>
      ${reasons(taken).map(
        ({ why, live: help, cases: n, rules }) =>
          html`<li>
            ${counted(n, "case")}, because ${why}; --live ${help}: <small>${rules}</small>
          </li>`,
      )}
    </ul>
    <p>
      ${live === undefined ? "The deployment was not asked. Only --live shows whether the report is true." : `${liveConclusion(live)} ${powerOf(live)}`}
    </p>
  </section>`;
}
