import { isUuid } from "../../contract/uuid.ts";
import { bufferOf } from "../../lib/bytes.ts";
import type { Received } from "../connection/transport.ts";
import type { Exchange, HttpRequest, Redaction, TokenNote } from "../exchange.ts";
import type { Origin } from "../origin.ts";
import { credentialsIn, tokenParts, worthyParts } from "./credentials.ts";
import { redactAll, redacted, type Redactor, redactorOf, redactTexts, textsIn } from "./redact.ts";
import { createSecrets, type Secrets } from "./secrets.ts";

/** The characters of a body that are recorded. */
export const BODY_CHARACTERS = 4096;
/** The characters that are recorded of the body of an accepted response, by whose content rules judge. */
const ACCEPTED_BODY_CHARACTERS = 12_288;
/** No spelling of a secret is longer, in bytes. So many more than are recorded are searched, so that no cut hides a secret. */
const LONGEST_SPELLING = 32 * 1024;
/** The characters that are recorded of all fields of a head together. */
const HEAD_CHARACTERS = 8192;
const CREDENTIAL_NAME = /auth|cookie|key|token|secret|passw|credential|session|signature/i;
/** Fields whose values are credentials, in requests and responses. */
const CREDENTIAL_FIELD = /authorization|cookie/i;
/** Fields whose values are credentials in responses alone: what a deployment hands out. */
const ISSUED_FIELD = /token|secret|passw|session|api-?key/i;

type Field = readonly [name: string, value: string];

/** The sender of a request. */
export interface Sender {
  /** `<rule id>/<case id>`, which requests carry and which is no secret. */
  readonly caseId: string;
  /** The access token, so that it can be kept out of the record. */
  readonly token?: string | undefined;
  /** What the record may show of it. */
  readonly tokenNote?: TokenNote | undefined;
}

/** What of a response must not be recorded. */
export interface SecretAnswer {
  readonly secrets: readonly string[];
  /** Whether its whole body is secret. */
  readonly body: boolean;
  /** What may be recorded of an access token in it. */
  readonly issued?: TokenNote | undefined;
}

/** The recorded form of an exchange. */
export type Recorded = Pick<Required<Exchange>, "request" | "response"> &
  Pick<Exchange, "redactions">;

/** Makes the recorded form of exchanges with one target. */
export interface Recorder {
  /** Removes all secrets that are known so far. */
  readonly redact: Redactor;
  /** The value of a header field of a request. A credential is hidden as a whole; secrets in other values are not. */
  withoutCredential(name: string, value: string): string;
  /**
   * Records a request and its response, `NO_RESPONSE` where there is none.
   * @param answered default: nothing of the response is secret in itself
   */
  record(sent: HttpRequest, received: Received, sender: Sender, answered?: SecretAnswer): Recorded;
}

/** The secrets of a target: those that it names, and the credentials among the headers of its requests. */
export function secretsOf({ secrets, request, openly }: Origin): Secrets {
  const credentials = Object.entries(request.headers).flatMap(([name, value]) =>
    isCredential(name, value, secrets) ? [value, ...worthyParts(value)] : [],
  );
  return createSecrets([...secrets, ...credentials], openly);
}

function isCredential(name: string, value: string, secrets: readonly string[]): boolean {
  return (
    CREDENTIAL_NAME.test(name) ||
    isRandomLooking(value) ||
    secrets.some((secret) => secret && value.includes(secret))
  );
}

/**
 * Creates the recorder of a target. It hides the target's secrets, the credentials among its headers, and what its
 * requests present.
 * @param secrets default: those of the target alone
 */
