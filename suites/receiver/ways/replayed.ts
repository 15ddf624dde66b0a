import { randomUUID } from "node:crypto";

import type { OperationId } from "../../../src/contract/operations.ts";
import { combine } from "../../../src/mutations/combine.ts";
import { because, type InvalidMutation, type Mutation } from "../../../src/mutations/mutation.ts";
import { custom } from "../../../src/probe/cases.ts";
import type { Difference } from "../../../src/probe/difference/difference.ts";
import { besideControl, type Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Attempt, Fixture, Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule-case.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { type CheckOptions, readFor, rejectOptions, writeFor } from "./check-options.ts";
import { isIdempotencyKey, withIdempotencyKey } from "./idempotency-key.ts";
import { notJson, longWrite } from "./long-body.ts";

/**
 * A write that was answered before, by its idempotency key. A receiver that gives the stored answer must make all checks
 * before that.
 */

/** A good request that was sent twice with one key, and then got the stored answer. */
interface Stored {
  /** The same key and the same body, as a mutation. */
  readonly again: Mutation;
  /** Id of the exchange with the stored answer. */
  readonly exchange: string;
}

/**
 * A case for a mutation on one write, `<mutation>-replayed@<operation>`: it must be rejected though the request has a key that
 * was used, and the body that was sent with it. It applies where good requests show that the receiver keeps answers by key.
 */
export function rejectsReplayed(
  facts: Facts,
  mutation: InvalidMutation,
  options: CheckOptions = {},
): RuleCase[] {
  const { why } = mutation.refused;
  const replayed: InvalidMutation = {
    ...because(mutation, {
      why: `${why}; a stored answer is an answer to a request, so the checks come before it`,
    }),
    name: `${mutation.name}-replayed`,
    what: `${mutation.what}; the request repeats an accepted one, with its Idempotency-Key`,
  };
  // The good requests are accepted writes. Where no read can stand for a write, other cases need all of these.
  const writes = readFor(facts, options).length > 0 ? writeFor(facts, options) : [];
  return custom(writes, [replayed], async (probe, { operation }) => {
    const stored = await probe.use(storedAnswer(operation));
    if ("kind" in stored) return stored;
    const finding = await probe.rejects(
      { ...replayed, ...combine(mutation, stored.again), name: replayed.name },
      rejectOptions(probe, options),
    );
    // The good request with the stored answer has the key and the body too.
    return besideControl(finding, stored.exchange, (one) => !isOfReplay(one));
  }).map((one) => ({ ...one, inapplicable: notJson(facts, one.operation) }));
}

/**
 * Repeats the good write with a long body and its key, and sends it with a fresh key, which must be answered otherwise. A
 * receiver that does not keep answers has accepted one write more by then.
 */
function storedAnswer(operation: OperationId): Fixture<Stored | Finding> {
  return {
    name: `idempotency key ${operation}`,
    scope: "run",
    async setup(probe) {
      const { form, reply: usual } = await probe.control(operation);
      const first = await probe.use(longWrite(operation, form.bound));
      if ("kind" in first) return first;
      const { key, body, attempt } = first;
      // Where all writes get the same answer, nothing tells a stored one.
      if (key === undefined || !attempt.reply.hasBody || attempt.reply.body === usual.body) {
        return NOT_STORED;
      }
      const under = (used: string): Mutation => ({
        name: "idempotency-key",
        what: "it has the body of an accepted request, and an Idempotency-Key",
        request: (spec) => withIdempotencyKey({ ...spec, body }, used),
      });
      const again = under(key);
      const second = await send(probe, operation, again, form.bound);
      if ("kind" in second) return second;
      if (second.reply.body !== attempt.reply.body) return NOT_STORED;
      const fresh = await send(probe, operation, under(randomUUID()), form.bound);
      if ("kind" in fresh) return fresh;
      return fresh.reply.body === attempt.reply.body
        ? NOT_STORED
        : { again, exchange: second.reply.exchange.id };
    },
  };
}

const NOT_STORED: Finding = {
  kind: "not-applicable",
  reason: phrase`a good request that repeats an Idempotency-Key does not get a stored answer`,
};

async function send(
  probe: Probe,
  operation: OperationId,
  mutation: Mutation,
  bound: boolean,
): Promise<Attempt | Finding> {
  const attempt = await probe.attempt(mutation, { operation, bound, purpose: "wanted" });
  const { reply, evidence } = attempt;
  const reason = phrase`a good request that repeats a body or an Idempotency-Key: ${describeReply(reply)}`;
  switch (reception(reply)) {
    case "accepted":
      return attempt;
    case "unclear":
      return { kind: "inconclusive", reason, evidence };
    default:
      return { kind: "not-applicable", reason };
  }
}

/** Whether a difference from the usual control is none from the good request with the stored answer. */
function isOfReplay(difference: Difference): boolean {
  return (
    difference.part === "body" || (difference.part === "field" && isIdempotencyKey(difference.name))
  );
}
