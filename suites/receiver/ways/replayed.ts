import { randomUUID } from "node:crypto";

import type { OperationId } from "../../../src/contract/operations.ts";
import type { Reply } from "../../../src/http/exchange.ts";
import { because, type InvalidMutation, type Mutation } from "../../../src/mutations/mutation.ts";
import { custom } from "../../../src/probe/cases.ts";
import { besideControl, endCase, Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import { isWriteLimit } from "../../../src/probe/write/not-sent.ts";
import {
  isRecognisable,
  shows,
  unrecognisable,
  valueOf,
  viewed,
} from "../../../src/probe/write/unique-marker.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import {
  afterTokenless,
  alsoChanged,
  type CheckOptions,
  EVERY_WRITE,
  operationsFor,
  readFor,
  rejectOptions,
} from "./check-options.ts";
import { isNotOfKey, longWrite, notJson, withIdempotencyKey } from "./long-body.ts";

/**
 * A write that was answered before, by its idempotency key. A receiver that gives the stored answer must make all checks
 * before that.
 */

/** A good request that was sent twice with one key, and then got the stored answer. */
interface Stored {
  /** Sends the key and the body again, as a mutation. */
  readonly again: Mutation;
  /** Id of the exchange with the stored answer. */
  readonly exchange: string;
}

/**
 * A case for a mutation on each write, `<mutation>-replayed@<operation>`: it must be rejected though the request has a key that
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
    what: `${mutation.what}; the request repeats an accepted one, with its \`Idempotency-Key\``,
  };
  // The good requests are accepted writes. Where no read can stand for a write, other cases need all of these.
  const isRead = readFor(facts, options).length > 0;
  const writes = isRead ? operationsFor(facts, options, EVERY_WRITE) : [];
  return custom(writes, [replayed], async (probe, { operation }) => {
    const stored = await probe.use(operation === "submitChange" ? storedSubmission : storedEdit);
    const finding = await probe.rejects(
      alsoChanged(replayed, stored.again),
      rejectOptions(probe, options),
    );
    // The good request with the stored answer has the key and the body too.
    return besideControl(finding, stored.exchange, isNotOfKey);
  }).map((one) => ({
    ...one,
    ...afterTokenless(mutation, "replayed"),
    inapplicable: whyNot(facts, one.operation),
    // By then it is known whether answers to submissions are stored.
    ...(one.operation === "editOrganization" && { phase: "state" as const }),
  }));
}

/** Why it cannot be seen whether answers to an operation are stored. */
function whyNot(facts: Facts, operation: OperationId): string | undefined {
  if (operation === "submitChange") return notJson(facts, operation);
  if (!facts.operations.viewOrganization) return "viewOrganization is not offered";
  return isRecognisable(facts, operation) ? undefined : unrecognisable(operation);
}

/** A good request with an Idempotency-Key, and with the body of an accepted one. */
function under(key: string, body: string): Mutation {
  return {
    name: "idempotency-key",
    what: "it has the body of an accepted request, and an `Idempotency-Key`",
    request: (spec) => withIdempotencyKey({ ...spec, body }, key),
  };
}

/**
 * A good request with an Idempotency-Key.
 * @param noted gets its body
 */
function underFresh(key: string, noted?: (body: string) => void): Mutation {
  return {
    name: "fresh-idempotency-key",
    what: "it has an `Idempotency-Key`",
    request(spec) {
      noted?.(spec.body ?? "");
      return withIdempotencyKey(spec, key);
    },
  };
}

/**
 * Repeats the good submission with a long body and its key, and sends it with a fresh key, which must be answered otherwise. A
 * receiver that does not keep answers has accepted one write more by then.
 */
const storedSubmission: Fixture<Stored> = {
  name: "idempotency key submitChange",
  scope: "run",
  async setup(probe) {
    const operation = "submitChange";
    const { form, reply: usual } = await probe.control(operation);
    const long = await probe.use(longWrite(operation, form.bound));
    if ("kind" in long) return endCase(long);
    const { key, body, attempt } = long;
    const { reply: first } = attempt;
    // Where all writes get the same answer, nothing tells a stored one.
    if (key === undefined || !first.hasBody || first.body === usual.body) {
      return endCase(NOT_STORED);
    }
    const again = under(key, body);
    const second = await send(probe, operation, again);
    if (second.body !== first.body) return endCase(NOT_STORED);
    const fresh = await send(probe, operation, under(randomUUID(), body));
    return fresh.body === first.body
      ? endCase(NOT_STORED)
      : { again, exchange: second.exchange.id };
  },
};

/**
 * Makes two edits, each with a key of its own, and repeats the first one. Where its answer was stored, the view still shows the
 * second one. Edits are limited, so a receiver that keeps no answers to submissions is not asked.
 */
const storedEdit: Fixture<Stored> = {
  name: "idempotency key editOrganization",
  scope: "run",
  async setup(probe) {
    const operation = "editOrganization";
    if (probe.target.operations.submitChange) await probe.use(storedSubmission);
    const key = randomUUID();
    let body = "";
    const noting = underFresh(key, (sent) => (body = sent));
    const first = await send(probe, operation, noting);
    await send(probe, operation, underFresh(randomUUID()));
    const again = under(key, body);
    const second = await send(probe, operation, again);
    const value = valueOf(probe, first);
    const view = await viewed(probe);
    const isStored =
      second.body === first.body &&
      reception(view) === "accepted" &&
      value !== undefined &&
      !shows(view, value);
    return isStored ? { again, exchange: second.exchange.id } : endCase(NOT_STORED);
  },
};

const NOT_STORED: Finding = Finding.notApplicable(
  phrase`a good request that repeats an \`Idempotency-Key\` does not get a stored answer`,
);

/** The answer to a good request; ends the case unless it is accepted. */
async function send(probe: Probe, operation: OperationId, mutation: Mutation): Promise<Reply> {
  const sent = await probe.tryAttempt(mutation, { operation, purpose: "wanted" });
  if ("finding" in sent) {
    return endCase(
      isWriteLimit(sent.finding)
        ? Finding.notApplicable(phrase`the run has made too many such writes already`)
        : sent.finding,
    );
  }
  const { reply, evidence } = sent.attempt;
  const received = reception(reply);
  if (received === "accepted") return reply;
  const reason = phrase`a good request that repeats a body or an \`Idempotency-Key\`: ${describeReply(reply)}`;
  return endCase(
    received === "unclear" ? Finding.inconclusive(reason, evidence) : Finding.notApplicable(reason),
  );
}
