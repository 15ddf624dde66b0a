import { fails, open, type Outcome, passes } from "../outcome.ts";
import { type Check, ofClaims } from "../question.ts";

/** The grammar of RFC 6749 §3.3: words, with one space between two. */
const LIST = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;

/** "scope covers the operation" (Receiver checks 5): a space-separated list that has the required word (Token claims). */
export const scope: Check = ofClaims(({ scope: granted }, { reading: { operation } }): Outcome => {
  const sentence = "checks.scope";
  const wanted = operation.scope;
  if (granted === undefined) return fails(sentence, "missing", { name: "scope" });
  if (Array.isArray(granted) && granted.includes(wanted)) {
    return open("array", "claims.scope", { name: "scope", value: wanted });
  }
  const facts = { name: "scope", value: granted, wanted };
  if (typeof granted !== "string") return fails(sentence, "wrong type", facts);
  const words = granted.split(/\s+/u);
  if (words.includes(wanted)) {
    return LIST.test(granted)
      ? passes(sentence)
      : open("separator of scopes", "claims.scope", facts);
  }
  // Whether a word that stands for several scopes covers an operation, the contract does not say.
  return words.includes(wanted.replace(/:.*/, ":*"))
    ? open("wildcard", "claims.scope", facts)
    : fails(sentence, "lacks scope", facts);
});
