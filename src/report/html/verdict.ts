import { LEVELS } from "../../contract/levels.ts";
import { type Exclusion, OUTCOMES, type Outcome, type Verdict } from "../../engine/events.ts";
import { capitalized } from "../../lib/words.ts";
import { counted } from "../../lib/words.ts";
import { newFailures, sumOf, totals } from "../groups.ts";
import { deploymentText, took } from "../layout.ts";
import type { Report } from "../report.ts";
import { checks } from "./checks.ts";
import { causeOf } from "./failures.ts";
import { linkTo } from "./links.ts";
import { type Content, html, type Markup } from "./markup.ts";
import { sign } from "./outcomes.ts";
import { ring } from "./ring.ts";
import { isUnjudged } from "./unjudged.ts";

/** Each verdict in words, and the outcome whose sign it shares. */
export const VERDICTS: Readonly<Record<Verdict, { words: string; like: Outcome }>> = {
  conformant: { words: "Conformant", like: "pass" },
  "non-conformant": { words: "Not conformant", like: "fail" },
  incomplete: { words: "Incomplete", like: "inconclusive" },
  partial: { words: "Partial", like: "not-provisioned" },
};

/** Number of failed rules whose cause is named beside the verdict. */
const CAUSES_SHOWN = 3;

/**
 * The verdict, its causes, and what it covers; the data of the run are folded. In print it is a page of its own.
 * @param fingerprint of the `report.json`
 */
export function verdict(report: Report, fingerprint: string): Markup {
  const { words, like } = VERDICTS[report.verdict];
  const text = report.verdictText.replace(new RegExp(`^${words}[:.] ?`), "");
  return html`<section class="verdict ${like}" aria-labelledby="verdict">
    <h2 id="verdict">
      ${sign(like)}
      ${words}${report.partial && report.verdict !== "partial" && html` <small>partial</small>`}
    </h2>
    <p class="lead">${capitalized(text)}</p>
    ${causes(report)}${checks(report)}${coverage(report)}
    <details class="run">
      <summary>About this run: when, what was tested, requests, writes, seed, digest</summary>
      ${facts(report, fingerprint)}
    </details>
  </section>`;
}

function causes(report: Report): Content {
  const failed = newFailures(report);
  if (failed.length === 0) return undefined;
  const more = failed.length - CAUSES_SHOWN;
  return html`<ul class="causes" aria-label="Causes">
    ${failed
      .slice(0, CAUSES_SHOWN)
      .map(({ rule }) => html`<li>${linkTo(rule.id)} ${causeOf(report, rule)}</li>`)}
    ${more > 0 && html`<li><a href="#failures">and ${counted(more, "more failed rule")}</a></li>`}
  </ul>`;
}

/** The MUST cases of the contract as a ring, and the number of all cases by level and outcome. */
function coverage(report: Report): Content {
  const all = totals(report);
  const shown = OUTCOMES.filter((outcome) => all[outcome] > 0);
  if (shown.length === 0) return undefined;
  const { judged, total } = report.coverage;
  const musts = report.counts.MUST;
  const left = Math.max(0, total - sumOf(musts));
  return html`<div class="coverage">
    <figure>
      ${ring([...shown.map((outcome) => [outcome, musts[outcome]] as const), ["left-out", left]])}
      <figcaption>
        <b>${judged}</b> of ${total} MUST cases
        judged${left > 0 && html`; <b>${left}</b> were not in this run`}
      </figcaption>
    </figure>
    <table class="counts">
      <caption class="unseen">
        Cases by level and outcome
      </caption>
      <thead>
        <tr>
          <td></td>
          ${LEVELS.map((level) => html`<th scope="col">${level}</th>`)}
          <th scope="col">all</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map((outcome) =>
          countRow(
            html`${sign(outcome)}
            ${isUnjudged(outcome) ? html`<a href="#unjudged">${outcome}</a>` : outcome}`,
            [...LEVELS.map((level) => report.counts[level][outcome]), all[outcome]],
          ),
        )}
      </tbody>
      <tfoot>
        ${countRow("all", [...LEVELS.map((level) => sumOf(report.counts[level])), sumOf(all)])}
      </tfoot>
    </table>
  </div>`;
}

function countRow(head: Content, counts: readonly number[]): Markup {
  return html`<tr>
    <th scope="row">${head}</th>
    ${counts.map((count) => html`<td class="${count === 0 && "none"}">${count}</td>`)}
  </tr>`;
}

function facts(report: Report, fingerprint: string): Markup {
  const { target, suite, seed, requests, startedAt, scope } = report;
  const rows: [string, Content][] = [
    ["Target", html`<code>${target.baseUrl}</code>`],
    ["Deployment", target.deployment !== undefined && deploymentText(target.deployment)],
    ["Audience", target.audience !== target.baseUrl && html`<code>${target.audience}</code>`],
    ["Tokens", html`<code>${target.issuer}</code>, ${target.algorithm ?? "issued"}`],
    ["Left out", report.excluded.length > 0 && report.excluded.map(leftOut)],
    ["Sides", scope.sides.join(", ") || "none"],
    ["Operations", scope.operations.join(", ") || "none"],
    ["When", when(startedAt)],
    ["Requests", `${requests} in ${took(report)}`],
    ["Accepted writes", writes(report)],
    ["Seed", html`<code>${seed}</code>`],
    ["Suite", `${suite.name} ${suite.version}, rule set ${suite.requirements}`],
    ["SHA-256", html`<code>${fingerprint}</code> of <code>report.json</code>`],
  ];
  return html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        value !== false &&
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

function leftOut({ reason, cases }: Exclusion): Markup {
  return html`<p>${counted(cases, "case")}: ${reason}</p>`;
}

function when(startedAt: string): Markup {
  const shown = startedAt.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, "$1 $2 UTC");
  return html`<time datetime="${startedAt}">${shown}</time>`;
}

function writes({ writes: accepted, target }: Report): string {
  const each = Object.entries(accepted).map(([operation, count]) => `${operation} ${count}`);
  return each.length > 0 ? each.join(", ") : target.readOnly ? "none, read-only" : "none";
}
