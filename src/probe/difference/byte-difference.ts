import type { JsonObject } from "../../lib/json.ts";
import { base64url } from "../../tokens/compact.ts";
import type { TokenDraft } from "../../tokens/draft.ts";
import type { Difference, TokenParts } from "./difference.ts";

const SHOWN_CHARACTERS = 24;
/** The start of every compact token: `{"` in base64url. */
const TOKEN = /eyJ[\w.-]*/g;

/**
 * The bytes in which a token differs from a good one where header and claims are equal. Never shows
 * the bytes of a signature, because it may be the issuer's.
 * @param good the draft of a good token
 * @param signature the signature before it was altered; `undefined` where it was not altered
 * @param probe the token that was sent
 * @param parts the same token, decoded
 */
export function byteDifferences(
  good: Pick<TokenDraft, "header" | "claims">,
  signature: string | undefined,
  probe: string,
  parts: TokenParts,
): Difference[] {
  const segments = probe.split(".");
  const [header = "", payload = "", sent = ""] = segments;
  if (segments.length !== 3) return [{ part: "segments", control: 3, probe: segments.length }];
  return [
    ...textDifferences("header", good.header, parts.header, header),
    ...textDifferences("payload", good.claims, parts.claims, payload),
    ...signatureDifferences(signature, sent),
  ];
}

/** Differences where the same members have another text, or the text has no members. */
function textDifferences(
  of: "header" | "payload",
  good: JsonObject,
  sent: JsonObject | undefined,
  segment: string,
): Difference[] {
  const was = JSON.stringify(good);
  if (base64url(was) === segment || (sent && sorted(good) !== sorted(sent))) return [];
  // A payload may be a whole token, which must not be shown.
  const is = Buffer.from(segment, "base64url").toString("utf8").replaceAll(TOKEN, "[token]");
  if (was === is) return [{ part: "encoding", of }];
  let at = 0;
  while (was[at] === is[at]) at += 1;
  return [{ part: "text", of, at: at + 1, control: window(was, at), probe: window(is, at) }];
}

function window(whole: string, at: number): string {
  const piece = whole.slice(at, at + SHOWN_CHARACTERS);
  return `${piece}${whole.length > at + SHOWN_CHARACTERS ? "…" : ""}`;
}

/** @param was the signature as it was made; `undefined` where it was not altered afterwards */
function signatureDifferences(was: string | undefined, is: string): Difference[] {
  const after = Buffer.from(is, "base64url");
  const before = was === undefined ? undefined : Buffer.from(was, "base64url");
  if (is === "") return [{ part: "signature", control: before?.length ?? 0, probe: 0 }];
  if (!before || was === is) return [];
  if (before.equals(after)) return [{ part: "encoding", of: "signature" }];
  const differing = [...before.keys()].filter((at) => before[at] !== after[at]);
  const [first = 0] = differing;
  const single = before.length === after.length && differing.length === 1;
  return [
    {
      part: "signature",
      control: before.length,
      probe: after.length,
      ...(single && { at: first + 1 }),
    },
  ];
}

function sorted(object: JsonObject): string {
  return JSON.stringify(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
