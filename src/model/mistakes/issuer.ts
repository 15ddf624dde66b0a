import { issuer } from "../checks/issuer.ts";
import type { Mistake } from "./mistake.ts";
import { textMistakes } from "./texts.ts";

/** Wrong checks of `iss` (Receiver checks 2). */
export const ISSUER: readonly Mistake[] = textMistakes({
  claim: "iss",
  stem: "issuer",
  check: "issuer",
  right: issuer,
  wanted: ({ known: { issuers = [] } }) => issuers.map(({ url }) => url),
});
