import { lookupFor } from "../http/addresses.ts";
import { createHttpClient, type HttpClient, type HttpOptions } from "../http/client.ts";
import type { Reply } from "../http/exchange.ts";
import type { Origin } from "../http/origin.ts";
import { SuiteError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { parseJson } from "../lib/json.ts";

/** One request to the authorization server, by its whole URL. */
export interface ServerRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** A form, sent as `application/x-www-form-urlencoded`. */
  readonly form?: URLSearchParams | undefined;
  /** The members of the form are sent as JSON. Default: false. */
  readonly asJson?: boolean | undefined;
}

/** What came back. `reply` is redacted and may be shown; the rest never is. */
export interface ServerAnswer {
  readonly reply: Reply;
  /** 0 when there was no answer. */
  readonly status: number;
  /** As it came; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it came. */
  readonly body: string;
  /** The body as JSON, as it came; `undefined` where it is none. */
  readonly json: unknown;
}

/** Sends requests to the hosts of one authorization server, each by an HTTP client of its own. */
export interface Origins {
  /**
   * Resolves for whatever the server does; redirects are not followed.
   * @param name `<rule id>/<case id>`, or the name of a step
   * @throws Interrupted
   */
  send(name: string, request: ServerRequest): Promise<ServerAnswer>;
  /** Requests sent so far, repeats included. */
  readonly requests: number;
  close(): Promise<void>;
}

/** Members of forms, queries and JSON whose values are worth stealing; RFC 6749, 7521, 7636, OpenID Connect. */
const SECRET_NAMES = [
  "access_token",
  "assertion",
  "client_assertion",
  "client_secret",
  "code",
  "code_verifier",
  "id_token",
  "password",
  "refresh_token",
] as const;

/**
 * @param common what the hosts share: never the headers or secrets of the receiver
 * @param options of each host's client
 */
export function createOrigins(common: Omit<Origin, "origin">, options: HttpOptions): Origins {
  const clients = new Map<string, HttpClient>();

  /** The profile's own URLs were looked at before; these are what the server's metadata and redirects name. */
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

  return {
    async send(name, { method, url, headers = [], form, asJson = false }) {
      const { origin, pathname, search, searchParams } = new URL(url);
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
          secrets: [...secretsOf(searchParams), ...(form ? secretsOf(form) : [])],
          secretsIn(received) {
            raw = { headers: received.headers, body: received.body.toString("utf8") };
            return secretsOfAnswer(raw);
          },
        },
      );
      return { reply, status: reply.status, ...raw, json: parseJson(raw.body) };
    },
    get requests() {
      return [...clients.values()].reduce((sum, client) => sum + client.requests, 0);
    },
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}

function secretsOf(parameters: URLSearchParams): string[] {
  return SECRET_NAMES.flatMap((name) => parameters.getAll(name));
}

/**
 * The secrets of an answer. All of it counts as one where it is no JSON, because forms and links of a
 * page hold sessions, and where a secret is spelled so that nobody could find it.
 */
function secretsOfAnswer({ headers, body }: Pick<ServerAnswer, "headers" | "body">): string[] {
  const json = parseJson(body);
  const members = isObject(json)
    ? SECRET_NAMES.map((name) => json[name]).filter((value) => typeof value === "string")
    : [];
  const plain = json !== undefined && members.every((value) => body.includes(value));
  return [...(plain ? members : [body]), ...locationSecrets(headers)];
}

/** What a redirect carries in its query or fragment, whatever it is called: codes and sessions. */
function locationSecrets({ location }: ServerAnswer["headers"]): string[] {
  const [, after = ""] = /[?#](.*)$/s.exec(location ?? "") ?? [];
  return [...new URLSearchParams(after.replace("#", "&"))].flatMap(([name, value]) =>
    PUBLIC_PARAMETERS.has(name) ? [] : [value],
  );
}

/** Parameters of requests and redirects that are no secret and that say what happened. */
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
