import * as fc from "fast-check";

import { type Answer, ask } from "../../src/model/ask.ts";
import { readToken } from "../../src/model/read-token.ts";
import { describeRequest } from "../../src/model/request.ts";
import type { Patch } from "../../src/reference/steps.ts";
import { sequences } from "./draws.ts";
import { type InProcess, referenceInProcess } from "./in-process.ts";
import { type Draw, ISSUERS, make } from "./make.ts";

/** What the model said to the drawn requests, and how often. */
export type Counts = Record<Answer["says"], number>;

/**
 * Sends drawn sequences of requests to the reference, until there are enough of them.
 * @param patches steps of the reference to replace
 * @throws where the reference does not answer what the model says, with the smallest sequence that shows it
 */
export async function agree(
  requests: number,
  seed: number,
  patches: readonly Patch[] = [],
): Promise<Counts> {
  const reference = await referenceInProcess(...ISSUERS, patches);
  const counts: Counts = { rejected: 0, accepted: 0, open: 0 };
  await fc.assert(
    fc.asyncProperty(sequences, async (sequence) => {
      for (const difference of await differences(reference, sequence, counts)) {
        throw new Error(difference);
      }
    }),
    // A sequence has three requests, on average.
    { seed, numRuns: Math.ceil(requests / 2.85) },
  );
  return counts;
}

/** The requests of a sequence that the reference answers otherwise than the model says. */
export async function differences(
  reference: InProcess,
  sequence: readonly Draw[],
  counts: Counts = { rejected: 0, accepted: 0, open: 0 },
): Promise<string[]> {
  reference.reset();
  const found: string[] = [];
  let before: string | undefined;
  for (const [at, draw] of sequence.entries()) {
    const { request, token } = make(draw, before, `conformance-${at}`);
    before = token;
    const known = reference.known();
    const answer = ask(known, describeRequest(request, token), readToken(token, known.issuers));
    const status = await reference.send(request);
    counts[answer.says] += 1;
    if (!isAsSaid(answer, status)) {
      found.push(`request ${at + 1} is answered ${status}; the model: ${JSON.stringify(answer)}`);
    }
  }
  return found;
}

function isAsSaid(answer: Answer, status: number): boolean {
  switch (answer.says) {
    case "accepted":
      return status >= 200 && status < 300;
    case "rejected":
      return answer.status === undefined ? status >= 400 && status < 500 : status === answer.status;
    case "open":
      return status >= 200 && status < 500;
  }
}
