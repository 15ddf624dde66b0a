import type { Exchange } from "../../http/exchange.ts";
import { controlOf, differencesOf, lastProbe } from "../evidence.ts";
import type { Report, ReportCase } from "../report.ts";
import { differenceWords } from "../text/differences.ts";
import { answerOf } from "./exchange.ts";
import { marked } from "./marked.ts";
import { type Content, html, type Markup } from "./markup.ts";

/** What differs between the deciding request of a case and its control, side by side, and how both were answered. */
export function comparison(report: Report, one: ReportCase): Content {
  const [control, probe] = [controlOf(report, one), lastProbe(report, one)];
  const differences = differencesOf(report, one).map(differenceWords);
  if (differences.length === 0 || !control || !probe) return undefined;
  return html`<table class="comparison">
      <caption class="unseen">
        What differs
      </caption>
      <thead>
        <tr>
          <th scope="col">What differs</th>
          <th scope="col">Control</th>
          <th scope="col">Probe</th>
        </tr>
      </thead>
      <tbody>
        ${differences.map(({ where, control: was = "as signed", probe: is }) =>
          row(html`<code>${where}</code>`, marked(was, is), marked(is, was)),
        )}
        ${row("Answer", answerOf(control), answerOf(probe))}
      </tbody>
    </table>
    ${sameAnswer(one, control, probe)}`;
}

function row(head: Content, control: Content, probe: Content): Markup {
  return html`<tr>
    <th scope="row">${head}</th>
    <td><code>${control}</code></td>
    <td><code>${probe}</code></td>
  </tr>`;
}

/** Says that the probe got the same answer as the control, when that is the fault. */
function sameAnswer({ outcome }: ReportCase, control: Exchange, probe: Exchange): Content {
  const status = probe.response?.status;
  const isSame = status !== undefined && status === control.response?.status && status < 300;
  return (
    outcome === "fail" &&
    isSame &&
    html`<p class="same">Control and probe got the same answer, ${status}: that is the fault.</p>`
  );
}
