import type { ServerAnswer } from "../authorization-server/protocol/origins.ts";
import type { Exchange, TokenNote } from "../http/exchange.ts";
import { isObject, type JsonObject, parseJson } from "../lib/json.ts";
import { compact } from "../tokens/compact.ts";
import { hiding } from "./missing.ts";
import { unsignedSegments } from "./recorded-exchanges.ts";
import { recordedReply } from "./recorded-reply.ts";

/** Stands for a secret or a random value, which a report does not hold. */
export const NOT_TOLD = "[redacted]";

/** The members of an answer that are secret. */
const SECRET: ReadonlySet<string> = new Set(["access_token", "refresh_token", "id_token"]);

/**
 * A recorded answer of the authorization server. Of tokens in it only header and claims are known.
 * @param isLed whether it is an answer to a browser: of its redirect, ids and codes may be redacted, and its page need not be known.
 * Default: false
 * @param onUnknownPage is called when such a page is read and may lead on, which is not recorded
 * @throws NotRecorded from the answer, when something is read that is not recorded as it came
 */
export function serverAnswer(
  exchange: Exchange,
  isLed = false,
  onUnknownPage: () => void = () => {},
): ServerAnswer {
  const reply = isLed ? recordedReply(asLed(exchange)) : recordedReply(exchange);
  const { status, headers } = reply;
  return {
    reply,
    status,
    headers,
    get body() {
      const { response } = exchange;
      if (!isLed || !response) return reply.body;
      if (status >= 300 && status < 400 && headers["location"] !== undefined) return "";
      if (response.truncated || response.body.startsWith(NOT_TOLD)) onUnknownPage();
      return response.body;
    },
    get json() {
      return jsonIn(exchange);
    },
  };
}

/** An exchange of which a browser need not know cookies, and of the place that it is led to only the host. */
function asLed(exchange: Exchange): Exchange {
  const { response, redactions = [] } = exchange;
  const isPlain = !/^(?:[^/]*\/\/)?[^/?#]*\[redacted/.test(response?.headers["location"] ?? "");
  const known = ["response.headers.set-cookie", ...(isPlain ? ["response.headers.location"] : [])];
  return { ...exchange, redactions: redactions.filter(({ place }) => !known.includes(place)) };
}

/** The JSON of an answer; `undefined` where it is none. Tokens in it are others. */
function jsonIn(exchange: Exchange): unknown {
  const { body = "", token, truncated = false, undecoded } = exchange.response ?? {};
  // What is no JSON is redacted as a whole.
  if (undecoded || (body === NOT_TOLD && !truncated)) return undefined;
  const json = parseJson(body);
  if (!isObject(json) || !Object.keys(json).some((name) => SECRET.has(name)))
    return recordedReply(exchange).json();
  const told = { ...json, ...(token && { access_token: unsigned(token) }) };
  return hiding<JsonObject>(told, redactedIn(json), "answer");
}

/** The members of an answer that are redacted in part, but for the tokens. */
function redactedIn(json: JsonObject): string[] {
  return Object.keys(json).filter(
    (name) => !SECRET.has(name) && JSON.stringify(json[name]).includes("[redacted"),
  );
}

/** Whether an answer is recorded whole but for its tokens. */
export function isWhole({ response }: Exchange): boolean {
  if (!response || response.truncated) return false;
  const json = parseJson(response.body);
  const isKnown = !isObject(json) || redactedIn(json).length === 0;
  return isKnown && !JSON.stringify(response.headers).includes("[redacted");
}

/** A token with recorded header and claims, and without a signature. */
export function unsigned(token: TokenNote): string {
  return compact(unsignedSegments(token));
}
