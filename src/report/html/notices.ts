import { baselineText } from "../foreword.ts";
import type { Report } from "../report.ts";
import { linkTo } from "./links.ts";
import { html, type Content, type Markup } from "./markup.ts";

/** Notices beside the verdict: faults of the suite, set-up problems, the baseline. */
export function notices(report: Report): Content {
  return [suiteErrors(report), setup(report), baseline(report)];
}

function notice(kind: string, title: string, content: Content): Markup {
  return html`<section class="notice ${kind}" aria-labelledby="${kind}">
    <h2 id="${kind}">${title}</h2>
    ${content}
  </section>`;
}

function baseline({ baseline: note }: Report): Content {
  if (note === undefined) return undefined;
  const { unknown, stale } = note;
  return notice(
    "baseline",
    "Baseline",
    html`<p>${baselineText(note)}</p>
      ${list([
        ...unknown.map((id) => html`not known: ${linkTo(id)}`),
        ...stale.map(({ case: id, why }) => html`must go: <code>${id}</code> ${why}`),
      ])}`,
  );
}

function suiteErrors({ suiteErrors: errors }: Report): Content {
  if (errors.length === 0) return undefined;
  return notice(
    "suite-errors",
    "Faults of the suite itself",
    html`<p>Because of these, the verdict is worth nothing. Please report them.</p>
      ${list(errors.map((error) => html`${error}`))}`,
  );
}

function setup({ setup: problems }: Report): Content {
  if (problems.length === 0) return undefined;
  return notice(
    "set-up",
    "Set-up",
    html`${problems.map(
        ({ problem, remedy }) =>
          html`<p class="problem">${problem}</p>
            <p>${remedy}</p>`,
      )}
      <p class="quiet"><code>orgsync-conformance doctor</code> checks the set-up step by step.</p>`,
  );
}

function list(items: readonly Markup[]): Content {
  return (
    items.length > 0 &&
    html`<ul>
      ${items.map((item) => html`<li>${item}</li>`)}
    </ul>`
  );
}
