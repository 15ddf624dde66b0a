import type { Segments } from "../tokens/change.ts";
import { base64url } from "../tokens/compact.ts";
import type { JsonObject, TokenDraft } from "../tokens/draft.ts";
import { decodeToken } from "./difference.ts";

const SHOWN_CHARACTERS = 24;

/**
 * In which bytes a token differs from a good one where header and claims do not tell, one line for
 * each part. What the bytes of a signature are goes unsaid: it may be the issuer's.
 * @param good the draft of a good token
 * @param signed the segments of the probe's token as they were signed, if something was done to them then
 * @param probe the token that was sent
 */
export function describeBytes(
  good: Pick<TokenDraft, "header" | "claims">,
  signed: Segments | undefined,
  probe: string,
): string[] {
  const segments = probe.split(".");
  const [header = "", payload = "", signature = ""] = segments;
  if (segments.length !== 3) return [`segments: 3 -> ${segments.length}`];
  const sent = decodeToken(probe);
  return [
    ...text("header", good.header, sent.header, header),
    ...text("payload", good.claims, sent.claims, payload),
    ...(signature === "" ? ["signature: none"] : []),
    ...(signed && signature !== "" ? bytes(signed.signature, signature) : []),
  ];
}

/** The same members in another text. */
function text(
  part: string,
  good: JsonObject,
  sent: JsonObject | undefined,
  segment: string,
): string[] {
  if (!sent || sorted(good) !== sorted(sent)) return [];
  const [was, is] = [JSON.stringify(good), Buffer.from(segment, "base64url").toString("utf8")];
  if (was === is) {
    return base64url(was) === segment ? [] : [`${part}: the same bytes, encoded otherwise`];
  }
  let at = 0;
  while (was[at] === is[at]) at += 1;
  return [`${part} from character ${at + 1}: ${window(was, at)} -> ${window(is, at)}`];
}

function window(whole: string, at: number): string {
  const piece = whole.slice(at, at + SHOWN_CHARACTERS);
  return `\`${piece}${whole.length > at + SHOWN_CHARACTERS ? "…" : ""}\``;
}

function bytes(was: string, is: string): string[] {
  if (was === is) return [];
  const [before, after] = [was, is].map((segment) => Buffer.from(segment, "base64url"));
  if (!before || !after || before.equals(after)) {
    return ["signature: the same bytes, encoded otherwise"];
  }
  if (before.length !== after.length) {
    return [`signature: ${before.length} bytes -> ${after.length}`];
  }
  const differing = [...before.keys()].filter((at) => before[at] !== after[at]);
  const [first = 0] = differing;
  return differing.length === 1
    ? [`signature: byte ${first + 1} of ${before.length} differs`]
    : [`signature: other bytes, ${before.length} as before`];
}

function sorted(object: JsonObject): string {
  return JSON.stringify(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
