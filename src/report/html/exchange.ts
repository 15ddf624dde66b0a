import type { Exchange } from "../../http/exchange.ts";
import { inWords } from "../../probe/phrase.ts";
import { describeReply } from "../../probe/reception.ts";
import { curlCommand } from "../curl.ts";
import { printable } from "../untrusted.ts";
import { indentJson } from "./indent-json.ts";
import { block, type Content, html, type Markup } from "./markup.ts";

/** In UTF-16 units. */
const LONGEST_HEADER = 2048;
const LONGEST_MESSAGE = 32_768;
const LONG_LINES = 30;

/** `200 OK`, or why there was no answer. */
export function answer(exchange: Exchange): string {
  const { response } = exchange;
  return inWords(
    describeReply({
      exchange,
      status: response?.status ?? 0,
      headers: response?.headers ?? {},
    }),
  );
}

/** A request and what came of it, whole, and as a command that sends it again. */
export function exchangeBody(exchange: Exchange): Markup {
  const { request, response, durationMs } = exchange;
  const headers = Object.entries(response?.headers ?? {});
  return html`<p class="part">Request</p>
    ${message(`${request.method} ${request.url}`, request.headers, request.body)} ${token(exchange)}
    <p class="part">Response <small>${durationMs} ms</small></p>
    ${message(answer(exchange), headers, response?.body)}
    ${response?.truncated === true && html`<p class="quiet">The rest was not kept.</p>`}
    <details>
      <summary>As curl</summary>
      <pre data-copy="curl">${block(curlCommand(exchange).join("\n"), Infinity)}</pre>
    </details>`;
}

function token({ request }: Exchange): Content {
  const { header, claims } = request.token ?? {};
  if (!header && !claims) return undefined;
  return html`<details>
    <summary>Token, decoded</summary>
    <pre>${block(JSON.stringify({ header, claims }, null, 2))}</pre>
  </details>`;
}

/** First line, header lines and body. One that is long scrolls, by keyboard too. */
function message(
  first: string,
  headers: readonly (readonly [string, string])[],
  body = "",
): Markup {
  const lines = headers.map(([name, value]) => `\n${name}: ${printable(value, LONGEST_HEADER)}`);
  const rest = lines.join("") + (body === "" ? "" : `\n\n${indentJson(body)}`);
  const long = rest.split("\n", LONG_LINES + 1).length > LONG_LINES;
  const scrolls = long && html` class="long" tabindex="0"`;
  return html`<pre${scrolls}><b>${first}</b>${block(rest, LONGEST_MESSAGE)}</pre>`;
}
