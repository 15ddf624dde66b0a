import type { Finding } from "../../probe/finding.ts";
import { phrase, type Phrase } from "../../probe/phrase.ts";

/** Why something could not be done, as the end of a sentence. */
export interface Failed {
  readonly failed: string;
  /** True where this is no refusal: there was no answer, or it does not concern the request. */
  readonly unclear?: true;
  /** For an answer that is wrong whatever was asked; absent where it may be a refusal. */
  readonly wrong?: Wrong;
}

/** An answer that is wrong whatever was asked. */
interface Wrong {
  readonly expected: Phrase;
  /** The exchange with the answer; absent for a redirect, because it arrives at the suite's own listener. */
  readonly exchange?: string;
}

/** The finding for what could not be done because of a wrong answer. */
export function wrongAnswer(failed: string, { expected, exchange }: Wrong): Finding {
  return {
    kind: "fail",
    expected,
    actual: phrase`${failed}`,
    ...(exchange !== undefined && { evidence: { probes: [exchange] } }),
  };
}
