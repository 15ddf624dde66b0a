import type { Exchange, Reply } from "../http/exchange.ts";
import { parseJson } from "../lib/json.ts";
import { NotRecorded, onlyRecorded } from "./missing.ts";

const HEAD = "response.headers";

/**
 * An answer for rules, made from its record. A body that was not recorded unchanged (long, redacted, or not
 * UTF-8) counts as not recorded: reading it throws NotRecorded.
 * @throws NotRecorded when the exchange has neither a response nor a fault
 */
export function recordedReply(exchange: Exchange): Reply {
  const { response, fault, redactions = [] } = exchange;
  if (!response) {
    if (!fault) throw new NotRecorded("answer");
    return {
      exchange,
      status: 0,
      headers: {},
      body: "",
      hasBody: false,
      isUtf8: true,
      cut: false,
      json: () => undefined,
      keep() {},
    };
  }
  const { status, truncated, undecoded } = response;
  const whole = (): string => {
    const { body } = response;
    const isRedacted = redactions.some(({ place }) => place === "response.body");
    if (truncated || isRedacted || /\[redacted|\uFFFD/.test(body)) throw new NotRecorded("answer");
    return body;
  };
  return {
    exchange,
    status,
    get headers() {
      return recordedHeaders(exchange);
    },
    get body() {
      return whole();
    },
    get hasBody() {
      return response.body !== "" || truncated;
    },
    get isUtf8() {
      whole();
      return true;
    },
    get cut() {
      whole();
      return false;
    },
    ...(undecoded && { undecoded }),
    json: () => (undecoded ? undefined : parseJson(whole())),
    keep() {},
  };
}

/**
 * The fields that were recorded as they came.
 * @throws NotRecorded from the result, when another field is read that was there, or may have been there
 */
function recordedHeaders({ response, redactions = [] }: Exchange): Reply["headers"] {
  const { headers = {}, truncated = false } = response ?? {};
  const places = new Set(redactions.map(({ place }) => place));
  const known = { ...headers };
  for (const name of Object.keys(headers)) {
    if (!places.has(`${HEAD}.${name}`)) continue;
    Object.defineProperty(known, name, {
      get() {
        throw new NotRecorded("answer");
      },
    });
  }
  // A redacted name stands for one that nobody knows.
  return truncated || places.has(HEAD) ? onlyRecorded<Reply["headers"]>(known) : known;
}
