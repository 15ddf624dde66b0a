import type { Exchange, HttpRequest, TokenNote } from "./exchange.ts";
import type { Origin } from "./origin.ts";
import { isRandomLooking } from "./random-looking.ts";
import { needlesOf, redactAll, type Redactor, redactorFor, redactTexts } from "./redact.ts";
import type { Received } from "./transport.ts";

/** What is kept of a body in the record, in characters. */
const BODY_CHARACTERS = 4096;
/** What is read of a body for that, so that a secret is recognised of which a part is kept. */
const LOOKED_AT_BYTES = 128 * 1024;
/** Longer than any secret is spelt, in characters. */
const LONGEST_SPELLING = 64 * 1024;
/** What is kept of all fields of a head together, in characters. */
const HEAD_CHARACTERS = 8192;
/** Shorter than any signature; what is shorter may be a word that occurs elsewhere. */
export const SHORTEST_TOKEN = 20;
/** Parts of a credential that are worth something on their own. */
const SHORTEST_PART = 8;

const CREDENTIAL_NAME = /auth|cookie|key|token|secret|passw|credential|session|signature/i;
/** Fields whose values are credentials whoever sends them. */
const CREDENTIAL_FIELD = /authorization|cookie/i;

/** Makes what is kept of an exchange from what was sent and received. */
export interface Recorder {
  /** What is secret in every exchange with the target is removed by it. */
  readonly redact: Redactor;
  /** The same for an exchange that carried a token, and other secrets of its own. */
  redactorFor(token: string | undefined, own?: readonly string[]): Redactor;
  request(
    spec: HttpRequest,
    tokenNote: TokenNote | undefined,
    redact: Redactor,
  ): Exchange["request"];
  /**
   * @param received as it came
   * @param read bytes of the body that are read for what is kept; default: as many as secrets of a request may take
   */
  response(received: Received, redact: Redactor, read?: number): NonNullable<Exchange["response"]>;
}

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

  /** Whatever is secret in other values is looked for afterwards. */
  function withoutCredential(name: string, value: string): string {
    if (!CREDENTIAL_FIELD.test(name) && !hidden.has(name.toLowerCase())) return value;
    // Which scheme it was is no secret, and often what a probe is about.
    const scheme = /^([A-Za-z][\w-]{0,15}) /.exec(value)?.[1];
    return value === "" ? "" : scheme ? `${scheme} [redacted]` : "[redacted]";
  }

  return {
    redact,
    redactorFor(token, own = []) {
      const further = [...(token === undefined ? [] : worthy(token)), ...own];
      return further.length === 0 ? redact : redactorFor([...needles, ...needlesOf(further)]);
    },
    request({ method, path, headers, body }, tokenNote, clean) {
      const [url = "", ...values] = redactAll(
        [
          path.startsWith("/") ? origin + path : path,
          ...headers.map(([name, value]) => withoutCredential(name, value)),
        ],
        clean,
      );
      return {
        method,
        url,
        headers: headers.map(([name], index) => [name, values[index] ?? ""] as const),
        ...(body !== undefined && { body: beginning(clean(body)) }),
        token: tokenNote && redactTexts(tokenNote, redact),
      };
    },
    response({ status, headers, body, cut }, clean, read = LOOKED_AT_BYTES) {
      const kept = recordedHead(headers, clean);
      const whole = Object.keys(kept).length === Object.keys(headers).length;
      const text = beginningOf(body, clean, read);
      return {
        status,
        headers: kept,
        body: beginning(text),
        truncated: cut || body.length > read || text.length > BODY_CHARACTERS || !whole,
      };
    },
  };
}

/**
 * The beginning of a body, redacted. What a secret is cut off by is left out: its first half is not recognised, and may
 * stand nearer to the beginning once others have been taken out before it.
 */
function beginningOf(body: Buffer, clean: Redactor, read: number): string {
  if (body.length <= read) return clean(body.toString("utf8"));
  const text = clean(body.toString("utf8", 0, read));
  return text.slice(0, Math.max(0, text.length - LONGEST_SPELLING));
}

/** The kept part of a body, as a text of its own: a slice would keep the whole body in memory. */
function beginning(body: string): string {
  return Buffer.from(body.slice(0, BODY_CHARACTERS)).toString();
}

/** Response fields as far as there is room for them. A cookie is the deployment's own credential. */
function recordedHead(headers: Received["headers"], clean: Redactor): Record<string, string> {
  let room = HEAD_CHARACTERS;
  const kept: [string, string][] = [];
  for (const [name, value] of Object.entries(redactTexts(headers, clean))) {
    const shown = CREDENTIAL_FIELD.test(name) ? "[redacted]" : value;
    room -= name.length + shown.length;
    if (room >= 0) kept.push([name, shown]);
  }
  return Object.fromEntries(kept);
}

/** The token, and its signature on its own: either would be worth stealing. */
function worthy(token: string): string[] {
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return [token, signature].filter(({ length }) => length >= SHORTEST_TOKEN);
}

/** What a header value is made of: `Basic dXNlcjpwYXNz`, `a=…; b=…`. */
function worthyParts(value: string): string[] {
  const parts = longParts(value, /[\s;,]+|(?<=\w)=(?=\w)/);
  const encoded = /^Basic (\S+)$/i.exec(value)?.[1];
  if (encoded === undefined) return parts;
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  // Colons after the first one are the password's own, RFC 7617 §2.
  const password = pair.slice(pair.indexOf(":") + 1);
  return [...parts, pair, password, ...longParts(password, /:/)];
}

function longParts(text: string, separator: RegExp): string[] {
  return text.split(separator).filter(({ length }) => length >= SHORTEST_PART);
}
