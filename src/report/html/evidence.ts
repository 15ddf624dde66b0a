import type { Exchange, TokenNote } from "../../http/exchange.ts";
import type { Difference } from "../../probe/difference/difference.ts";
import { curlCommand } from "../curl.ts";
import { lastProbe } from "../evidence.ts";
import { OWN_HEADERS } from "../exchange-rows.ts";
import type { Report, ReportCase } from "../report.ts";
import { exchangeBody } from "./exchange.ts";
import { block, type Content, html } from "./markup.ts";
import { tokens } from "./tokens.ts";

/** An exchange with its role in a case. */
interface Part {
  readonly role: "control" | "probe";
  /** Not the first exchange with its role; omitted in print. */
  readonly repeated: boolean;
  readonly exchange: Exchange;
}

const FIRST = { control: "Control", probe: "Probe" } as const;
const AGAIN = { control: "Control, once more", probe: "Probe, repeated" } as const;

/** The evidence of a case: the differing claims, then every exchange in the order of sending. */
export function evidence(report: Report, one: ReportCase): Content {
  const parts = partsOf(report, one);
  const compared = tokensOf(one, parts);
  return [
    sameAnswer(one, parts),
    compared,
    parts.length > 0 &&
      html`<div class="exchanges">
        ${parts.map(
          ({ role, repeated, exchange }) =>
            html`<article class="${repeated ? `${role} repeated` : role}">
              <h5>
                ${repeated ? AGAIN[role] : FIRST[role]}${exchange.caseId !== one.id && html` <small>${exchange.id}</small>`}
              </h5>
              ${exchangeBody(exchange, compared === undefined)}
            </article>`,
        )}
      </div>`,
  ];
}

/** The differences that the comparison of the tokens does not show. */
export function otherDifferences(report: Report, one: ReportCase): readonly Difference[] {
  const differences = one.evidence?.differences ?? [];
  return tokensOf(one, partsOf(report, one)) === undefined
    ? differences
    : differences.filter(({ part }) => part !== "header" && part !== "claim");
}

/** The request that decided a case, as `curl`. */
export function curlOf(report: Report, one: ReportCase): Content {
  const exchange = lastProbe(report, one);
  if (!exchange) return undefined;
  const { request } = exchange;
  const headers = request.headers.filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase()));
  const command = curlCommand({ request: { ...request, headers } });
  return html`<pre data-copy="curl">${block(command.join("\n"), Infinity)}</pre>`;
}

function partsOf({ exchanges }: Report, { evidence: rests }: ReportCase): Part[] {
  const sent = (role: Part["role"], ids: readonly string[] = []): Omit<Part, "repeated">[] =>
    ids.flatMap((id) => {
      const exchange = exchanges[id];
      return exchange ? [{ role, exchange }] : [];
    });
  const all = [...sent("control", rests?.controls), ...sent("probe", rests?.probes)].toSorted(
    (a, b) => Date.parse(a.exchange.startedAt) - Date.parse(b.exchange.startedAt),
  );
  const first = { control: true, probe: true };
  return all.map(({ role, exchange }) => {
    const repeated = !first[role];
    first[role] = false;
    return { role, repeated, exchange };
  });
}

/** Says that the probe got the same answer as the control, when that is the fault. */
function sameAnswer({ outcome, evidence: rests }: ReportCase, parts: readonly Part[]): Content {
  const status = (wanted: Part["role"]): number | undefined =>
    parts.findLast(({ role }) => role === wanted)?.exchange.response?.status;
  const [control, probe] = [status("control"), status("probe")];
  const same = control !== undefined && control === probe && control < 300;
  return (
    outcome === "fail" &&
    same &&
    (rests?.differences ?? []).length > 0 &&
    html`<p class="same">Control and probe got the same answer, ${control}: that is the fault.</p>`
  );
}

function tokensOf({ evidence: rests }: ReportCase, parts: readonly Part[]): Content {
  const token = (wanted: Part["role"]): TokenNote | undefined =>
    parts.findLast(({ role }) => role === wanted)?.exchange.request.token;
  const [control, probe] = [token("control"), token("probe")];
  return control && probe && tokens(control, probe, rests?.differences ?? []);
}
