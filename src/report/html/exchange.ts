import type { Exchange, TokenNote } from "../../http/exchange.ts";
import type { Difference } from "../../probe/difference/difference.ts";
import { inWords } from "../../probe/phrase.ts";
import { describeReply } from "../../probe/reception.ts";
import { OWN_HEADERS } from "../exchange-rows.ts";
import { printable } from "../untrusted.ts";
import { indentJson } from "./indent-json.ts";
import { marked } from "./marked.ts";
import { block, type Content, html, type Markup } from "./markup.ts";

/** In UTF-16 units. */
const LONGEST_HEADER = 2048;
const LONGEST_MESSAGE = 32_768;
const LONG_LINES = 30;

/** `200 OK`, or the reason why there was no response. */
export function answerOf(exchange: Exchange): string {
  const { response } = exchange;
  return inWords(
    describeReply({
      exchange,
      status: response?.status ?? 0,
      headers: response?.headers ?? {},
    }),
  );
}

/**
 * A request and its response.
 * @param other what it is compared with, if there is something
 * @param differences between the two, which are marked
 * @param decoded whether to show the token too
 */
export function exchangeBody(
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
    ${message(
      marked(first, against),
      request.headers.filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase())),
      request.body,
      places,
    )}
    ${decoded && request.token && token(request.token, places)}
    <p class="part">Response <small>${durationMs} ms</small></p>
    ${message(marked(answer, other ? answerOf(other) : answer), Object.entries(response?.headers ?? {}), response?.body)}
    ${response?.truncated === true && html`<p class="quiet">The rest was not kept.</p>`}`;
}

/** The place of a difference in a request: a part, or a part and a name. */
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
    line(`${part} ${name}: ${JSON.stringify(value)}`, places.has(`${part} ${name}`), at === 0),
  );
  return html`<p class="part">Token, decoded</p>
    <pre>${lines}</pre>`;
}

/** A line of a message. */
function line(text: string, isMarked: boolean, isFirst = false): Content {
  const start = isFirst ? "" : "\n";
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
