import { isUtf8 } from "node:buffer";

import { mapTexts, parseJson } from "../lib/json.ts";
import type { Received } from "./connection/transport.ts";
import type { Reply } from "./exchange.ts";
import type { KeptBody } from "./kept-body.ts";
import { SHORTEST_TOKEN } from "./recording/record.ts";
import type { Redactor } from "./recording/redact.ts";

/**
 * Creates a reply from a response. It keeps the bytes of the body and makes the text and the JSON on
 * demand, both redacted: most rules judge the status alone, and parsed JSON takes many times the
 * memory of its text.
 * @param headers redacted
 * @param kept its body
 * @param clean removes what must not be shown
 */
export function createReply(
  status: number,
  headers: Received["headers"],
  kept: KeptBody,
  clean: Redactor,
  more: Pick<Required<Reply>, "exchange" | "underWay" | "deferred"> & Pick<Reply, "undecoded">,
): Reply {
  const hasBody = kept.bytes().length > 0;
  /** The body needs no redaction. */
  let isClean = false;
  // A reply may be kept for the whole run.
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
    headers,
    hasBody,
    get cut() {
      return kept.cut;
    },
    get isUtf8() {
      return isUtf8(kept.bytes());
    },
    get body() {
      return cleaned(kept.bytes().toString("utf8"));
    },
    json() {
      const known = parsed?.deref();
      if (known) return known;
      if (kept.cut || more.undecoded) return undefined;
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
 * Redacts the parsed JSON, because redacting its text could break it. Keeps short member names,
 * because they are shorter than any token and may be names of the contract.
 */
function cleanJson(value: unknown, clean: Redactor): unknown {
  const cleanName = (name: string): string => (name.length < SHORTEST_TOKEN ? name : clean(name));
  return mapTexts(value, clean, cleanName);
}
