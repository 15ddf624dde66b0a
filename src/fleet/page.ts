import type { Outcome } from "../engine/events.ts";
import { groupBy } from "../lib/group-by.ts";
import { counted } from "../lib/words.ts";
import { rankOf } from "../report/groups.ts";
import { pageOf, type Section } from "../report/html/frame.ts";
import { type Content, html, type Markup, prose } from "../report/html/markup.ts";
import { factList, legend, sign, tableHead, NEEDS_ATTENTION, SIGNS } from "../report/html/parts.ts";
import { VERDICTS } from "../report/html/verdict.ts";
import { type Result, resultKind, RESULTS, type Deployment, packTitles } from "./deployment.ts";
import { type Change, type Changes, current, startOf } from "./history.ts";
import type { Answer, OpenQuestion } from "./open-questions.ts";

/** A self-contained page about a whole fleet, without network access and without a script. */
export function fleetPage(fleet: MergedFleet): string {
  const { changes, open } = fleet;
  const deployments = current(fleet.deployments).toSorted((a, b) => badness(a) - badness(b));
  const title = `Conformance of ${counted(deployments.length, "deployment")}`;
  const sections: Section[] = [
    { id: "results", name: "Results" },
    ...(changes ? [{ id: "changes", name: "Changes" }] : []),
    { id: "deployments", name: "Deployments" },
    { id: "matrix", name: "Matrix" },
    ...(open.length > 0 ? [{ id: "open", name: "What the contract leaves open" }] : []),
  ];
  return pageOf({
    title,
    styles: ["page.css", "fleet.css"],
    sections,
    head: html`<p>orgsync-conformance</p>
      <h1>${title}</h1>`,
    main: [
      results(deployments),
      changes && changed(changes),
      list(deployments, fleet),
      fleetMatrix(deployments),
      open.length > 0 && questions(open),
    ],
  });
}

function badness({ run }: Deployment): number {
  return RESULTS.indexOf(resultKind(run));
}

/** Each result in words, and the outcome whose sign it shares. */
const RESULT_WORDS: Readonly<Record<Result, { words: string; like: Outcome }>> = {
  ...VERDICTS,
  error: { words: "No verdict", like: "inconclusive" },
  unfinished: { words: "Not finished", like: "not-applicable" },
};

function resultMark(result: Result): Markup {
  const { words, like } = RESULT_WORDS[result];
  return html`${sign(like)} ${words}`;
}

function results(deployments: readonly Deployment[]): Markup {
  const kinds = deployments.map(({ run }) => resultKind(run));
  const worst = RESULTS.find((result) => kinds.includes(result));
  const suites = [...new Set(deployments.flatMap(({ seen }) => (seen ? [seen.suite] : [])))];
  return html`<section
    class="verdict ${worst && RESULT_WORDS[worst].like}"
    aria-labelledby="results"
  >
    <h2 id="results">Results</h2>
    ${factList([
      ...RESULTS.filter((result) => kinds.includes(result)).map(
        (result) =>
          [
            resultMark(result),
            `${kinds.filter((kind) => kind === result).length} of ${kinds.length}`,
          ] as const,
      ),
      ...packTitles(deployments.map(({ run }) => run)).map(
        (title) => [title, packCounts(deployments, title)] as const,
      ),
      ["Suite", suites.length > 0 && suites.join("; ")],
    ])}
  </section>`;
}

/** How many deployments have which verdict on a pack, the worst first. */
function packCounts(deployments: readonly Deployment[], title: string): Markup {
  const found = deployments.flatMap(({ run: { packs = [] } }) =>
    packs.filter((pack) => pack.title === title).map(({ verdict }) => verdict),
  );
  const counts = RESULTS.flatMap((result) => {
    const count = found.filter((verdict) => verdict === result).length;
    return count > 0 ? [html`${resultMark(result)} ${count} of ${found.length}`] : [];
  });
  return html`${counts.map((one, at) => html`${at > 0 && ", "}${one}`)}`;
}

