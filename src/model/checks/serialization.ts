import { fails, open, passes, should } from "../outcome.ts";
import { type Check, ofToken } from "../question.ts";

/** A JWT is three segments of base64url, separated by dots (RFC 7519 §1, §7.2; RFC 7515 §7.1). */
export const serialization: Check = ofToken(({ flaws, signature }) => {
  // `extensions` judges a payload that stands as it is.
  if (signature.is === "valid" && signature.unencoded) return undefined;
  if (flaws.has("not compact")) return fails("rfc7519.compact", "not compact");
  if (flaws.has("empty segments")) return should("rfc7519.compact", "empty segments");
  if (flaws.has("junk in encoding")) return should("rfc7519.encoding", "junk in encoding");
  if (signature.is !== "valid") return undefined;
  switch (signature.spelled) {
    case "with junk":
      return should("rfc7519.encoding", "junk in encoding", { name: "signature" });
    case "otherwise":
      return open("spelling of base64url", "rfc7515.base64url");
    case "with a leading zero":
      return should("checks.signature", "leading zero");
    default:
      return passes("rfc7519.compact");
  }
});
