import type { Received } from "../connection/transport.ts";
import type { Exchange, HttpRequest, TokenNote } from "../exchange.ts";
import type { Origin } from "../origin.ts";
import { isRandomLooking } from "./random-looking.ts";
import { needlesOf, redactAll, type Redactor, redactorFor, redactTexts } from "./redact.ts";

/** The characters of a body that are recorded. */
const BODY_CHARACTERS = 4096;
/**
 * The bytes of a body that are searched for secrets before it is cut, so that a secret is found where
 * it crosses the cut.
 */
const LOOKED_AT_BYTES = 128 * 1024;
/** No spelling of a secret is longer, in characters. */
const LONGEST_SPELLING = 64 * 1024;
/** The characters that are recorded of all fields of a head together. */
const HEAD_CHARACTERS = 8192;
/** Shorter than any signature. A shorter text may be an ordinary word. */
export const SHORTEST_TOKEN = 20;
/** The shortest part of a credential that is itself worth hiding. */
const SHORTEST_PART = 8;

const CREDENTIAL_NAME = /auth|cookie|key|token|secret|passw|credential|session|signature/i;
/** Fields whose values are credentials, in requests and responses. */
const CREDENTIAL_FIELD = /authorization|cookie/i;
/** The same in responses alone: what a deployment hands out. */
const ISSUED_FIELD = /token|secret|passw|session|api-?key/i;

/** What a recorder is told of one exchange. */
export interface OwnSecrets {
  /** The access token of the request. */
  readonly token?: string | undefined;
  /** Other values that must not be recorded. Default: none. */
  readonly secrets?: readonly string[] | undefined;
  /** Bytes of the body that are searched for them. Default: `LOOKED_AT_BYTES`. */
  readonly searched?: number | undefined;
}

/** The recorded form of an exchange. */
export interface Recorded {
  readonly request: Exchange["request"];
  readonly response: NonNullable<Exchange["response"]>;
  /** All header fields of the response, redacted. */
  readonly headers: Received["headers"];
  /** Removes the secrets of this exchange, and those of every exchange with the target. */
  readonly redact: Redactor;
  /** The same for the body of this response. */
  readonly redactBody: Redactor;
}

/** Makes the recorded form of exchanges with one target. */
export interface Recorder {
  /** Removes the secrets of every exchange with the target. */
  readonly redact: Redactor;
  /** Records a request and its response, `NO_RESPONSE` where there is none. */
  record(
    sent: HttpRequest,
    received: Received,
    tokenNote: TokenNote | undefined,
    own: OwnSecrets,
  ): Recorded;
}

/** Creates the recorder of a target. It hides the target's secrets and the credentials among its headers. */
export function createRecorder(target: Origin): Recorder {
  const { origin, request, secrets } = target;
  const standing = Object.entries(request.headers);
  const credentials = standing.filter(
    ([name, value]) =>
      CREDENTIAL_NAME.test(name) ||
      isRandomLooking(value) ||
      secrets.some((secret) => secret && value.includes(secret)),
  );
  const hidden = new Set(credentials.map(([name]) => name));
  const needles = needlesOf([
    ...secrets,
    ...credentials.flatMap(([, value]) => [value, ...worthyParts(value)]),
  ]);
  const redact = redactorFor(needles);

  /** Hides credentials as a whole. Secrets in other values are removed later. */
  function withoutCredential(name: string, value: string): string {
    if (!CREDENTIAL_FIELD.test(name) && !hidden.has(name.toLowerCase())) return value;
    // The scheme is not secret, and probes are often about it.
    const scheme = /^([A-Za-z][\w-]{0,15}) /.exec(value)?.[1];
    return value === "" ? "" : scheme ? `${scheme} [redacted]` : "[redacted]";
  }

  function redactorWith({ token, secrets: more = [] }: OwnSecrets): Redactor {
    const further = [...(token === undefined ? [] : worthy(token)), ...more];
    return further.length === 0 ? redact : redactorFor([...needles, ...needlesOf(further)]);
  }

  return {
    redact,
    record({ method, path, headers, body }, received, tokenNote, own) {
      const { searched = LOOKED_AT_BYTES } = own;
      const clean = redactorWith(own);
      const names = Object.keys(received.headers);
      const texts = [
        received.body.toString("utf8", 0, searched),
        body ?? "",
        path.startsWith("/") ? origin + path : path,
        ...headers.map(([name, value]) => withoutCredential(name, value)),
        ...Object.values(received.headers),
      ];
      const redacted = redactAll(texts, clean);
      const [text = "", sentBody = "", url = "", ...values] = redacted;
      const answered = Object.fromEntries(
        names.map((name, index) => [name, values[headers.length + index] ?? ""]),
      );
      const isWhole = received.body.length <= searched;
      return {
        redact: clean,
        redactBody: isWhole && redacted === texts ? unchanged : clean,
        headers: answered,
        request: {
          method,
          url,
          headers: headers.map(([name], index) => [name, values[index] ?? ""] as const),
          ...(body !== undefined && { body: beginning(sentBody) }),
          token: tokenNote && redactTexts(tokenNote, redact),
        },
        response: recordedResponse(received, answered, isWhole ? text : withoutEnd(text), isWhole),
      };
    },
  };
}

const unchanged: Redactor = (text) => text;

function recordedResponse(
  { status, cut, undecoded }: Received,
  headers: Received["headers"],
  text: string,
  isWhole: boolean,
): Recorded["response"] {
  const kept = recordedHead(headers);
  const hasAllFields = Object.keys(kept).length === Object.keys(headers).length;
  return {
    status,
    headers: kept,
    body: beginning(text),
    truncated: cut || !isWhole || text.length > BODY_CHARACTERS || !hasAllFields,
    ...(undecoded && { undecoded }),
  };
}

/**
 * Drops the end, where a secret may be cut in half and so not be recognised. Redaction shortens the text, which can move that
 * half into the recorded part.
 */
function withoutEnd(text: string): string {
  return text.slice(0, Math.max(0, text.length - LONGEST_SPELLING));
}

/** The recorded part of a body, copied: a slice would keep the whole body in memory. */
function beginning(body: string): string {
  return Buffer.from(body.slice(0, BODY_CHARACTERS)).toString();
}

/** The response fields that fit into the limit. Cookies, sessions and keys are the deployment's own credentials. */
function recordedHead(headers: Received["headers"]): Record<string, string> {
  let room = HEAD_CHARACTERS;
  const kept: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    const isCredential = CREDENTIAL_FIELD.test(name) || ISSUED_FIELD.test(name);
    const shown = isCredential ? "[redacted]" : value;
    room -= name.length + shown.length;
    if (room >= 0) kept.push([name, shown]);
  }
  return Object.fromEntries(kept);
}

/** A token and its signature. Both are secret. */
function worthy(token: string): string[] {
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return [token, signature].filter(({ length }) => length >= SHORTEST_TOKEN);
}

/** The parts of a header value: `Basic dXNlcjpwYXNz`, `a=…; b=…`. */
function worthyParts(value: string): string[] {
  const parts = longParts(value, /[\s;,]+|(?<=\w)=(?=\w)/);
  const encoded = /^Basic (\S+)$/i.exec(value)?.[1];
  if (encoded === undefined) return parts;
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  // Later colons belong to the password, RFC 7617 §2.
  const password = pair.slice(pair.indexOf(":") + 1);
  return [...parts, pair, password, ...longParts(password, /:/)];
}

function longParts(text: string, separator: RegExp): string[] {
  return text.split(separator).filter(({ length }) => length >= SHORTEST_PART);
}
