import { withoutQuery } from "../authorization-server/protocol/authorization-request.ts";
import { isSamePlace } from "../authorization-server/protocol/front-channel.ts";
import type { ServerAnswer, ServerRequest } from "../authorization-server/protocol/origins.ts";
import type { Exchange, TokenNote } from "../http/exchange.ts";
import { isObject, type JsonObject, parseJson } from "../lib/json.ts";
import { GIVEN } from "../profile/facts.ts";
import { compact } from "../tokens/compact.ts";
import { isSameText } from "./compare.ts";
import { hiding } from "./missing.ts";
import { recordedReply, unsignedSegments } from "./recorded-exchanges.ts";

/** A longer body may be cut in the record. */
const LONGEST_BODY = 4000;

/** Parameters of which only it is known whether they are empty. */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set([
  "client_assertion",
  "client_secret",
  "code",
  "refresh_token",
]);

/** Parameters with random values, and their form. */
const RANDOM: ReadonlySet<string> = new Set(["code_challenge", "code_verifier", "state"]);
const RANDOM_VALUE = /^[\w-]{43}$/;

/** In what a recorded request to the authorization server is otherwise than it is made, as phrases. */
export function serverDifferences(made: ServerRequest, { request }: Exchange): string[] {
  const { method, url, headers, body = "" } = request;
  const found = method === made.method ? [] : ["method"];
  if (!URL.canParse(url) || !isSameText(withoutQuery(url), withoutQuery(made.url)))
    return [...found, "URL"];
  const presented = credentialsIn(headers);
  const fits = presented.every((value) => /^Basic \S/.test(value));
  if (presented.length !== credentialsIn(made.headers).length || !fits)
    found.push("authentication");
  if (made.asJson || body.startsWith("[redacted") || body.length > LONGEST_BODY) return found;
  const sent = parameters(url, new URLSearchParams(body));
  return [
    ...found,
    ...otherParameters(sent, parameters(made.url, made.form)).map((name) => `parameter ${name}`),
  ];
}

/** Whether an exchange has a request as it is made. */
export function isAs(made: ServerRequest): (sent: Exchange) => boolean {
  return (sent) => serverDifferences(made, sent).length === 0;
}

/** Whether a request of the suite's own may be the recorded one, though it is recorded otherwise: none that a redirect leads to. */
export function isStart({ method, url, form }: ServerRequest, { request }: Exchange): boolean {
  if (form || new URL(url).searchParams.has("grant_type")) return true;
  return (
    method === request.method &&
    isSamePlace(new URL(url), new URL(request.url)) &&
    holdsParameters(url) &&
    holdsParameters(request.url)
  );
}

/** Whether a URL of the authorization endpoint holds the parameters itself, and does not refer to pushed ones. */
function holdsParameters(url: string): boolean {
  const { searchParams } = new URL(url);
  return searchParams.has("client_id") && !searchParams.has("request_uri");
}

function credentialsIn(headers: ServerRequest["headers"] = []): string[] {
  return headers.flatMap(([name, value]) => (name === "authorization" ? value : []));
}

/** The parameters of a URL and a form. */
function parameters(url: string, form: URLSearchParams = new URLSearchParams()): URLSearchParams {
  return new URLSearchParams([...new URL(url).searchParams, ...form]);
}

/** The names of the parameters that a request has otherwise than it is made. */
export function otherParameters(sent: URLSearchParams, made: URLSearchParams): string[] {
  return [...new Set([...made.keys(), ...sent.keys()])].filter((name) => {
    const [recorded, expected] = [sent.getAll(name), made.getAll(name)];
    return (
      recorded.length !== expected.length ||
      !expected.every((value, at) => isSameParameter(name, recorded[at] ?? "", value))
    );
  });
}

function isSameParameter(name: string, recorded: string, expected: string): boolean {
  if (expected === GIVEN) return true;
  if (SECRET_PARAMETERS.has(name) || (recorded + expected).includes("[redacted"))
    return (recorded === "") === (expected === "");
  return RANDOM.has(name) && RANDOM_VALUE.test(expected)
    ? RANDOM_VALUE.test(recorded)
    : recorded === expected;
}

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
