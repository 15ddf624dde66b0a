import type { RefusedForAMoment } from "../../probe/controls/moments.ts";
import {
  countFact,
  inWords,
  phrase,
  type Phrase,
  tallyFact,
  valueFact,
} from "../../probe/phrase.ts";
import type { Observation, SetupProblem } from "../events.ts";

/** The set-up problem where good requests were refused for a moment: it says first what happened. */
export function momentProblems(summary: RefusedForAMoment | undefined): SetupProblem[] {
  if (!summary) return [];
  return [
    {
      problem: `${inWords(told(summary))}. The same requests had been accepted before, so what was answered in that time proves nothing.`,
      remedy:
        "Find out what refused them then: a firewall that blocks a client after some refusals, a lock after wrong tokens, or a limit on fetching the JWKS. Lift it for the suite, and run again.",
    },
  ];
}

/** The same as an observation, whose counts and times are facts. */
export function observedMoments(summary: RefusedForAMoment | undefined): Observation[] {
  if (!summary) return [];
  return [
    { id: "answers.refused-good", title: "Good requests that were refused", value: told(summary) },
  ];
}

function told({ refused, good, statuses, from, to, refusalsBefore }: RefusedForAMoment): Phrase {
  const each = tallyFact(new Map([...statuses].map(([status, n]) => [String(status), n])));
  return phrase`${refused} of ${countFact(good, "good request")} were refused, between ${valueFact(from)} and ${valueFact(to)}, after ${countFact(refusalsBefore, "refusal")}: ${each}`;
}
