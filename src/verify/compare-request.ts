import { isDeepStrictEqual } from "node:util";

import { OF_EACH_TOKEN } from "../contract/claims.ts";
import { SCOPES } from "../contract/operations.ts";
import { UUIDS } from "../contract/uuid.ts";
import { withStandingHeaders } from "../http/attempts.ts";
import { NO_RESPONSE } from "../http/connection/transport.ts";
import type { Exchange, TokenNote } from "../http/exchange.ts";
import { createRecorder, type Recorder } from "../http/recording/record.ts";
import type { Difference } from "../probe/difference/difference.ts";
import type { OutgoingRequest } from "../probe/outgoing-request.ts";
import { type Facts, GIVEN } from "../profile/facts.ts";
import type { Target } from "../profile/target.ts";
import { MOST_SECONDS_OLDER, SECONDS_SHORTER } from "../tokens/draft.ts";
import { isSameText } from "./compare.ts";
import { secondsOf, WAITED_SECONDS } from "./recorded-controls.ts";

/** A request as it is recorded. */
export type RecordedRequest = Exchange["request"];

/** The fields that say what an earlier answer had, which need not be recorded. */
const OF_AN_ANSWER: ReadonlySet<string> = new Set(["if-match", "if-unmodified-since"]);
/** Good tokens differ in their age, see `Session.newAge`, and wait until they are sent. */
const AGED_SECONDS = MOST_SECONDS_OLDER + 60;

/** Stands for a callback on the suite's listener, of which a report does not say where it was. */
export const CALLBACK = "callback.invalid";
/** Members that are drawn anew for each token. */
const RANDOM: ReadonlySet<string> = new Set(["p2s"]);

/** A request that a case makes. */
export interface MadeRequest {
  /** As it is recorded where it has no secrets but the credentials in its header fields. */
  readonly plain: RecordedRequest;
  /** As a run would have recorded it. To search it for secrets takes longer than all else, so it is done on demand. */
  recorded(): RecordedRequest;
}

/** Makes requests as a run would have recorded them. */
export function createMaker(target: Target): (sending: OutgoingRequest) => MadeRequest {
  const recorder: Recorder = createRecorder(target);
  return (sending) => {
    const { spec, tokenNote: token } = sending;
    const { method, path, body } = spec;
    const headers = withStandingHeaders(spec, sending, target);
    let recorded: RecordedRequest | undefined;
    return {
      plain: {
        method,
        url: path.startsWith("/") ? target.origin + path : path,
        headers: headers.map(([name, value]) => [name, recorder.withoutCredential(name, value)]),
        body,
        token,
      },
      recorded() {
        // A report is JSON, which has no infinite numbers.
        recorded ??= JSON.parse(
          JSON.stringify(recorder.record({ ...spec, headers }, NO_RESPONSE, sending).request),
        ) as RecordedRequest;
        return recorded;
      },
    };
  };
}

/** When the token of a request was drafted. */
export interface Drafted {
  /** In seconds since the epoch. */
  readonly at: number;
  /** Whether the time of issue is the one of the draft. */
  readonly keepsIssueTime: boolean;
  /** The other forms that it may be of; see `TokenForm`. Default: none. */
  readonly forms?: OtherForms | undefined;
}

/** The forms that a token may be of instead of the one that is made. */
export interface OtherForms extends Pick<Facts, "bindingClaim"> {
  /** Tokens of these forms. Default: any form, because each deployment accepts forms of its own for each operation. */
  readonly of?: readonly TokenNote[] | undefined;
}

/**
 * In what a recorded request is otherwise than it is made, as phrases. Values that each run draws anew are left out.
 * @param drafted when the made token was drafted; `undefined` where tokens are issued, so that nobody knows what is in them
 */
export function differencesOf(
  made: MadeRequest,
  sent: Exchange,
  drafted: Drafted | undefined,
): string[] {
  const found = differencesFrom(made.plain, sent, drafted);
  return found.length === 0 ? found : differencesFrom(made.recorded(), sent, drafted);
}

function differencesFrom(
  made: RecordedRequest,
  sent: Exchange,
  drafted: Drafted | undefined,
): string[] {
  const { request } = sent;
  const found = made.method === request.method ? [] : ["method"];
  if (!isSame(request.url, made.url)) found.push("path");
  if (!isSame(request.body ?? "", made.body ?? "", withoutUnique)) found.push("body");
  const [fields, expected] = [fieldsOf(request), fieldsOf(made)];
  for (const name of new Set([...expected.keys(), ...fields.keys()])) {
    if (OF_AN_ANSWER.has(name)) continue;
    if (!isSame(fields.get(name), expected.get(name), withoutIds)) found.push(`field ${name}`);
  }
  return drafted ? [...found, ...otherMembers(made.token, sent, drafted)] : found;
}

/** The members of a token that are recorded otherwise than they are made. */
function otherMembers(
  made: TokenNote = {},
  sent: Exchange,
  { at, keepsIssueTime, forms }: Drafted,
): string[] {
  const { token = {} } = sent.request;
  const iat = Number(token.claims?.["iat"]) - Number(made.claims?.["iat"]);
  // The age of a token tells more exactly than the time of its request when it was drafted.
  const isAged = keepsIssueTime && !Number.isNaN(iat);
  const later = isAged
    ? { by: iat + AGED_SECONDS / 2, within: AGED_SECONDS / 2 + SECONDS_SHORTER }
    : { by: secondsOf(sent) - at, within: WAITED_SECONDS };
  return (["header", "claims"] as const).flatMap((part) => {
    const [own, expected] = [token[part], made[part]];
    if (!own || !expected) return own === expected ? [] : [`token ${part}`];
    return [...new Set([...Object.keys(expected), ...Object.keys(own)])]
      .filter((name) => name !== "__proto__" && !RANDOM.has(name))
      .filter((name) => !forms || !isFormed(part, name, own[name], forms))
      .filter((name) =>
        OF_EACH_TOKEN.has(name.toLowerCase())
          ? !isSameTime(own[name], expected[name], later)
          : !isSameMember(own[name], expected[name]),
      )
      .map((name) => `${part} member ${name}`);
  });
}

