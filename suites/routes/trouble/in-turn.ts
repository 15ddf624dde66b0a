import { randomUUID } from "node:crypto";

import type { OperationId } from "../../../src/contract/operations.ts";
import { type Mutation, signedAnew } from "../../../src/mutations/mutation.ts";
import { type Evidence, Finding, ofAll } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { reception } from "../../../src/probe/reception.ts";
import {
  commonPattern,
  type InRow,
  patternInWords,
  ROW,
} from "../../../src/probe/trouble/in-turn.ts";
import { knownRead } from "./known-read.ts";

/** Long enough that no token of the run has the second in which a row begins. */
const PAUSE_MS = 1100;

/**
 * Where a good token was refused though nothing was wrong: sends two rows of good requests, and judges that they are not refused in
 * turn. All tokens of a row have the same `iat`, the second in which it begins, and differ in `exp`. The rows are more than a second
 * apart. So a check that counts requests shows its pattern, and so does one that takes tokens of one second for replays. Each request has a
 * connection of its own.
 */
export async function refusedInTurn(probe: Probe): Promise<Finding> {
  if (!probe.seen.moments.summary()) {
    return Finding.notApplicable(
      phrase`no good request was refused after one like it was accepted`,
    );
  }
  const operation = await knownRead(probe);
  if (!operation) return Finding.notApplicable(phrase`no read accepts a good token`);
  const first = await rowOf(probe, operation);
  const second = await rowOf(probe, operation);
  const pattern = commonPattern([first.row, second.row]);
  const all = [...first.row, ...second.row];
  if (!pattern) {
    if (all.every((one) => one === "accepted")) {
      const reason = phrase`two rows of ${ROW} good requests, one after another, were all accepted`;
      return Finding.notApplicable(reason);
    }
    // Without evidence: a further try in the end would only send the rows again.
    const refused = all.filter((one) => one !== "accepted").length;
    const reason = phrase`${refused} of ${all.length} good requests, one after another, were refused or not answered, in no pattern that both rows of them show`;
    return Finding.inconclusive(reason);
  }
  probe.seen.trouble.inTurn = pattern;
  return {
    kind: "fail",
    expected: phrase`good tokens are accepted, however many came before them`,
    actual: phrase`${patternInWords(pattern)}: in two rows of ${ROW} good requests, one after another, ${all.filter((one) => one === "401").length} were answered 401`,
    evidence: ofAll([first.evidence, second.evidence]),
    certainty: "many",
  };
}

/** Sends a row of good requests after a pause. */
async function rowOf(
  probe: Probe,
  operation: OperationId,
): Promise<{ row: readonly InRow[]; evidence: Evidence }> {
  await probe.wait(PAUSE_MS);
  let iat: number | undefined;
  const row: InRow[] = [];
  const evidence: Evidence[] = [];
  for (let at = 0; at < ROW; at++) {
    const good: Mutation = {
      ...signedAnew,
      name: "in-turn",
      what: "nothing differs but the times of the token, and it has a connection of its own",
      token: {
        claims: ({ claims }) => {
          iat ??= Number(claims["iat"]);
          return { iat, exp: Number(claims["exp"]) - at };
        },
      },
      request: (spec) => ({ ...spec, connection: randomUUID() }),
      asks: () => ({ fresh: true }),
    };
    const sent = await probe.attempt(good, { operation, age: 0 });
    row.push(inRow(sent.reply));
    evidence.push(sent.evidence);
  }
  return { row, evidence: ofAll(evidence) };
}

function inRow(reply: Parameters<typeof reception>[0]): InRow {
  if (reception(reply) === "accepted") return "accepted";
  return reply.status === 401 ? "401" : "other";
}
