import { createHttpClient, type HttpClient, type HttpOptions } from "../../http/client.ts";
import { lookupFor } from "../../http/connection/addresses.ts";
import type { Reply, TokenNote } from "../../http/exchange.ts";
import type { Origin } from "../../http/origin.ts";
import { secretMembers } from "../../http/recording/credentials.ts";
import type { SecretAnswer } from "../../http/recording/record.ts";
import { bufferOf } from "../../lib/bytes.ts";
import { SuiteError } from "../../lib/errors.ts";
import { isObject, parseJson } from "../../lib/json.ts";
import { parseToken } from "../../tokens/parse.ts";

/** The characters of a body that may have a secret among its members. */
const LONGEST_SEARCHED = 64 * 1024;

/** One request to the authorization server, with its complete URL. */
export interface ServerRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** A form, sent as `application/x-www-form-urlencoded`. */
  readonly form?: URLSearchParams | undefined;
  /** Whether to send the form's members as JSON. Default: false. */
  readonly asJson?: boolean | undefined;
}

/** The answer. `reply` is redacted and may be shown; the rest must not be. */
export interface ServerAnswer {
  readonly reply: Reply;
  /** 0 when there was no answer. */
  readonly status: number;
  /** Unredacted; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Unredacted. */
  readonly body: string;
  /** The body as JSON, unredacted; `undefined` where it is not JSON. */
  readonly json: unknown;
}

/** Sends requests to the hosts of one authorization server. Each host has its own HTTP client. */
export interface Origins {
  /** Sends a request of a case or step. Does not follow redirects. Throws only Interrupted. */
  send(name: string, request: ServerRequest): Promise<ServerAnswer>;
  /** Waits before a request to the host of a URL. Throws Interrupted. */
  wait(url: string, ms: number): Promise<void>;
  /** Requests sent so far, including repeats. */
  readonly requests: number;
  /** Requests that were not sent again, because the time for waiting was used up; see `Patience`. */
  readonly unwaited: number;
  close(): Promise<void>;
}

/**
 * Creates the HTTP clients of an authorization server's hosts, on demand.
 * @param common settings of all hosts, which never include the receiver's headers or secrets
 * @param options of each host's client
 */
export function createOrigins(common: Omit<Origin, "origin">, options: HttpOptions): Origins {
  const clients = new Map<string, HttpClient>();

  /** The profile's own URLs were checked before; these are from metadata and redirects. */
  function refusalOf(origin: string): string | undefined {
    try {
      lookupFor({ ...common, origin });
      return undefined;
    } catch (error) {
      if (error instanceof SuiteError) return `${origin} is not on the public internet`;
      throw error;
    }
  }

  function clientOf(origin: string): HttpClient {
    const known = clients.get(origin);
    if (known) return known;
    const created = createHttpClient({ ...common, origin, refused: refusalOf(origin) }, options);
    clients.set(origin, created);
    return created;
  }

  const sumOf = (count: (client: HttpClient) => number): number =>
    [...clients.values()].reduce((sum, client) => sum + count(client), 0);

  return {
    async send(name, { method, url, headers = [], form, asJson = false }) {
      const { origin, pathname, search } = new URL(url);
      const body = form && (asJson ? JSON.stringify(Object.fromEntries(form)) : form.toString());
      const type = asJson ? "application/json" : "application/x-www-form-urlencoded";
      let raw: Pick<ServerAnswer, "headers" | "body"> = { headers: {}, body: "" };
      const reply = await clientOf(origin).send(
        {
          method,
          path: pathname + search,
          headers: [...(form ? [["content-type", type] as const] : []), ...headers],
          body,
        },
        {
          caseId: name,
          secretsIn(received) {
            raw = { headers: received.headers, body: bufferOf(received.body).toString("utf8") };
            return secretsOfAnswer(raw);
          },
        },
      );
      return { reply, status: reply.status, ...raw, json: parseJson(raw.body) };
    },
    wait: (url, ms) => clientOf(new URL(url).origin).wait(ms),
    get requests() {
      return sumOf((client) => client.requests);
    },
    get unwaited() {
      return sumOf((client) => client.patience.refused);
    },
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}

/**
 * What must not be recorded of an answer. The whole body is secret where it is not JSON, because forms and
 * links of a page hold session ids, and where it is too long to be searched.
 */
function secretsOfAnswer({ headers, body }: Pick<ServerAnswer, "headers" | "body">): SecretAnswer {
  return {
    secrets: [...secretMembers(body), ...locationSecrets(headers)],
    body: parseJson(body) === undefined || body.length > LONGEST_SEARCHED,
    issued: issuedIn(body),
  };
}

/** What the record shows of a token longer than this would be too much. */
const LONGEST_TOKEN = 4096;

/** Header and claims of the access token of a response, RFC 6749 section 5.1; `undefined` without one that can be read. */
function issuedIn(body: string): TokenNote | undefined {
  const json = parseJson(body);
  const token = isObject(json) ? json["access_token"] : undefined;
  if (typeof token !== "string" || token.length > LONGEST_TOKEN) return undefined;
  const parsed = parseToken(token);
  if (typeof parsed === "string" || parsed.repeated.length > 0) return undefined;
  return { header: parsed.header, claims: parsed.claims };
}

/** The values in a redirect's query and fragment that are secret: codes and session ids. */
function locationSecrets({ location }: ServerAnswer["headers"]): string[] {
  const [, after = ""] = /[?#](.*)$/s.exec(location ?? "") ?? [];
  return [...new URLSearchParams(after.replace("#", "&"))].flatMap(([name, value]) =>
    PUBLIC_PARAMETERS.has(name) ? [] : [value],
  );
}

/** Parameters of requests and redirects that are not secret and explain the answer. */
const PUBLIC_PARAMETERS: ReadonlySet<string> = new Set([
  "client_id",
  "code_challenge",
  "code_challenge_method",
  "error",
  "error_description",
  "error_uri",
  "iss",
  "redirect_uri",
  "resource",
  "response_mode",
  "response_type",
  "scope",
]);