/** Whether the form of a good token decides whether it has a member; see `TokenForm`. */
export function isOfForm(name: string, { bindingClaim }: Pick<Facts, "bindingClaim">): boolean {
  return ["typ", "client_id", "jti", "scope", bindingClaim].includes(name);
}

/** Whether a good token of another form may have such a member. */
function isFormed(
  part: "header" | "claims",
  name: string,
  value: unknown,
  { bindingClaim, of }: OtherForms,
): boolean {
  if (!isOfForm(name, { bindingClaim })) return false;
  const has = (token: TokenNote): boolean =>
    // Each token has its own.
    name === "jti"
      ? typeof token[part]?.[name] === typeof value
      : isDeepStrictEqual(token[part]?.[name], value);
  if (of) return of.some(has);
  if (name !== "scope") return true;
  const words = typeof value === "string" ? value.split(" ") : [];
  return words.length > 0 && words.every((word) => SCOPES.some((scope) => scope === word));
}

/** Whether a time is the one that was made, so much later. Anything else that each token has of its own need only be of the same type. */
function isSameTime(
  sent: unknown,
  made: unknown,
  later: { readonly by: number; readonly within: number },
): boolean {
  const [is, was] = [Number(sent), Number(made)];
  if (typeof sent !== typeof made || Number.isNaN(was)) return typeof sent === typeof made;
  // What is no point in time is the same in each token.
  if (is === was) return true;
  // A mutation may give a time in milliseconds.
  const unit = was > 1e11 ? 1000 : 1;
  return Math.abs(is - was - later.by * unit) <= later.within * unit;
}

function isSameMember(sent: unknown, made: unknown): boolean {
  if (sent === made || (made === GIVEN && sent !== undefined)) return true;
  if (JSON.stringify(made)?.includes(CALLBACK) && typeof sent === typeof made) return true;
  if (typeof sent === "string" && typeof made === "string") return isSameText(sent, made);
  return isDeepStrictEqual(sent, made) || isSameText(JSON.stringify(sent), JSON.stringify(made));
}

/**
 * Whether a text is the one that is made, but for what is redacted.
 * @param plain removes from a text what is drawn anew for each request; default: nothing
 */
function isSame(
  sent: string | undefined,
  made: string | undefined,
  plain: (text: string) => string = (text) => text,
): boolean {
  if (sent === made) return true;
  if (sent === undefined || made === undefined) return false;
  return made === GIVEN || isSameText(plain(sent.replaceAll(REDACTED_ON, "$1")), plain(made));
}

/** Redactions one after another, of which nobody knows what each of them replaces. */
const REDACTED_ON = /(\[redacted\])(?:\[redacted\])+/g;

/** Whether a difference of a probe from its control is one of those that are made. Of times only the place is compared, and of bytes nothing. */
export function isMadeDifference(told: Difference, made: readonly Difference[]): boolean {
  // Bytes follow from keys, which are secret.
  if (BYTES.has(told.part)) return true;
  // Parsers do not preserve a member of this name, and times differ from those of the control in any case.
  if ("name" in told && (told.name === "__proto__" || isOfEachToken(told.name))) return true;
  return made.some((one) => {
    if (placeOf(one) !== placeOf(told)) return false;
    const [is = "", was = ""] = [told, one].map((each) => {
      const compared = isOfAnAnswer(each) ? { ...each, control: undefined } : each;
      return withoutIds(JSON.stringify(compared));
    });
    return was.includes(CALLBACK) || CUT.test(was) || isSameText(is, was);
  });
}

/** Whether it is a field in which the control has what an earlier answer had. */
function isOfAnAnswer(difference: Difference): difference is Difference & { part: "field" } {
  return difference.part === "field" && OF_AN_ANSWER.has(difference.name.toLowerCase());
}

/** A value that is shown in part. */
const CUT = /… \(\d+ characters\)/;

/** The parts in which the bytes of tokens differ. */
const BYTES: ReadonlySet<Difference["part"]> = new Set([
  "encoding",
  "segments",
  "signature",
  "text",
]);

/** Whether a member may differ between any two tokens: a mutation may write its name in capitals. */
function isOfEachToken(name: string): boolean {
  return OF_EACH_TOKEN.has(name.toLowerCase()) || RANDOM.has(name);
}

function placeOf(difference: Difference): string {
  const { part } = difference;
  return `${part} ${"name" in difference ? difference.name : ""}`;
}

function withoutUnique(text: string): string {
  return text.replaceAll(/conformance-[\da-f]{18}/g, "");
}

function withoutIds(text: string): string {
  return withoutUnique(text).replaceAll(UUIDS, "");
}

/** The fields by name in lower case, those with one name joined. */
function fieldsOf({ headers }: Pick<RecordedRequest, "headers">): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = fields.get(key);
    fields.set(key, before === undefined ? value : `${before} | ${value}`);
  }
  return fields;
}
