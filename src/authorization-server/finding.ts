import { type Evidence, Finding } from "../probe/finding.ts";
import { type Phrase, phrase } from "../probe/phrase.ts";
import type { Failed } from "./protocol/failed.ts";
import type { TokenResponse } from "./protocol/token-request.ts";
import { describeResponse } from "./protocol/token-response.ts";

/** What a server said, as JSON that is cut to what a sentence has room for. */
export function shown(value: unknown, longest = 200): string {
  return (JSON.stringify(value) ?? "absent").slice(0, longest);
}

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

/** The finding for a response that says nothing about the request. */
export function undecided(response: TokenResponse, evidence: Evidence): Finding {
  return Finding.inconclusive(phrase`${describeResponse(response)}`, evidence);
}

/** Observes a response, whatever it is. */
export function observed(response: TokenResponse): Finding {
  return Finding.observed(phrase`${describeResponse(response)}`, { probes: [response.exchange] });
}

/** The finding for a request that must give no code, and gave none. */
export function noCode({ failed, unclear }: Failed, evidence: Evidence): Finding {
  return unclear
    ? Finding.inconclusive(phrase`${failed}`)
    : Finding.pass(evidence, phrase`no code was issued: ${failed}`);
}
