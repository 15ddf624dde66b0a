import { capitalized } from "../../lib/words.ts";
import { patternInWords } from "../../probe/trouble/in-turn.ts";
import type { KeptRefusals } from "../../probe/trouble/kept-refusals.ts";
import type { Trouble } from "../../probe/trouble/trouble.ts";
import type { SetupProblem } from "../events.ts";

/** Why good requests had trouble, as a clause; `undefined` where it was not recognised. */
export function recognisedInWords({ inTurn, keptRefusals }: Trouble): string | undefined {
  if (inTurn) return patternInWords(inTurn);
  return keptRefusals && keptInWords(keptRefusals);
}

function keptInWords({ keptMs }: KeptRefusals): string {
  return `a refused request makes good ones with the same URL refused too, for about ${keptMs} ms`;
}

/** The set-up problems of what the cases of the phase `trouble` recognised. They come first, because they explain most of the rest. */
export function recognisedProblems(trouble: Trouble): SetupProblem[] {
  const { inTurn, keptRefusals } = trouble;
  return [
    ...(inTurn
      ? [
          {
            problem: `${capitalized(patternInWords(inTurn))}: two rows of good requests, one after another and each on a connection of its own, show the same pattern. So what was refused in this run proves little.`,
            remedy:
              "Look for what the check of a token keeps between requests: a regular expression with a position of its own (the flag `g` or `y` in JavaScript), or a replay cache whose key is wider than one token. Make the check depend on the token alone, and run again.",
          },
        ]
      : []),
    ...(keptRefusals
      ? [
          {
            problem: `${capitalized(keptInWords(keptRefusals))}, while those with another URL are accepted: a cache gives the answer to one request to others. From then on, the run waited after each refusal until it was over.`,
            remedy:
              "Look for a cache in front of the deployment, or in it, whose key is the URL alone. Answers to requests with credentials must not be shared (RFC 9111 §3.5): send `Cache-Control: no-store`, or leave refusals out of the cache. Then run again.",
          },
        ]
      : []),
  ];
}
