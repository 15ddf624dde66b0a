import type { Exchange, TokenNote } from "../../http/exchange.ts";
import type { Difference } from "../../probe/difference/difference.ts";
import { inWords } from "../../probe/phrase.ts";
import { describeReply } from "../../probe/reception.ts";
import { OWN_HEADERS } from "../exchange-rows.ts";
import { memberValue } from "../text/member-value.ts";
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
 * A request, its token and its response.
 * @param other what it is compared with, if there is something
 * @param differences between the two, which are marked
 */
export function exchangeBody(
  exchange: Exchange,
  other: Exchange | undefined,
  differences: readonly Difference[],
): Markup {
  const { request, response, durationMs } = exchange;
  const places = new Set(differences.map(placeOf));
  const line = `${request.method} ${request.url}`;
  const isMarked = places.has("method") || places.has("path");
  const against = isMarked && other ? `${other.request.method} ${other.request.url}` : line;
  const answer = answerOf(exchange);
  return html`<p class="part">Request</p>
    ${message(
      marked(line, against),
      request.headers.filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase())),
      request.body,
      places,
    )}
    ${request.token && token(request.token, places)}
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
  return html`<p class="part">Token, decoded</p>
    <pre>
${members.map(([part, name, value], at) => {
        const text = block(`${part} ${name}: ${memberValue(part, name, value)}`);
        return [
          at > 0 && block("\n"),
          places.has(`${part} ${name}`) ? html`<mark>${text}</mark>` : text,
        ];
      })}</pre>`;
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
  const lines = headers.map(([name, value]): [string, boolean] => {
    const field = name.toLowerCase();
    const isMarked = places.has(field === "authorization" ? field : `field ${field}`);
    return [`${name}: ${printable(value, LONGEST_HEADER)}`, isMarked];
  });
  const indented = body === "" ? "" : `\n\n${indentJson(body)}`;
  const long = lines.length + indented.split("\n", LONG_LINES).length >= LONG_LINES;
  const scrolls = long && html` class="long" tabindex="0"`;
  const shownBody = block(indented, LONGEST_MESSAGE);
  return html`<pre${scrolls}><b>${first}</b>${lines.map(([text, isMarked]) => [block("\n"), isMarked ? html`<mark>${text}</mark>` : block(text)])}${indented !== "" && html`<span>${places.has("body") ? html`<mark>${shownBody}</mark>` : shownBody}</span>`}</pre>`;
}