export function createRecorder(target: Origin, secrets: Secrets = secretsOf(target)): Recorder {
  const { origin, request } = target;
  const hidden = new Set(
    Object.entries(request.headers)
      .filter(([name, value]) => isCredential(name, value, target.secrets))
      .map(([name]) => name),
  );
  const redact = redactorOf(secrets);
  const pool = createPool();

  /** Hides credentials as a whole. Secrets in other values are removed later. */
  function withoutCredential(name: string, value: string): string {
    if (!CREDENTIAL_FIELD.test(name) && !hidden.has(name.toLowerCase())) return value;
    // The scheme is not secret, and probes are often about it.
    const scheme = /^([A-Za-z][\w-]{0,15}) /.exec(value)?.[1];
    return value === "" ? "" : scheme ? `${scheme} [redacted]` : "[redacted]";
  }

  function noted(token: TokenNote, clean: Redactor): TokenNote {
    const shown = redactTexts(token, clean, pool.has);
    for (const text of textsIn(shown)) pool.add(text);
    return shown;
  }

  return {
    redact,
    withoutCredential,
    record(sent, received, { caseId, token = "", tokenNote }, answered) {
      const { method, path, headers, body } = sent;
      const { secrets: more = [], body: secretBody = false, issued } = answered ?? {};
      secrets.add([...tokenParts(token), ...credentialsIn(sent), ...more]);
      const redactions: Redaction[] = [];
      const at = (place: string) => (text: string) => {
        const { text: clean, kinds } = redacted(text, secrets);
        redactions.push(...kinds.map((kind) => ({ place, kind })));
        return clean;
      };
      const hide = (place: string, value: string, shown: string): string => {
        if (shown !== value) redactions.push({ place, kind: "credential" });
        return shown;
      };

      const fields = Object.entries(received.headers);
      const most = charactersKept(received);
      const searched = bufferOf(received.body).subarray(0, most + LONGEST_SPELLING);
      const isWhole = searched.length === received.body.length;
      const texts: readonly (readonly [place: string, text: string])[] = [
        ["response.body", secretBody ? "" : searched.toString()],
        ["request.body", (body ?? "").slice(0, BODY_CHARACTERS + LONGEST_SPELLING)],
        ["request.url", path.startsWith("/") ? origin + path : path],
        ...headers.map(([name, value]) => {
          const place = `request.headers.${name}`;
          return [place, hide(place, value, withoutCredential(name, value))] as const;
        }),
        ...fields.map(([name]) => ["response.headers", name] as const),
        // What is hidden as a whole is not searched.
        ...fields.map(
          ([name, value]) => [`response.headers.${name}`, isIssued(name) ? "" : value] as const,
        ),
      ];
      const plain = texts.map(([, text]) => text);
      const all = redactAll(plain, redact, {
        cleanOne: (one, nth) => at(redact(texts[nth]?.[0] ?? ""))(one),
        // Each case has another id, which is most of what is new in its requests.
        isClean: (one) => one === caseId || pool.has(one),
      });
      const [text = "", sentBody = "", url = "", ...rest] = all;
      // A long one is recorded in part, and mostly comes again.
      if (text === plain[0]) pool.add(text);
      const names = rest.slice(headers.length, headers.length + fields.length);
      const values = rest.slice(headers.length + fields.length);
      // Cookies, sessions and keys are the deployment's own credentials.
      const shownFields = fields.map(([name, value], nth): Field => {
        const shown = names[nth] ?? "";
        const place = `response.headers.${shown}`;
        return [shown, isIssued(name) ? hide(place, value, "[redacted]") : (values[nth] ?? "")];
      });
      const shownBody =
        secretBody && received.body.length > 0
          ? hide("response.body", "", "[redacted]")
          : isWhole
            ? text
            : withoutEnd(text, searched.toString("utf8", most).length);
      return {
        request: {
          method,
          url: pool.add(url),
          headers: headers.map(([name, value], index) =>
            value === caseId ? [name, caseId] : [name, pool.add(rest[index] ?? "")],
          ),
          ...(body !== undefined && { body: pool.add(beginning(sentBody, BODY_CHARACTERS)) }),
          token: tokenNote && noted(tokenNote, at("request.token")),
        },
        response: {
          ...recordedResponse(received, shownFields, shownBody, isWhole, pool),
          ...(issued && { token: noted(issued, at("response.token")) }),
        },
        ...(redactions.length > 0 && { redactions: each(redactions) }),
      };
    },
  };
}

