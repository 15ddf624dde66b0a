import { mapTexts, parseJson } from "../lib/json.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { KeptBody } from "./kept-body.ts";
import { SHORTEST_TOKEN } from "./record.ts";
import { type Redactor, redactTexts } from "./redact.ts";
import type { Received } from "./transport.ts";

/**
 * A response as rules judge it. Of its body the bytes are kept; text and JSON are made, and redacted, when somebody asks:
 * most answers are judged by their status alone, and what was parsed is many times as large as its text.
 * @param received as it came
 * @param kept its body
 * @param clean takes out what must not be shown
 */
export function createReply(
  { status, headers }: Pick<Received, "status" | "headers">,
  kept: KeptBody,
  clean: Redactor,
  more: { readonly exchange: Exchange; readonly underWay: NonNullable<Reply["underWay"]> },
): Reply {
  const hasBody = kept.bytes().length > 0;
  /** Nothing was found in it that has to be taken out. */
  let isClean = false;
  // A reply may be kept for as long as the run.
  let parsed: WeakRef<object> | undefined;
  const cleaned = (text: string): string => {
    if (isClean) return text;
    const redacted = clean(text);
    isClean = redacted === text;
    return redacted;
  };
  return {
    ...more,
    status,
    headers: redactTexts(headers, clean),
    hasBody,
    get cut() {
      return kept.cut;
    },
    get body() {
      return cleaned(kept.bytes().toString("utf8"));
    },
    json() {
      const known = parsed?.deref();
      if (known) return known;
      if (kept.cut) return undefined;
      const text = kept.bytes().toString("utf8");
      const value = parseJson(text);
      const result =
        value === undefined || cleaned(text) === text ? value : cleanJson(value, clean);
      parsed = typeof result === "object" && result !== null ? new WeakRef(result) : undefined;
      return result;
    },
    keep: () => kept.keep(),
  };
}

/**
 * Redacting a text may spoil its JSON, so it is done in what was parsed, where it has to be done at all.
 * A name that is shorter than any token may be one of the contract's.
 */
function cleanJson(value: unknown, clean: Redactor): unknown {
  const cleanName = (name: string): string => (name.length < SHORTEST_TOKEN ? name : clean(name));
  return mapTexts(value, clean, cleanName);
}
