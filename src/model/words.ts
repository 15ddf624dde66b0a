import { requirement } from "../contract/requirements.ts";
import { spanInWords } from "../lib/spans.ts";
import type { Fails, Gap, GapName, Reason, ReasonName } from "./outcome.ts";

/** What a check fails for, as a phrase. It may quote the token's claims. */
export function reasonInWords(reason: Reason): string {
  return REASONS[reason.what](reason);
}

/** What leaves a check open, as a phrase. It may quote the token's claims. */
export function gapInWords(gap: Gap): string {
  return GAPS[gap.what](gap);
}

/** Where a sentence is: `contract, Receiver checks / 3`, `RFC 7519 section 4.1.3`. */
export function clauseOf(sentence: string): string {
  const { source, clause } = requirement(sentence);
  return source === "rfc" ? clause : `contract, ${clause.replace(/^Authentication \/ /, "")}`;
}

function json(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}

/** A text as it is, and any other value as JSON. */
function bare(value: unknown): string {
  return typeof value === "string" ? value : json(value);
}

function listed(value: unknown): string {
  return Array.isArray(value) ? value.map(bare).join(", ") : bare(value);
}

/** A failure with its clause, and with its level where that is only advice. */
export function failureInWords({ reason, sentence, level }: Fails): string {
  return `${reasonInWords(reason)} [${clauseOf(sentence)}${level === "SHOULD" ? ", SHOULD" : ""}]`;
}

const REASONS: Readonly<Record<ReasonName, (reason: Reason) => string>> = {
  "no token": () => "there is no token",
  "other credentials": () => "the Authorization header is not `Bearer` and the token",
  "token elsewhere": () => "the token is not in the Authorization header",
  "not compact": () => "it is not three segments separated by dots",
  "empty segments": () => "it has empty segments beside its three",
  "junk in encoding": ({ name = "header or payload" }) =>
    `its ${name} has characters that are not base64url`,
  "not a claims set": () => "its payload is not a JSON object",
  "not in UTF-8": () => "its payload is not in UTF-8",
  "no algorithm": ({ value }) => `\`alg\` is ${json(value)}`,
  unsecured: () => "it is unsigned: `alg` is none",
  "not an algorithm of the issuer": ({ value }) =>
    `\`alg\` is ${json(value)}, which no public key verifies`,
  "another algorithm of the key": ({ value, wanted }) =>
    `\`alg\` is ${json(value)}, and the key is for ${bare(wanted)} alone`,
  "critical extension": ({ value }) =>
    `\`crit\` names an extension that is not known: ${json(value)}`,
  "malformed crit": ({ value }) => `\`crit\` is ${json(value)}, and not a list`,
  "unencoded payload": () => "its payload is signed without base64url",
  unsigned: () => "it is unsigned: the third segment is empty",
  "brings its key": ({ name }) =>
    `no key of the issuer verifies it, and a key that \`${name ?? "kid"}\` brings along counts nothing`,
  "no key verifies": ({ value }) =>
    value === undefined
      ? "no key of the issuer verifies it"
      : `the key ${bare(value)}, which \`kid\` names, does not verify it`,
  "key of another issuer": ({ value }) =>
    `it is signed by ${bare(value)}, and not by the issuer that it names`,
  "leading zero": () => "its signature has one zero byte too many in front",
  missing: ({ name, value }) =>
    value === undefined ? `\`${name ?? ""}\` is missing` : `\`${name ?? ""}\` is ${json(value)}`,
  "wrong type": ({ name, value }) => `\`${name ?? ""}\` is ${json(value)}, which is of no use`,
  differs: ({ value, wanted }) =>
    `it is ${json(value)}, not ${bare(wanted)}${nearly(value, bare(wanted))}`,
  expired: ({ seconds = 0 }) => `expired ${spanInWords(seconds)} ago`,
  "not yet valid": ({ seconds = 0 }) => `\`nbf\` is ${spanInWords(seconds)} ahead`,
  "lacks scope": ({ wanted }) => `it does not have ${bare(wanted)}`,
  "bound elsewhere": ({ name = "", value, wanted }) =>
    `${name} is ${json(value)}, and the organization is ${bare(wanted)}`,
  denied: ({ value, wanted }) => `${bare(value)} may not act on ${bare(wanted)}: 403`,
  "unknown subject": ({ value }) => `${json(value)} may act on no organization: 403`,
  "no such route": () => "the contract has no such route",
  "no id": ({ value }) => `${json(value)} is no id of an organization`,
  "no such organization": ({ value }) => `there is no organization ${bare(value)}`,
  "no such change": ({ value }) => `there is no change ${bare(value)}`,
  "unknown parameter": ({ name }) => `there is no query parameter ${name ?? ""}`,
  "out of bounds": ({ name, value }) => `${name ?? ""} is ${json(value)}`,
  "invalid body": () => "the body is not valid",
  "body not JSON": () => "the body is not JSON",
};

