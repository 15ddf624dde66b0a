import { open, type Outcome, passes } from "../outcome.ts";
import type { Check } from "../question.ts";

/** Fields that every client and proxy may send, and that change no answer. */
const HARMLESS = new Set([
  "accept-encoding",
  "accept-language",
  "content-type",
  "user-agent",
  "conformance-case",
]);

/** Of other header fields than Authorization the contract says nothing. */
export const fields: Check = ({ known, request }): Outcome => {
  const own = new Set([...HARMLESS, ...known.ownFields]);
  const odd = request.fields.find(([name]) => !own.has(name));
  return odd
    ? open("header field", undefined, { name: odd[0] })
    : passes("endpoints.authorization-header");
};