function changed({ changed: some, same, suites }: Changes): Markup {
  return html`<section aria-labelledby="changes">
    <h2 id="changes">What changed</h2>
    <p class="quiet">${some.length} changed since then, ${same} did not.</p>
    ${
      suites &&
      html`<p>
        The suite changed, and may be the reason: ${suites.before.join("; ") || "none"} then,
        ${suites.after.join("; ") || "none"} now.
      </p>`
    }
    ${
      some.length > 0 &&
      html`<table class="fleet">
        ${tableHead("Deployment", "Then", "Now", "Rules with another outcome")}
        <tbody>
          ${some.map(changeRow)}
        </tbody>
      </table>`
    }
  </section>`;
}

function changeRow({ name, before, after, packs = [], rules }: Change): Markup {
  return html`<tr>
    <th scope="row">${name}</th>
    <td>
      ${before === undefined ? "new" : resultMark(before)}
      ${packResults(packs.map((pack) => ({ title: pack.title, verdict: pack.before })))}
    </td>
    <td>
      ${after === undefined ? "gone" : resultMark(after)}
      ${packResults(packs.map((pack) => ({ title: pack.title, verdict: pack.after })))}
    </td>
    <td>
      ${
        rules.length > 0 &&
        html`<ul>
          ${rules.map((one) => html`<li><code>${one.rule}</code> ${one.before} → ${one.after}</li>`)}
        </ul>`
      }
    </td>
  </tr>`;
}

function list(
  deployments: readonly Deployment[],
  { deployments: all, earlier }: MergedFleet,
): Markup {
  const history = groupBy([...(earlier ?? []), ...all], ({ run }) => run.replacedBy ?? run.name);
  const trends = deployments.map(({ run }) => trend(history.get(run.name) ?? []));
  const isOld = trends.some((one) => one !== undefined);
  return html`<section aria-labelledby="deployments">
    <h2 id="deployments">Deployments</h2>
    <table class="fleet">
      ${tableHead(
        "Deployment",
        "Result",
        "Base URL",
        ...(isOld ? ["From run to run"] : []),
        "Violated, or why there is no verdict",
      )}
      <tbody>
        ${deployments.map((one, at) => listRow(one, isOld && html`<td>${trends[at]}</td>`))}
      </tbody>
    </table>
  </section>`;
}

function listRow(
  { run: { name, verdict, packs = [], error, report }, seen }: Deployment,
  history: Content,
): Markup {
  const violated = [...(seen?.outcomes ?? [])]
    .flatMap(([rule, outcome]) => (outcome === "fail" ? [rule] : []))
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  const shown = html`${name}${seen && seen.title !== "" && html` <small>${seen.title}</small>`}`;
  return html`<tr>
    <th scope="row">
      ${report === undefined ? shown : html`<a href="${addressOf(report)}">${shown}</a>`}
    </th>
    <td>${resultMark(resultKind({ verdict, error }))} ${packResults(packs)}</td>
    <td>${seen && html`<code>${seen.baseUrl}</code>`}</td>
    ${history}
    <td>${error ?? violated.map((rule) => html`<code>${rule}</code> `)}</td>
  </tr>`;
}

/** The verdicts on packs, below that on the contract. */
function packResults(
  packs: readonly { readonly title: string; readonly verdict: Result }[],
): Content {
  return packs.map(
    ({ title, verdict }) => html`<br /><small>${title}: ${resultMark(verdict)}</small>`,
  );
}