/** Names differences that a reader overlooks easily. */
function nearly(value: unknown, wanted: string): string {
  if (typeof value !== "string") return "";
  if (plain(value) === plain(wanted)) return "; a slash or blank at the end differs";
  return plain(value).toLowerCase() === plain(wanted).toLowerCase() ? "; the case differs" : "";
}

function plain(text: string): string {
  return text.trim().replace(/\/+$/, "");
}

const GAPS: Readonly<Record<GapName, (gap: Gap) => string>> = {
  "how it is sent": () => "the token is sent in a way that the contract does not describe",
  "long token": () => "it is longer than many servers take",
  "near a route": () => "the request is nearly, but not exactly, one of a route",
  kid: ({ name = "", value }) => `the key ${name} verifies it, and \`kid\` is ${json(value)}`,
  "algorithm of the key": () => "the key does not say which algorithm it is for",
  crit: () => "`crit` names no extension, and a receiver may reject it for that",
  b64: () => "`b64` is in the header, and no `crit` names it",
  "spelling of base64url": () => "its signature is base64url in another spelling",
  "spelling of JSON": () => "its JSON is in a spelling that not every parser reads",
  "repeated member": ({ value }) =>
    `${listed(value)} more than once: receivers take the last or reject it`,
  "nested token": () => "its payload is another token",
  typ: ({ name = "typ", value }) =>
    `\`${name}\` is ${json(value)}; receivers differ in what they take`,
  "spelling of a URL": ({ value, wanted }) =>
    `it is ${json(value)}, not ${bare(wanted)}${nearly(value, bare(wanted))}; receivers differ in whether that is the same`,
  array: ({ value }) => `it is a list with ${bare(value)}; the contract says that it equals it`,
  "clock skew": ({ name = "", seconds = 0 }) =>
    name === "nbf"
      ? `\`nbf\` is ${spanInWords(seconds)} ahead; a receiver may allow for that much skew`
      : `expired ${spanInWords(seconds)} ago; a receiver may allow for that much skew`,
  "spelling of a time": ({ name = "", value }) =>
    `\`${name}\` is ${json(value)}, which is no number`,
  lifetime: ({ name, seconds = 0 }) =>
    name === undefined
      ? `it is valid for ${spanInWords(seconds)}, which is very long`
      : seconds < 0
        ? `\`${name}\` is in the future: one of the clocks is wrong`
        : `it was issued ${spanInWords(seconds)} ago, and a receiver may refuse old tokens`,
  "odd claim": ({ name = "", value }) => `\`${name}\` is ${json(value)}`,
  "separator of scopes": () => "its words are not separated by one space each",
  wildcard: ({ value }) => `${json(value)} may stand for several scopes`,
  "null binding": ({ name = "" }) =>
    `${name} is null, which many issuers write for an absent claim`,
  "spelling of an id": ({ value }) => `${json(value)} is the organization in another spelling`,
  "list of organizations": ({ value }) => `${json(value)} is a list with the organization`,
  "name of the binding claim": ({ value }) => `${listed(value)} may be taken for the binding claim`,
  "binding in the list": ({ value }) => `${json(value)} limits what the list shows`,
  "privileges in claims": () => "local policy may go by the roles in its claims",
  body: () => "the contract does not show the body of the request",
  query: () => "the contract does not say which routes take which parameters",
  "header field": ({ name = "" }) => `the contract says nothing of the header field ${name}`,
  "keys not known": () => "the keys of the issuer are not known",
  "issuers not known": () => "there is no profile to compare it with",
  "audience not known": () => "there is no profile to compare it with",
  "binding claim not known": ({ value }) =>
    `the profile has no \`claimsNamespace\`, and the token has ${listed(value)}`,
  "policy not known": () => "local policy cannot be seen from outside",
  "organization not known": ({ value }) => `the profile does not name ${bare(value)}`,
  "change not known": ({ value }) => `the profile does not name the change ${bare(value)}`,
};
