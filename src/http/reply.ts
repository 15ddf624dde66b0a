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
      return kept.isUtf8;
    },
    get body() {
      return kept.bytes().toString("utf8");
    },
    json: () => (undecoded ? undefined : kept.json()),
    keep: () => kept.keep(),
  };
}