/** Whether a response field holds a credential that the deployment hands out. */
function isIssued(name: string): boolean {
  return CREDENTIAL_FIELD.test(name) || ISSUED_FIELD.test(name);
}

/** Each redaction once: a place may hold the same kind more than once. */
function each(redactions: readonly Redaction[]): Redaction[] {
  return [...new Map(redactions.map((one) => [`${one.place} ${one.kind}`, one])).values()];
}

/** @param fields redacted */
function recordedResponse(
  received: Received,
  fields: readonly Field[],
  text: string,
  isWhole: boolean,
  pool: Pool,
): Recorded["response"] {
  const { status, cut, undecoded } = received;
  const most = charactersKept(received);
  const kept = withinRoom(fields);
  return {
    status,
    headers: merged(kept, pool),
    body: pool.add(beginning(text, most)),
    truncated: cut || !isWhole || text.length > most || kept.length < fields.length,
    ...(undecoded && { undecoded }),
  };
}

/** The most texts of a pool, and their characters. When it is full, it begins anew. */
const [POOLED, POOLED_CHARACTERS] = [2048, 2 * 1024 * 1024];

/** Texts without secrets. Most of a run are the same ones, so each is searched once and kept once. */
interface Pool {
  readonly has: (text: string) => boolean;
  /** Adds a text. Returns it as it is kept. */
  readonly add: (text: string) => string;
}

function createPool(): Pool {
  const texts = new Map<string, string>();
  let characters = 0;
  return {
    has: (text) => texts.has(text),
    add(text) {
      const known = texts.get(text);
      if (known !== undefined) return known;
      characters += text.length;
      if (texts.size >= POOLED || characters > POOLED_CHARACTERS) {
        texts.clear();
        characters = text.length;
      }
      texts.set(text, text);
      return text;
    },
  };
}

function charactersKept({ status }: Received): number {
  return status >= 200 && status < 300 ? ACCEPTED_BODY_CHARACTERS : BODY_CHARACTERS;
}

/**
 * Drops the end, where a secret may be cut in half and so not be recognised. Redaction shortens the text, which can move that
 * half into the recorded part.
 * @param characters of the end
 */
function withoutEnd(text: string, characters: number): string {
  return text.slice(0, Math.max(0, text.length - characters));
}

/** The recorded part of a body, copied: a slice would keep the whole body in memory. */
function beginning(body: string, characters: number): string {
  return Buffer.from(body.slice(0, characters)).toString();
}

/** The response fields that fit into the limit. */
function withinRoom(fields: readonly Field[]): Field[] {
  let room = HEAD_CHARACTERS;
  return fields.filter(([name, value]) => {
    room -= name.length + value.length;
    return room >= 0;
  });
}

/** Fields by name. Redacted names may be the same; their values are joined by a comma, as those of repeated fields. */
function merged(fields: readonly Field[], pool: Pool): Record<string, string> {
  const byName = new Map<string, string>();
  for (const [name, value] of fields) {
    const known = byName.get(name);
    byName.set(pool.add(name), pool.add(known === undefined ? value : `${known}, ${value}`));
  }
  return Object.fromEntries(byName);
}

const SHORTEST = 16;
/** Changes between lower case, upper case and digits. Words and dates have fewer. */
const FEWEST_CHANGES = 4;

/**
 * Whether a header value holds sixteen or more characters in a row that look like a generated key. A
 * UUID does not count: it usually identifies a tenant, which responses may show.
 */
function isRandomLooking(value: string): boolean {
  return value
    .split(/[^\w~+/-]+/)
    .some((part) => part.length >= SHORTEST && !isUuid(part) && isMixed(part));
}

function isMixed(part: string): boolean {
  const words = part.match(/[a-z\d]+/gi) ?? [];
  const kinds = part.match(/[a-z]+|[A-Z]+|\d+/g) ?? [];
  return kinds.length - words.length >= FEWEST_CHANGES;
}
