import { randomUUID } from "node:crypto";

import type { OperationId } from "../../../src/contract/operations.ts";
import type { HttpRequest } from "../../../src/http/exchange.ts";
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

/**
 * A write that was answered before, by its idempotency key. A receiver that gives the stored answer must make all checks
 * before that.
 */

const HEADER = "idempotency-key";
/** The names under which a profile may have the header already. */
const OF_PROFILE = /^(x-)?idempotency-key$/i;

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
  });
}

/** Sends a good request with a key, sends it again, and sends it with a fresh key, which must be answered otherwise. */
function storedAnswer(operation: OperationId): Fixture<Stored | Finding> {
  return {
    name: `idempotency key ${operation}`,
    scope: "run",
    async setup(probe) {
      let body: string | undefined;
      const keyed = (key: string): Mutation => ({
        name: "idempotency-key",
        what: "it has an Idempotency-Key",
        request: (spec) => withKey({ ...spec, body: (body ??= spec.body) }, key),
      });
      const used = keyed(randomUUID());
      const first = await send(probe, operation, used);
      if ("kind" in first) return first;
      const second = await send(probe, operation, used);
      if ("kind" in second) return second;
      if (!second.reply.hasBody || second.reply.body !== first.reply.body) return NOT_STORED;
      const fresh = await send(probe, operation, keyed(randomUUID()));
      if ("kind" in fresh) return fresh;
      return fresh.reply.body === first.reply.body
        ? NOT_STORED
        : { again: used, exchange: second.reply.exchange.id };
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
): Promise<Attempt | Finding> {
  const attempt = await probe.attempt(mutation, { operation, purpose: "wanted" });
  const { reply, evidence } = attempt;
  const reason = phrase`a good request with an Idempotency-Key: ${describeReply(reply)}`;
  switch (reception(reply)) {
    case "accepted":
      return attempt;
    case "unclear":
      return { kind: "inconclusive", reason, evidence };
    default:
      return { kind: "not-applicable", reason };
  }
}

/** The request with the key, in the place of the profile's own one if there is one. */
function withKey(spec: HttpRequest, key: string): HttpRequest {
  const has = spec.headers.some(([name]) => OF_PROFILE.test(name));
  return {
    ...spec,
    headers: has
      ? spec.headers.map(([name, value]) => [name, OF_PROFILE.test(name) ? key : value] as const)
      : [...spec.headers, [HEADER, key]],
  };
}

/** Whether a difference from the usual control is none from the good request with the stored answer. */
function isOfReplay(difference: Difference): boolean {
  return (
    difference.part === "body" || (difference.part === "field" && OF_PROFILE.test(difference.name))
  );
}
