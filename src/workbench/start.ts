import { sideOfId } from "../contract/ids.ts";
import { ACCEPT, type Exchange } from "../http/exchange.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Difference } from "../probe/difference/difference.ts";
import type { Target } from "../profile/target.ts";
import { OWN_HEADERS } from "../report/exchange-rows.ts";
import type { Report } from "../report/report.ts";
import { printable } from "../report/untrusted.ts";
import { OF_PROFILE, RELATIVE_CLAIMS } from "../tokens/edited.ts";
import type { Credential, Edited, HeaderLines, Start } from "./api.ts";
import { pathOf, printableObject, shownBody } from "./shown.ts";

export const TOKEN = "${token}";
const REDACTED = /\[redacted(?: token)?\]/g;
const IS_REDACTED = /\[redacted(?: token)?\]/;
const UNIQUE = /conformance-[\da-f]{18}/g;
const DRAWN = /^conformance-\d+$/;
/** Times further away are no times that someone has chosen relative to the request. */
const FARTHEST_SECONDS = 10 * 366 * 24 * 3600;

/** What is known of the target that a request to edit is for. */
export type StartTarget = Pick<
  Target,
  "origin" | "basePath" | "request" | "testIssuer" | "issued" | "authorizationServer"
>;

/**
 * A request to edit, like a recorded one, for the target of the profile.
 * @param differences from the control
 * @param id of the case whose probe it is, where it is one
 * @returns `undefined` where the request went to the authorization server
 */
export function startOf(
  exchange: Exchange,
  differences: readonly Difference[],
  report: Report,
  target: StartTarget,
  id?: string,
): Start | undefined {
  if (sideOfId(exchange.caseId) === "authorization-server") return undefined;
  const { request } = exchange;
  const lacks: string[] = [];
  const headers = request.headers.flatMap((line) => headerOf(line, target, lacks));
  const { body } = request;
  const edited: Edited = {
    method: printable(request.method),
    path: pathFor(request.url, report, target),
    headers,
    ...(body !== undefined && { body: shownBody(placeholders(body)) }),
    credential: { kind: "none" },
  };
  const credential = carries(edited)
    ? credentialOf(exchange, differences, target, lacks, id)
    : edited.credential;
  return { edited: { ...edited, credential }, lacks };
}

/** The path below the base path of the profile's target, wherever the recorded one was. */
function pathFor(url: string, { target: was }: Report, { basePath }: StartTarget): string {
  if (!URL.canParse(was.baseUrl)) return printable(placeholders(url), 16_384);
  const { origin, pathname } = new URL(was.baseUrl);
  const path = pathOf(url, origin);
  const before = pathname.replace(/\/+$/, "");
  const own = path.startsWith(before) ? basePath + path.slice(before.length) : path;
  return printable(placeholders(own), 16_384);
}

function placeholders(text: string): string {
  return text.replaceAll(REDACTED, () => TOKEN).replaceAll(UNIQUE, () => "${unique}");
}

function headerOf(
  [name, value]: readonly [string, string],
  { request: { headers: ofProfile } }: StartTarget,
  lacks: string[],
): HeaderLines {
  const lower = name.toLowerCase();
  if (OWN_HEADERS.includes(lower) || (lower === "accept" && value === ACCEPT)) return [];
  // The client adds the fields of the profile, with what is secret in them.
  if (Object.hasOwn(ofProfile, lower)) return [];
  if (IS_REDACTED.test(value) && lower !== "authorization") {
    lacks.push(
      `The value of ${printable(name)} was not recorded; \`${TOKEN}\` stands in its place.`,
    );
  }
  return [[printable(name), printable(placeholders(value), 4096)]];
}

function carries({ path, headers, body = "" }: Edited): boolean {
  return [path, body, ...headers.map(([, value]) => value)].some((text) => text.includes(TOKEN));
}

/** Differences in the bytes of a token, which its members do not show. */
const OF_BYTES: ReadonlySet<string> = new Set(["segments", "encoding", "text"]);

function credentialOf(
  { request: { token }, startedAt }: Exchange,
  differences: readonly Difference[],
  target: StartTarget,
  lacks: string[],
  id: string | undefined,
): Credential {
  if (target.issued) {
    const [client] = target.authorizationServer?.clients ?? [];
    if (id === undefined || !token?.mutation)
      return { kind: "client", name: client?.name ?? COMMAND };
    return { kind: "case", id };
  }
  const { header, claims } = token ?? {};
  const isOfBytes = differences.some(({ part }) => OF_BYTES.has(part));
  const signature = differences.find((one) => one.part === "signature");
  const isOther =
    signature?.part === "signature" && signature.at === undefined && signature.probe !== 0;
  if (!header || !claims || isOfBytes || (signature && !isOther && signature.probe !== 0)) {
    if (id !== undefined && token?.mutation !== undefined) return { kind: "case", id };
    lacks.push("The token was not recorded byte for byte, and this one is made from its members.");
  }
  if (isOther) lacks.push("The signature is made with another key than the test issuer's.");
  return {
    kind: "sign",
    key:
      signature?.part === "signature" && signature.probe === 0
        ? "none"
        : isOther
          ? "other"
          : "issuer",
    header: printableObject(header ?? { alg: target.testIssuer.key.alg }),
    claims: printableObject(relativeClaims(claims ?? {}, Date.parse(startedAt) / 1000)),
  };
}

/** The name of the source of tokens where the profile has a command and names no clients. */
export const COMMAND = "tokens.command";

/** Claims whose times are relative to a moment, in seconds since the epoch. */
export function relativeClaims(claims: JsonObject, moment: number): JsonObject {
  return Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [
      name,
      relative(name, value, Math.floor(moment)),
    ]),
  );
}

function relative(name: string, value: unknown, moment: number): unknown {
  if (typeof value === "string") {
    if (IS_REDACTED.test(value)) return OF_PROFILE;
    return DRAWN.test(value) ? "${unique}" : value.replaceAll(UNIQUE, () => "${unique}");
  }
  if (!RELATIVE_CLAIMS.has(name) || typeof value !== "number" || !Number.isInteger(value)) {
    return value;
  }
  const seconds = value - moment;
  if (!(Math.abs(seconds) <= FARTHEST_SECONDS)) return value;
  return seconds === 0 ? "now" : `now${seconds > 0 ? "+" : "-"}${Math.abs(seconds)}`;
}
