import { randomUUID } from "node:crypto";

import type { OperationId } from "../../../src/contract/operations.ts";
import type { HttpRequest } from "../../../src/http/exchange.ts";
import { parseJson } from "../../../src/lib/json.ts";
import type { InvalidMutation, Mutation } from "../../../src/mutations/mutation.ts";
import { casesOn } from "../../../src/probe/cases.ts";
import type { Difference } from "../../../src/probe/difference/difference.ts";
import { besideControl, type Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Attempt, Fixture } from "../../../src/probe/probe.ts";
import { describeReply } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import {
  alsoChanged,
  type CheckOptions,
  EVERY_WRITE,
  operationsFor,
  rejectOptions,
  unlessServed,
  usedOrAnew,
} from "./check-options.ts";

/**
 * Writes with a long body. A receiver may skip a check for them. The good one has an Idempotency-Key too, because it is also
 * the first request of those that repeat a key: accepted writes are limited.
 */

/** Makes the body longer than 16 KiB, from which on some servers buffer it elsewhere. */
const LONG_BODY = 24_000;
const WHAT = "spaces at the end make the JSON body longer than 16 KiB";

/** A good write with a long body that was accepted. */
export interface LongWrite {
  readonly attempt: Attempt;
  readonly body: string;
  /** Its idempotency key; `undefined` where it is refused with one. */
  readonly key: string | undefined;
}

/**
 * A case for a mutation on one write that must be rejected with a long body too, `<mutation>-long-body@<operation>`. Only an
 * accepted request fails.
 */
export function rejectsWithLongBody(
  facts: Facts,
  mutation: InvalidMutation,
  options: CheckOptions,
): RuleCase[] {
  return casesOn(operationsFor(facts, options, EVERY_WRITE).slice(0, 1), [mutation]).map(
    (plain) => ({
      ...plain,
      id: `${mutation.name}-long-body@${plain.operation}`,
      title: `${mutation.what}; ${WHAT}, as in an accepted request too`,
      sends: 2,
      inapplicable: notJson(facts, plain.operation),
      async judge(probe) {
        const { form } = await probe.control(plain.operation, { bound: options.bound });
        const { bound } = form;
        const good = await usedOrAnew(probe, longWrite(plain.operation, bound));
        if ("kind" in good) return good;
        // A client has a new key for each request.
        const changed = longBody(good.key === undefined ? undefined : randomUUID());
        const where = { ...rejectOptions(probe, options), bound };
        const finding = await probe.rejects(alsoChanged(mutation, changed), where);
        return besideControl(finding, good.attempt.reply.exchange.id, isNotOfKey);
      },
    }),
  );
}

/** Why the body of an operation cannot end in spaces, which it can where it is JSON, RFC 8259 §2; otherwise `undefined`. */
export function notJson({ operations }: Facts, id: OperationId): string | undefined {
  const { body = {}, contentType = "json" } = operations[id] || {};
  const isJson =
    /json\b/i.test(contentType) && (typeof body !== "string" || parseJson(body) !== undefined);
  return isJson ? undefined : "its body is not JSON";
}

/** The good write, sent once in a run; without the key where it is refused with one. */
export function longWrite(operation: OperationId, bound: boolean): Fixture<LongWrite | Finding> {
  return {
    name: `long-body ${operation}${bound ? "" : " unbound"}`,
    scope: "run",
    async setup(probe) {
      const send = async (key: string | undefined): Promise<LongWrite | Finding> => {
        let body = "";
        const attempt = await probe.attempt(
          longBody(key, (sent) => (body = sent)),
          { operation, bound, purpose: "wanted" },
        );
        const { reply } = attempt;
        const why = phrase`a good request with a long body is refused: ${describeReply(reply)}`;
        const lacking = unlessServed(attempt, why);
        if (!lacking) reply.keep();
        return lacking ?? { attempt, body, key };
      };
      const keyed = await send(randomUUID());
      return "kind" in keyed && keyed.kind === "not-applicable" ? send(undefined) : keyed;
    },
  };
}

/**
 * A longer body with the same content.
 * @param noted gets the body
 */
function longBody(key: string | undefined, noted?: (body: string) => void): Mutation {
  return {
    name: "long-body",
    what: WHAT,
    request: (spec) => {
      const body = `${spec.body ?? ""}${" ".repeat(LONG_BODY)}`;
      noted?.(body);
      const long = { ...spec, body };
      return key === undefined ? long : withIdempotencyKey(long, key);
    },
  };
}

/** Whether a header has the idempotency key of a request, under either of its usual names. */
function isIdempotencyKey(name: string): boolean {
  return /^(x-)?idempotency-key$/i.test(name);
}

/** The request with the key, in the place of the profile's own one if there is one. */
export function withIdempotencyKey(spec: HttpRequest, key: string): HttpRequest {
  const headers = spec.headers.map(
    ([name, value]) => [name, isIdempotencyKey(name) ? key : value] as const,
  );
  const has = headers.some(([name]) => isIdempotencyKey(name));
  return { ...spec, headers: has ? headers : [...headers, ["idempotency-key", key]] };
}

/** Whether a difference from the usual good request is none from one with another body under an idempotency key. */
export function isNotOfKey(one: Difference): boolean {
  return one.part !== "body" && !(one.part === "field" && isIdempotencyKey(one.name));
}