/** The address of a file below the folder of the page. */
function addressOf(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Number of answers to a question, and of deployments for an answer, that are shown. */
const MOST_ANSWERS = 8;
const MOST_NAMES = 8;

function questions(open: readonly OpenQuestion[]): Markup {
  return html`<section aria-labelledby="open">
    <h2 id="open">Differences in what the contract leaves open</h2>
    <p class="quiet">
      Observed, never judged. Even if all conform, a client that works with one may not work with
      another.
    </p>
    <table class="fleet open">
      ${tableHead("What", "What they do")}
      <tbody>
        ${open.map(questionRow)}
      </tbody>
    </table>
  </section>`;
}

function questionRow({ title, answers }: OpenQuestion): Markup {
  const rest = answers.slice(MOST_ANSWERS).flatMap(({ names }) => names);
  return html`<tr>
    <th scope="row">${prose(title)}</th>
    <td>
      <ul>
        ${answers.slice(0, MOST_ANSWERS).map(answerItem)}
        ${rest.length > 0 && html`<li>something else: ${counted(rest.length, "deployment")}</li>`}
      </ul>
    </td>
  </tr>`;
}

function answerItem({ value, names }: Answer): Content {
  const more = names.length - MOST_NAMES;
  return html`<li>
    ${value === null ? "not seen" : prose(value)}: <b>${names.length}</b>
    <small>${names.slice(0, MOST_NAMES).join(", ")}${more > 0 && ` and ${more} more`}</small>
  </li>`;
}

export interface MergedFleet {
  /** Sorted by name. */
  readonly deployments: readonly Deployment[];
  /** Those of an earlier time; absent without one to compare with. */
  readonly earlier?: readonly Deployment[] | undefined;
  /** The differences between deployments where the contract is silent. */
  readonly open: readonly OpenQuestion[];
  /** Absent without an earlier time to compare with. */
  readonly changes?: Changes | undefined;
}

/** In pixels. */
const HEIGHT = 24;
const WIDTH = 8;
const GAP = 2;
/** A smaller bar could not be seen. */
const LOWEST = 3;
/** Runs that are drawn; the figures are those of the first and the last. */
const MOST_RUNS = 30;

/** The failures of a deployment from run to run, as bars and figures. Empty for a single run. */
function trend(runs: readonly Deployment[]): Content {
  const failed = runs
    .toSorted((a, b) => startOf(a) - startOf(b))
    .flatMap(({ seen }) => (seen ? [seen.failed] : []));
  if (failed.length < 2) return undefined;
  const drawn = failed.slice(-MOST_RUNS);
  const most = Math.max(1, ...drawn);
  return html`<svg
      class="trend"
      width="${drawn.length * (WIDTH + GAP)}"
      height="${HEIGHT}"
      aria-hidden="true"
    >
      ${drawn.map((count, at) => bar(count, count / most, at))}
    </svg>
    ${failed[0]} → ${failed.at(-1)} failed <small>in ${failed.length} runs</small>`;
}

function bar(count: number, share: number, at: number): Markup {
  const height = Math.max(LOWEST, Math.round(share * HEIGHT));
  return html`<rect
    class="${count > 0 ? "fail" : "pass"}"
    x="${at * (WIDTH + GAP)}"
    y="${HEIGHT - height}"
    width="${WIDTH}"
    height="${height}"
  />`;
}

/**
 * A table of deployments by rules. Each cell is the worst outcome of the rule. Deployments without a report
 * are left out, and rules that need attention nowhere.
 */
function fleetMatrix(deployments: readonly Deployment[]): Markup {
  const judged = deployments.flatMap(({ run, seen }) =>
    seen && run.verdict ? [{ name: run.name, outcomes: seen.outcomes }] : [],
  );
  const all = [...new Set(judged.flatMap(({ outcomes }) => [...outcomes.keys()]))];
  const rules = all.filter((rule) =>
    judged.some(({ outcomes }) => NEEDS_ATTENTION.has(outcomes.get(rule) ?? "pass")),
  );
  const found = new Set(
    judged.flatMap(({ outcomes }) => rules.flatMap((rule) => outcomes.get(rule) ?? [])),
  );
  const quiet = all.length - rules.length;
  return html`<section class="matrix" aria-labelledby="matrix">
    <h2 id="matrix">Deployments and rules</h2>
    <p class="quiet">
      Each cell is the worst outcome of a rule's
      cases.${quiet > 0 && ` ${counted(quiet, "rule")} of ${all.length} failed nowhere and left nothing open; the table leaves them out.`}
    </p>
    ${legend(found, html`<li>blank: not in the run</li>`)}
    <div class="scroll fleet-matrix" role="region" aria-label="Matrix" tabindex="0">
      <table>
        <caption class="unseen">
          The worst outcome of each rule at each deployment
        </caption>
        <thead>
          <tr>
            <th scope="col">Deployment</th>
            ${rules.map((rule) => html`<th scope="col"><span>${rule}</span></th>`)}
          </tr>
        </thead>
        <tbody>
          ${judged.map(
            ({ name, outcomes }) =>
              html`<tr>
                <th scope="row">${name}</th>
                ${rules.map((rule) => cell(outcomes.get(rule)))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** There are thousands of cells, so each is only a sign, which the legend explains. */
function cell(outcome: Outcome | undefined): Markup {
  return outcome === undefined
    ? html`<td></td>`
    : html`<td class="${outcome}">${SIGNS[outcome]}</td>`;
}
