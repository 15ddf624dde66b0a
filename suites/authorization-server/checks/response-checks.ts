import type { ServerAnswer } from "../../../src/authorization-server/protocol/origins.ts";
import type { TokenResponse } from "../../../src/authorization-server/protocol/token-request.ts";
import { isObject } from "../../../src/lib/json.ts";
import { phrase, type Phrase } from "../../../src/probe/phrase.ts";
import { parseToken } from "../../../src/tokens/parse.ts";
import { hasFurtherSpaces } from "./token-checks.ts";

export interface Expectation {
  readonly expected: Phrase;
  /** What is wrong; `undefined` where nothing is. */
  readonly faultOf: (response: TokenResponse) => string | undefined;
}

/** An expectation that is a case of `authorization-server.responses`. */
export interface ResponseCheck extends Expectation {
  readonly id: string;
  readonly title: string;
  /** Default: the section that all of them are from. */
  readonly source?: string;
  /** See `Rule.dependsOn`. Default: nothing. */
  readonly dependsOn?: readonly string[];
}

const MOST_DRIFT_SECONDS = 60;
const SHORTEST_SECRET = 8;
const SECRETS = ["client_secret", "code", "code_verifier", "client_assertion"];
/** The characters of `error` and `error_description`, RFC 6749 section 5.2. */
const ERROR_TEXT = /^[ !#-[\]-~]+$/;
/** A challenge of the scheme Basic, alone or in a list, RFC 9110 section 11.6.1. */
const BASIC_CHALLENGE = /(?:^|,)\s*Basic(?:\s|,|$)/i;
/** Errors of RFC 6749 section 5.2 that have the status 400 only: none of them is about the client. */
const BAD_REQUESTS: ReadonlySet<string> = new Set([
  "invalid_grant",
  "unsupported_grant_type",
  "invalid_scope",
]);

/** The checks of each response that gave a token, RFC 6749 section 5.1. */
export const SUCCESS_CHECKS: readonly ResponseCheck[] = [
  {
    id: "token-type",
    title: "`token_type` is Bearer, in any case",
    expected: phrase`token_type is Bearer`,
    faultOf: ({ tokenType }) =>
      tokenType?.toLowerCase() === "bearer"
        ? undefined
        : `it is ${tokenType?.slice(0, 40) ?? "absent"}`,
  },
  {
    id: "no-store",
    title: "Caches must not store the token",
    expected: phrase`\`Cache-Control\` has no-store`,
    faultOf: ({ answer }) => {
      const control = answer.headers["cache-control"];
      return /\bno-store\b/i.test(control ?? "")
        ? undefined
        : `it is ${control?.slice(0, 80) ?? "absent"}`;
    },
  },
  {
    id: "expires-in",
    title: "`expires_in`, if present, is the lifetime of the token",
    expected: phrase`expires_in is the number of seconds until \`exp\``,
    dependsOn: ["authorization-server.claims/exp"],
    faultOf: lifetimeFault,
  },
  {
    id: "status",
    title: "A token comes with the status 200",
    expected: phrase`the status 200`,
    faultOf: ({ answer: { status } }) => (status === 200 ? undefined : `it is ${status}`),
  },
  {
    id: "media-type",
    title: "A token response is served as JSON",
    expected: phrase`\`Content-Type\` is application/json`,
    faultOf: ({ answer }) => mediaTypeFault(answer),
  },
  {
    id: "scope-form",
    title: "`scope`, if present, is a string: words with one space between them",
    source: "RFC 6749 section 5.1 and appendix A.4",
    expected: phrase`scope is a string: words separated by one space`,
    faultOf: ({ answer, scope }) => {
      const said = isObject(answer.json) ? answer.json["scope"] : undefined;
      if (said === undefined || said === null) return undefined;
      return scope === undefined || hasFurtherSpaces(scope)
        ? `it is ${JSON.stringify(said).slice(0, 80)}`
        : undefined;
    },
  },
  {
    id: "echo",
    title: "A token response repeats no secret of the request",
    source: "RFC 6749 section 10.3",
    expected: phrase`no secret, code or verifier of the request`,
    faultOf: (response) => repeated(response, SECRETS),
  },
];

/** The checks of each refusal, RFC 6749 section 5.2. */
export const ERROR_CHECKS: readonly ResponseCheck[] = [
  {
    id: "error-shape",
    title: "A refusal is a JSON object with `error`",
    expected: phrase`a JSON object with error`,
    faultOf: ({ answer, error }) => {
      // The case server-error judges these. RFC 6749 section 5.2 gives them no form.
      if (answer.status >= 500) return undefined;
      if (!isObject(answer.json)) return "it is not a JSON object";
      if (error === undefined) return "there is no error in it";
      return ERROR_TEXT.test(error) ? undefined : "error has characters that it may not have";
    },
  },
  {
    id: "error-description",
    title:
      "`error_description`, if present, is text in ASCII without quotation marks and line breaks",
    expected: phrase`the characters of RFC 6749 section 5.2`,
    faultOf: ({ answer }) => {
      const said = isObject(answer.json) ? answer.json["error_description"] : undefined;
      if (said === undefined || said === null || said === "") return undefined;
      if (typeof said !== "string") return "it is not a string";
      return ERROR_TEXT.test(said) ? undefined : "it has characters that it may not have";
    },
  },
  {
    id: "error-media-type",
    title: "A refusal in JSON is served as JSON",
    expected: phrase`\`Content-Type\` is application/json`,
    // The case error-shape judges other bodies.
    faultOf: ({ answer }) => (isObject(answer.json) ? mediaTypeFault(answer) : undefined),
  },
  {
    id: "error-status",
    title: "A refusal has the status 400, or 401 for a client that could not authenticate",
    expected: phrase`400, or 401; after HTTP Basic 401 with \`WWW-Authenticate: Basic\``,
    faultOf: statusFault,
  },
  {
    id: "error-echo",
    title: "A refusal repeats no secret of the request",
    source: "RFC 6749 section 10.3",
    expected: phrase`no secret, code or verifier of the request`,
    faultOf: (response) => repeated(response, [...SECRETS, "refresh_token"]),
  },
  {
    id: "server-error",
    title: "A request that must be refused does not break the server",
    expected: phrase`a 4xx`,
    // The case that sends a good request reports that it gets no token.
    faultOf: ({ answer: { status }, request }) =>
      status >= 500 && !request.isGood ? `the status ${status}` : undefined,
  },
];

/** The check of each response to client credentials, RFC 6749 section 4.4.3. */
export const NO_REFRESH_TOKEN: Expectation = {
  expected: phrase`only an access token`,
  faultOf: ({ refreshToken }) =>
    refreshToken === undefined ? undefined : "there is a refresh token too",
};

/** What an answer repeats of the secrets in a request; `undefined` where it repeats none. */
function repeated(
  { answer, request }: TokenResponse,
  names: readonly string[],
): string | undefined {
  const repeats = (value: string | null | undefined): boolean =>
    value != null && value.length >= SHORTEST_SECRET && answer.body.includes(value);
  if (repeats(request.password)) return "it repeats the secret of the Authorization header";
  const sent = names.find((name) => repeats(request.form.get(name)));
  return sent === undefined ? undefined : `it repeats ${sent}`;
}

function statusFault({
  answer: { status, headers },
  request,
  error,
}: TokenResponse): string | undefined {
  // The case server-error judges these.
  if (status >= 500) return undefined;
  if (status !== 400 && status !== 401) return `the status ${status}`;
  if (status === 401 && BAD_REQUESTS.has(error ?? "")) return `${error} has the status 401`;
  if (error !== "invalid_client" || !request.basic) return undefined;
  if (status !== 401) return `invalid_client after HTTP Basic has the status ${status}`;
  const challenge = headers["www-authenticate"];
  if (challenge === undefined) return "401 without `WWW-Authenticate`";
  // It must match the scheme that the client used.
  return BASIC_CHALLENGE.test(challenge)
    ? undefined
    : `401 with \`WWW-Authenticate: ${challenge.slice(0, 80)}\`, after HTTP Basic`;
}

function lifetimeFault({ answer, expiresIn, accessToken }: TokenResponse): string | undefined {
  const said = isObject(answer.json) ? answer.json["expires_in"] : undefined;
  if (said === undefined) return undefined;
  if (expiresIn === undefined || expiresIn <= 0)
    return `it is ${JSON.stringify(said).slice(0, 40)}`;
  const parsed = parseToken(accessToken ?? "");
  if (typeof parsed === "string") return undefined;
  const { iat, exp } = parsed.claims;
  if (typeof iat !== "number" || typeof exp !== "number") return undefined;
  const left = exp - secondsAt(answer);
  // A server may date `iat` back for the clocks of receivers, or give the same token again.
  if ([left, exp - iat].some((one) => Math.abs(one - expiresIn) <= MOST_DRIFT_SECONDS))
    return undefined;
  return `it is ${expiresIn}, and \`exp\` is ${Math.round(exp - iat)} after \`iat\`, ${Math.round(left)} after the response`;
}

/** When an answer was made, in seconds since 1970, by the server's clock where it says so. */
function secondsAt({ headers, reply: { exchange } }: TokenResponse["answer"]): number {
  const said = Date.parse(headers["date"] ?? "");
  return (Number.isNaN(said) ? Date.parse(exchange.startedAt) : said) / 1000;
}

/** What is wrong with the media type of an answer that must be JSON, as a phrase; `undefined` where nothing is. */
export function mediaTypeFault({ headers }: Pick<ServerAnswer, "headers">): string | undefined {
  const type = headers["content-type"];
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type ?? "")
    ? undefined
    : `it is ${type?.slice(0, 80) ?? "absent"}`;
}
