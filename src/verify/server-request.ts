import { withoutQuery } from "../authorization-server/protocol/authorization-request.ts";
import { isSamePlace } from "../authorization-server/protocol/front-channel.ts";
import type { ServerRequest } from "../authorization-server/protocol/origins.ts";
import { SERVER } from "../contract/ids.ts";
import type { Exchange } from "../http/exchange.ts";
import { GIVEN } from "../profile/facts.ts";
import { isSameText } from "./verification.ts";

/** Names good token requests, before the name of the client. */
export const TOKEN: string = `${SERVER}/token-`;

/** A longer body may be cut in the record. */
const LONGEST_BODY = 4000;

/** Parameters of which only it is known whether they are empty. */
const SECRET: ReadonlySet<string> = new Set([
  "client_assertion",
  "client_secret",
  "code",
  "refresh_token",
]);

/** Parameters with random values, and their form. */
const RANDOM: ReadonlySet<string> = new Set(["code_challenge", "code_verifier", "state"]);
const RANDOM_FORM = /^[\w-]{43}$/;

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
  if (SECRET.has(name) || (recorded + expected).includes("[redacted"))
    return (recorded === "") === (expected === "");
  return RANDOM.has(name) && RANDOM_FORM.test(expected)
    ? RANDOM_FORM.test(recorded)
    : recorded === expected;
}
