import { type Evidence, Finding } from "../probe/finding.ts";
import { type Phrase, phrase } from "../probe/phrase.ts";
import type { Failed } from "./protocol/failed.ts";

/** A violation that one answer shows. */
export function violation(actual: Phrase, expected: Phrase, evidence: Evidence): Finding {
  return { kind: "fail", expected, actual, evidence };
}

/** A violation where something is wrong, otherwise a pass. */
export function passUnless(
  actual: Phrase | undefined,
  expected: Phrase,
  evidence: Evidence,
): Finding {
  return actual ? violation(actual, expected, evidence) : Finding.pass(evidence);
}

/** The finding for a request that must give no code, and gave none. */
export function noCode({ failed, unclear }: Failed, evidence: Evidence): Finding {
  return unclear
    ? Finding.inconclusive(phrase`${failed}`)
    : Finding.pass(evidence, phrase`no code was issued: ${failed}`);
}
