/**
 * Segments of JWTs in a text, such as a record that must hold none: base64url of a JSON object. A random value may begin like
 * one, but does not decode to one.
 */
export function jwtSegmentsIn(text: string): string[] {
  const candidates = [...text.matchAll(/eyJ[\w-]{20,}/g)].map(([segment]) => segment);
  return candidates.filter((one) => /^\{"\w+":/.test(Buffer.from(one, "base64url").toString()));
}
