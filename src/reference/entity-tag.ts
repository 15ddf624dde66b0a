import { createHash } from "node:crypto";

/** A strong entity tag of a value (RFC 9110 section 8.8.3): the same for equal values. */
export function entityTag(value: unknown): string {
  const digest = createHash("sha256").update(JSON.stringify(value)).digest("hex");
  return `"${digest.slice(0, 16)}"`;
}
