import { createHash } from "node:crypto";

/** A version 4 UUID (RFC 9562 §5.4) that only the seed and the label determine. */
export function seededUuid(seed: number, label: string): string {
  const bytes = createHash("sha256").update(`${seed}\n${label}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [0, 8, 12, 16, 20].map((at, i, all) => hex.slice(at, all[i + 1])).join("-");
}
