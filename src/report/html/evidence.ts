import type { Exchange } from "../../http/exchange.ts";
import { counted } from "../../lib/words.ts";
import { curlCommand } from "../curl.ts";
import { controlOf, differencesOf, lastProbe } from "../evidence.ts";
import { OWN_HEADERS } from "../exchange-rows.ts";
import type { Report, ReportCase } from "../report.ts";
import { comparison } from "./comparison.ts";
import { exchangeBody } from "./exchange.ts";
import { block, type Content, html } from "./markup.ts";

/** An exchange with its role in a case. */
interface Part {
  readonly role: "control" | "probe";
  /** Not the first exchange with its role; omitted in print. */
  readonly repeated: boolean;
  readonly exchange: Exchange;
}

const FIRST = { control: "Control", probe: "Probe" } as const;
const AGAIN = { control: "Control, once more", probe: "Probe, repeated" } as const;

/** The evidence of a case: what differs; then, folded, every exchange in the order of sending, with that marked. */
export function evidence(report: Report, one: ReportCase): Content {
  const parts = partsOf(report, one);
  const differences = differencesOf(report, one);
  const other = { control: lastProbe(report, one), probe: controlOf(report, one) };
  // The others differ from it as the comparison says.
  const decoded = other.control ?? parts[0]?.exchange;
  return [
    comparison(report, one),
    parts.length > 0 &&
      html`<details class="exchanges">
        <summary>
          ${counted(parts.length, "exchange")}${differences.length > 0 && ", with what differs marked"}
        </summary>
        <div>
          ${parts.map(
            ({ role, repeated, exchange }) =>
              html`<article class="${repeated ? `${role} repeated` : role}">
                <h5>
                  ${repeated ? AGAIN[role] : FIRST[role]}${exchange.caseId !== one.id && html` <small>${exchange.id}</small>`}
                </h5>
                ${exchangeBody(exchange, other[role], differences, exchange === decoded)}
              </article>`,
          )}
        </div>
      </details>`,
  ];
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
