import { open, passes } from "../outcome.ts";
import { type Check, ofToken } from "../question.ts";

/** `typ` may be absent or name a JWT or an access token; which of these a receiver takes is open (RFC 7519 §5.1, RFC 9068 §4). */
export const type: Check = ofToken(({ header }, { known }) => {
  if (!header) return undefined;
  const { typ, cty } = header;
  if (cty !== undefined) return open("typ", "rfc7519.typ", { name: "cty", value: cty });
  return known.typs.some((one) => one === typ)
    ? passes("rfc7519.typ")
    : open("typ", "rfc7519.typ", { name: "typ", value: typ });
});
