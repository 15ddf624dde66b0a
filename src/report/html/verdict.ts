import { LEVELS } from "../../contract/levels.ts";
import { type Exclusion, OUTCOMES, type Outcome, type Verdict } from "../../engine/events.ts";
import { capitalized } from "../../lib/capitalized.ts";
import { counted } from "../../lib/counted.ts";
import { deploymentText, took } from "../layout.ts";
import type { Report } from "../report.ts";
import { linkTo } from "./links.ts";
import { type Content, html, type Markup } from "./markup.ts";
import { sign } from "./outcomes.ts";

/** Each verdict in words, and the outcome whose sign it shares. */
export const VERDICTS: Readonly<Record<Verdict, { words: string; like: Outcome }>> = {
  conformant: { words: "Conformant", like: "pass" },
  "non-conformant": { words: "Not conformant", like: "fail" },
  incomplete: { words: "Incomplete", like: "inconclusive" },
  partial: { words: "Partial", like: "not-provisioned" },
};

/** Outcomes whose rules are named beside the verdict, and the words for it. */
const NAMED: readonly (readonly [Outcome, string])[] = [
  ["fail", "Violated"],
  ["warn", "Warned"],
];

/**
 * The verdict, what it covers, and the data of the run. In print it is a page of its own.
 * @param fingerprint of the `report.json`
 */
export function verdict(report: Report, fingerprint: string): Markup {
  const { words, like } = VERDICTS[report.verdict];
  const text = report.verdictText.replace(`${words}: `, "");
  return html`<section class="verdict ${like}" aria-labelledby="verdict">
    <h2 id="verdict">
      ${sign(like)}
      ${words}${report.partial && report.verdict !== "partial" && html` <small>partial</small>`}
    </h2>
    <p class="lead">${capitalized(text)}</p>
    ${NAMED.map(([outcome, label]) => rulesWith(report, outcome, label))}
    <div class="figures">${facts(report, fingerprint)}${counts(report)}</div>
  </section>`;
}

function rulesWith({ rules }: Report, outcome: Outcome, label: string): Content {
  const named = rules.flatMap(({ id, cases }) => {
    const count = cases.filter((one) => one.outcome === outcome).length;
    return count > 0 ? [html`<li>${linkTo(id)} <small>${counted(count, "case")}</small></li>`] : [];
  });
  if (named.length === 0) return undefined;
  return html`<div class="named">
    <p>${label}</p>
    <ul>
      ${named}
    </ul>
  </div>`;
}

function facts(report: Report, fingerprint: string): Markup {
  const { target, suite, seed, requests, startedAt, scope, coverage } = report;
  const rows: [string, Content][] = [
    ["Target", html`<code>${target.baseUrl}</code>`],
    ["Deployment", target.deployment !== undefined && deploymentText(target.deployment)],
    ["Audience", target.audience !== target.baseUrl && html`<code>${target.audience}</code>`],
    ["Tokens", html`<code>${target.issuer}</code>, ${target.algorithm ?? "issued"}`],
    ["Left out", report.excluded.length > 0 && report.excluded.map(leftOut)],
    ["Sides", scope.sides.join(", ") || "none"],
    ["Operations", scope.operations.join(", ") || "none"],
    ["MUST cases", `${coverage.judged} of ${coverage.total} judged`],
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

function counts(report: Report): Content {
  const shown = OUTCOMES.filter((outcome) =>
    LEVELS.some((level) => report.counts[level][outcome] > 0),
  );
  if (shown.length === 0) return undefined;
  return html`<table class="counts">
    <caption>
      Cases by level and outcome
    </caption>
    <thead>
      <tr>
        <td></td>
        ${LEVELS.map((level) => html`<th scope="col">${level}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${shown.map(
        (outcome) =>
          html`<tr>
            <th scope="row">${sign(outcome)} ${outcome}</th>
            ${LEVELS.map((level) => {
              const count = report.counts[level][outcome];
              return html`<td class="${count === 0 && "none"}">${count}</td>`;
            })}
          </tr>`,
      )}
    </tbody>
  </table>`;
}
