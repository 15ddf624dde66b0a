import { areaOf } from "../../contract/ids.ts";
import type { Exchange, TokenNote } from "../../http/exchange.ts";
import { differingPart } from "../../lib/differing-part.ts";
import { counted } from "../../lib/words.ts";
import type { Difference } from "../../probe/difference/difference.ts";
import { inWords } from "../../probe/phrase.ts";
import { describeReply } from "../../probe/reception.ts";
import { answersInOrder, byHand } from "../commands.ts";
import { controlOf, differencesOf, lastProbe } from "../evidence.ts";
import { OWN_HEADERS } from "../exchange-rows.ts";
import type { Report, ReportCase } from "../report.ts";
import { differenceWords } from "../text/differences.ts";
import { printable } from "../untrusted.ts";
import { indentJson } from "./indent-json.ts";
import { block, type Content, html, type Markup } from "./markup.ts";
import { tableHead } from "./parts.ts";

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
  const [control, probe] = [controlOf(report, one), lastProbe(report, one)];
  const other = { control: probe, probe: control };
  // Further ones have the token of one of these, but for its times.
  const firsts = parts.filter(({ repeated }) => !repeated).map(({ exchange }) => exchange);
  const decoded = new Set([...firsts, control, probe]);
  return [
    differences.length > 0 && control && probe && comparison(one, control, probe, differences),
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
                ${exchangeBody(exchange, other[role], differences, decoded.has(exchange))}
              </article>`,
          )}
        </div>
      </details>`,
  ];
}

export function curlOf(report: Report, one: ReportCase): Content {
  const commands = byHand(report, one, telling);
  const answers = answersInOrder(report, one);
  return [
    answers !== undefined && html`<p>${answers}</p>`,
    commands.length > 0 &&
      html`<pre data-copy="curl">${block(commands.join("\n"), Infinity)}</pre>`,
  ];
}

/** The header lines of a request, without those that mark it as one of the suite. */
function telling({ headers }: Exchange["request"]): Exchange["request"]["headers"] {
  return headers.filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase()));
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
  return all.map((part, at) => ({
    ...part,
    repeated: all.findIndex(({ role }) => role === part.role) < at,
  }));
}

/** What differs between the deciding request of a case and its control, side by side, and how both were answered. */
function comparison(
  one: ReportCase,
  control: Exchange,
  probe: Exchange,
  differences: readonly Difference[],
): Markup {
  return html`<table class="comparison">
      <caption class="unseen">
        What differs
      </caption>
      ${tableHead("What differs", "Control", "Probe")}
      <tbody>
        ${differences
          .map(differenceWords)
          .map(({ where, control: was = "as signed", probe: is }) =>
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

/** Says that the probe got the same answer as the control, where a check of the receiver has to tell them apart. */
function sameAnswer({ id, outcome }: ReportCase, control: Exchange, probe: Exchange): Content {
  const status = probe.response?.status;
  const isSame = status !== undefined && status === control.response?.status && status < 300;
  return (
    outcome === "fail" &&
    areaOf(id) === "receiver" &&
    isSame &&
    html`<p class="same">Control and probe got the same answer, ${status}: that is the fault.</p>`
  );
}

/** In UTF-16 units. */
const LONGEST_HEADER = 2048;
const LONGEST_MESSAGE = 32_768;
const LONG_LINES = 30;

/** `200 OK`, or the reason why there was no response. */
function answerOf(exchange: Exchange): string {
  const { response } = exchange;
  return inWords(
    describeReply({ exchange, status: response?.status ?? 0, headers: response?.headers ?? {} }),
  );
}

/**
 * A request and its response.
 * @param other what it is compared with, if there is something
 * @param differences between the two, which are marked
 * @param decoded whether to show the token too
 */
function exchangeBody(
  exchange: Exchange,
  other: Exchange | undefined,
  differences: readonly Difference[],
  decoded: boolean,
): Markup {
  const { request, response, durationMs } = exchange;
  const places = new Set(differences.map(placeOf));
  const first = `${request.method} ${request.url}`;
  const isMarked = places.has("method") || places.has("path");
  const against = isMarked && other ? `${other.request.method} ${other.request.url}` : first;
  const answer = answerOf(exchange);
  return html`<p class="part">Request</p>
    ${message(marked(first, against), telling(request), request.body, places)}
    ${decoded && request.token && token(request.token, places)}
    <p class="part">Response <small>${durationMs} ms</small></p>
    ${message(marked(answer, other ? answerOf(other) : answer), Object.entries(response?.headers ?? {}), response?.body)}
    ${response?.truncated === true && html`<p class="quiet">The rest was not kept.</p>`}`;
}

function placeOf(difference: Difference): string {
  return "name" in difference ? `${difference.part} ${difference.name}` : difference.part;
}

function token({ header = {}, claims = {} }: TokenNote, places: ReadonlySet<string>): Content {
  const members = [
    ...Object.entries(header).map((member) => ["header", ...member] as const),
    ...Object.entries(claims).map((member) => ["claim", ...member] as const),
  ];
  if (members.length === 0) return undefined;
  const lines = members.map(([part, name, value], at) =>
    line(
      `${part} ${name}: ${JSON.stringify(value)}`,
      places.has(`${part} ${name}`),
      at === 0 ? "" : "\n",
    ),
  );
  return html`<p class="part">Token, decoded</p>
    <pre>${lines}</pre>`;
}

function line(text: string, isMarked: boolean, start = "\n"): Content {
  return isMarked ? [block(start), html`<mark>${block(text)}</mark>`] : block(start + text);
}

/**
 * First line, header lines and body. A long message can be scrolled, also with the keyboard.
 * @param places what is marked; default: nothing
 */
function message(
  first: Content,
  headers: readonly (readonly [string, string])[],
  body = "",
  places: ReadonlySet<string> = new Set(),
): Markup {
  const lines = headers.map(([name, value]) => {
    const field = name.toLowerCase();
    const isMarked = places.has(field === "authorization" ? field : `field ${field}`);
    return line(`${name}: ${printable(value, LONGEST_HEADER)}`, isMarked);
  });
  const indented = body === "" ? "" : `\n\n${indentJson(body)}`;
  const long = lines.length + indented.split("\n", LONG_LINES).length >= LONG_LINES;
  const scrolls = long && html` class="long" tabindex="0"`;
  const shownBody = block(indented, LONGEST_MESSAGE);
  return html`<pre${scrolls}><b>${first}</b>${lines}${indented !== "" && html`<span>${places.has("body") ? html`<mark>${shownBody}</mark>` : shownBody}</span>`}</pre>`;
}

/** A text in which the part is marked that another one does not have. */
function marked(text: string, other: string): Content {
  if (text === other) return text;
  const [before, differing, after] = differingPart(text, other);
  return [before, differing !== "" && html`<mark>${differing}</mark>`, after];
}
