import type { Exchange, TokenNote } from "../../http/exchange.ts";
import type { Report, ReportCase } from "../report.ts";
import { answer, exchangeBody } from "./exchange.ts";
import { address, exchangeId } from "./links.ts";
import { type Content, html } from "./markup.ts";
import { tokens } from "./tokens.ts";

/** An exchange, and the part that it has in a case. */
interface Part {
  readonly role: "control" | "probe";
  readonly exchange: Exchange;
}

/**
 * What a case rests on. Where a requirement was seen to be violated, control and probe stand side by
 * side; to all other exchanges a link leads, and each is on the page once.
 */
export function evidence(report: Report, one: ReportCase): Content {
  const { inPlace, linked } = partsOf(report, one);
  return [
    tokensOf(one, inPlace),
    inPlace.length > 0 &&
      html`<div class="exchanges">
        ${inPlace.map(
          ({ role, exchange }) =>
            html`<article>
              <h5>${role} <small>${exchange.id}</small></h5>
              ${exchangeBody(exchange)}
            </article>`,
        )}
      </div>`,
    linked.length > 0 &&
      html`<ul class="links">
        ${linked.map(
          ({ role, exchange }) =>
            html`<li>
              ${role}
              <a href="${address(exchangeId(exchange.id))}" data-exchange="${role}"
                >${exchange.id}</a
              >
              ${answer(exchange)}
            </li>`,
        )}
      </ul>`,
  ];
}

/** The exchanges to which links lead, in the order of the report. */
export function linkedExchanges(report: Report): Content {
  const linked = new Set(
    report.rules.flatMap(({ cases }) =>
      cases.flatMap((one) => partsOf(report, one).linked.map(({ exchange }) => exchange)),
    ),
  );
  if (linked.size === 0) return undefined;
  return html`<section aria-labelledby="exchanges">
    <h2 id="exchanges">Exchanges</h2>
    <details>
      <summary>${linked.size} exchanges that cases rest on</summary>
      ${[...linked].map(
        (exchange) =>
          html`<details class="exchange">
            <summary>
              ${exchange.id} <small>${exchange.request.method}, ${answer(exchange)}</small>
            </summary>
            <div id="${exchangeId(exchange.id)}">${exchangeBody(exchange)}</div>
          </details>`,
      )}
    </details>
  </section>`;
}

/** The control before, the probes, the controls after: those to show in place, and the others. */
function partsOf(
  { exchanges }: Report,
  { evidence: rests, outcome }: ReportCase,
): {
  inPlace: Part[];
  linked: Part[];
} {
  const parts = (role: Part["role"], ids: readonly string[] = []): Part[] =>
    ids.flatMap((id) => {
      const exchange = exchanges[id];
      return exchange ? [{ role, exchange }] : [];
    });
  const [before, ...after] = parts("control", rests?.controls);
  const probes = parts("probe", rests?.probes);
  const violated = outcome === "fail" || outcome === "warn";
  const decisive = violated ? probes.splice(-1) : [];
  const control = before ? [before] : [];
  return violated
    ? { inPlace: [...control, ...decisive], linked: [...probes, ...after] }
    : { inPlace: [], linked: [...control, ...probes, ...after] };
}

function tokensOf({ evidence: rests }: ReportCase, parts: readonly Part[]): Content {
  const token = (wanted: Part["role"]): TokenNote | undefined =>
    parts.find(({ role }) => role === wanted)?.exchange.request.token;
  const [control, probe] = [token("control"), token("probe")];
  return control && probe && tokens(control, probe, rests?.differences ?? []);
}
