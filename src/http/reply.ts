import { isUtf8 } from "node:buffer";

import { parseJson } from "../lib/json.ts";
import type { Received } from "./connection/transport.ts";
import type { Reply } from "./exchange.ts";
import type { KeptBody } from "./kept-body.ts";

/**
 * Creates a reply from a response. It keeps the bytes of the body and makes the text and the JSON on
 * demand: most rules judge the status alone, and parsed JSON takes many times the memory of its text.
 * @param kept its body
 */
export function createReply(
  { status, headers, undecoded }: Received,
  kept: KeptBody,
  more: Pick<Required<Reply>, "exchange" | "underWay" | "deferred"> & Pick<Reply, "faultCode">,
): Reply {
  const hasBody = kept.bytes().length > 0;
  // A reply may be kept for the whole run.
  let parsed: WeakRef<object> | undefined;
  return {
    ...more,
    status,
    headers,
    hasBody,
    ...(undecoded && { undecoded }),
    get cut() {
      return kept.cut;
    },
    get isUtf8() {
      return isUtf8(kept.bytes());
    },
    get body() {
      return kept.bytes().toString("utf8");
    },
    json() {
      const known = parsed?.deref();
      if (known) return known;
      if (kept.cut || undecoded) return undefined;
      const value = parseJson(kept.bytes().toString("utf8"));
      parsed = typeof value === "object" && value !== null ? new WeakRef(value) : undefined;
      return value;
    },
    keep: () => kept.keep(),
  };
}
