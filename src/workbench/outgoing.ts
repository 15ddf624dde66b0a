import type { OperationId } from "../contract/operations.ts";
import type { HttpRequest } from "../http/exchange.ts";
import { isSafe } from "../http/persistence/retry.ts";
import type { Known } from "../model/known.ts";
import { type AskedRequest, describeRequest } from "../model/request.ts";
import { overridesOf, readingsOf } from "../model/route.ts";
import type { Target } from "../profile/target.ts";
import type { ContractSays, Edited } from "./api.ts";
import { TOKEN } from "./start.ts";

const UNIQUE = "${unique}";
const LONGEST_PATH = 16 * 1024;
const LONGEST_HEADERS = 48 * 1024;
const LONGEST_BODY = 512 * 1024;
/** RFC 9110 §5.6.2. */
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const METHOD = /^[!#$%&'*+.^_`|~\w-]{1,32}$/;
/** Visible characters of one byte: nothing can end the line. */
const PATH = /^(?:\/|https?:\/\/)[\x21-\x7e\x80-\xff]*$/i;
/** Characters of one byte that do not end the line, blanks and tabs among them, RFC 9110 §5.5. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Fields that decide where a message ends or what becomes of the connection. The client sets them. */
const OF_THE_CONNECTION = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "content-length",
  "expect",
]);

/**
 * Why an edited request cannot be sent, as a sentence. It is sent to the origin of the profile, whatever its path and its fields
 * say; this keeps it one request.
 */
export function whyMalformed({ method, path, headers, body = "" }: Edited): string | undefined {
  if (!METHOD.test(method) || method.toUpperCase() === "CONNECT") {
    return "The method is not one that can be sent, such as GET or PATCH.";
  }
  if (path.length > LONGEST_PATH) return "The path is longer than 16 KiB.";
  if (!PATH.test(path)) {
    return "The path begins with a slash, or is a whole URL, and has neither blanks nor control characters. Write others as %20.";
  }
  const odd = headers.find(([name]) => !NAME.test(name));
  if (odd) return `"${odd[0].slice(0, 40)}" is not the name of a header field.`;
  const own = headers.find(([name]) => OF_THE_CONNECTION.has(name.toLowerCase()));
  if (own) return `The client sets the header field ${own[0]} itself.`;
  const broken = headers.find(([, value]) => !VALUE.test(value));
  if (broken) {
    return `The value of ${broken[0]} has a line break or another character that a header field cannot have.`;
  }
  const size = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (size > LONGEST_HEADERS) return "The header fields are longer than 48 KiB.";
  if (Buffer.byteLength(body) > LONGEST_BODY) return "The body is larger than 512 KiB.";
  return undefined;
}

/** The edited request with values in place of its placeholders. The credential is already a token. */
export function filled(
  { method, path, headers, body }: Edited,
  token: string | undefined,
  unique: string,
): HttpRequest {
  const fill = (text: string): string =>
    text.replaceAll(UNIQUE, unique).replaceAll(TOKEN, () => token ?? TOKEN);
  return {
    method,
    path: fill(path),
    headers: headers.map(([name, value]) => [name, fill(value)] as const),
    ...(body !== undefined && { body: fill(body) }),
  };
}

/** Whether any part of an edited request has the placeholder of the token. */
export function wantsToken({ path, headers, body = "" }: Edited): boolean {
  return [path, body, ...headers.map(([, value]) => value)].some((text) => text.includes(TOKEN));
}

/** A request as the model is asked about it, with the fields of the profile. */
export function asAsked(
  spec: HttpRequest,
  { request: { headers } }: Target,
  token: string | undefined,
): AskedRequest {
  const own = new Set(spec.headers.map(([name]) => name.toLowerCase()));
  const standing = Object.entries(headers).filter(([name]) => !own.has(name));
  return describeRequest({ ...spec, headers: [...standing, ...spec.headers] }, token);
}

/** The operation that a request is, or may be taken for. */
export function operationOf(asked: AskedRequest, known: Known): OperationId | undefined {
  return readingsOf(asked, known)[0]?.operation.id;
}

/** Whether a request may change something: by its method, or by one that it names beside it. */
export function mayWrite(asked: AskedRequest): boolean {
  return [asked.method, ...overridesOf(asked)].some((method) => !isSafe(method));
}

const UUID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gi;

/** Why a write is not sent, as a sentence, with what to do; `undefined` where the profile permits it. */
export function whyNotWritten(
  asked: AskedRequest,
  target: Target,
  says: ContractSays,
): { readonly because: string; readonly hint?: string } | undefined {
  const { organizations, denied, otherWrites } = target;
  if (target.readOnly) {
    return {
      because: "It may write, and --read-only permits no writes.",
      hint: "Open the report without --read-only.",
    };
  }
  if (!target.consent) {
    return {
      because: "It may write, and the profile does not consent to writes.",
      hint: "Set `writes: true` in the profile of a deployment that may be changed, and start again.",
    };
  }
  if (!target.writes) {
    return {
      because: "It may write, and the profile names no organization that may be changed.",
      hint: "Set `organizations.primary` in the profile, and start again.",
    };
  }
  const consented = [organizations.primary, otherWrites ? organizations.other : undefined];
  // A run sends writes that must be rejected to the other organizations of the profile too.
  const isRejected = says.is === "rejected" && says.level === "MUST";
  const known = isRejected ? [...consented, organizations.other, denied?.organization] : consented;
  const permitted = new Set(known.map((id) => id?.toLowerCase()));
  const other = organizationsIn(asked.target).find((id) => !permitted.has(id));
  if (other === undefined) return undefined;
  return {
    because: `It may write to ${other}, and the profile consents to changes of ${organizations.primary} only.`,
    hint: "Judging the case again sends what a run sends.",
  };
}

/** The UUIDs of a path, as a lenient router may decode it, but those of changes. */
function organizationsIn(target: string): string[] {
  let text = target;
  for (let time = 0; time < 3; time += 1) text = decoded(text);
  const path = text.split("?", 1)[0] ?? "";
  return (path.replaceAll(/\/changes\/[^/]*/gi, "").match(UUID) ?? []).map((id) =>
    id.toLowerCase(),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
