import type { Exchange } from "../../http/exchange.ts";
import { inWords } from "../../probe/phrase.ts";
import { describeReply } from "../../probe/reception.ts";
import { OWN_HEADERS } from "../exchange-rows.ts";
import { printable } from "../untrusted.ts";
import { indentJson } from "./indent-json.ts";
import { block, type Content, html, type Markup } from "./markup.ts";

/** In UTF-16 units. */
const LONGEST_HEADER = 2048;
const LONGEST_MESSAGE = 32_768;
const LONG_LINES = 30;

/** `200 OK`, or the reason why there was no response. */
function answer(exchange: Exchange): string {
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
 * @param decoded whether to show the recorded content of its token
 */
export function exchangeBody(exchange: Exchange, decoded: boolean): Markup {
  const { request, response, durationMs } = exchange;
  const headers = Object.entries(response?.headers ?? {});
  return html`<p class="part">Request</p>
    ${message(
      `${request.method} ${request.url}`,
      request.headers.filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase())),
      request.body,
    )}
    ${decoded && token(exchange)}
    <p class="part">Response <small>${durationMs} ms</small></p>
    ${message(answer(exchange), headers, response?.body)}
    ${response?.truncated === true && html`<p class="quiet">The rest was not kept.</p>`}`;
}

function token({ request }: Exchange): Content {
  const { header, claims } = request.token ?? {};
  if (!header && !claims) return undefined;
  return html`<details>
    <summary>Token, decoded</summary>
    <pre>${block(JSON.stringify({ header, claims }, null, 2))}</pre>
  </details>`;
}

/** First line, header lines and body. A long message can be scrolled, also with the keyboard. */
function message(
  first: string,
  headers: readonly (readonly [string, string])[],
  body = "",
): Markup {
  const lines = headers.map(([name, value]) => `\n${name}: ${printable(value, LONGEST_HEADER)}`);
  const head = lines.join("");
  const indented = body === "" ? "" : `\n\n${indentJson(body)}`;
  const rest = head + indented;
  const long = rest.split("\n", LONG_LINES + 1).length > LONG_LINES;
  const scrolls = long && html` class="long" tabindex="0"`;
  return html`<pre${scrolls}><b>${first}</b>${block(head, LONGEST_MESSAGE)}${indented !== "" && html`<span>${block(indented, LONGEST_MESSAGE)}</span>`}</pre>`;
}
