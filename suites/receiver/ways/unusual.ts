import { type OperationId, OPERATIONS } from "../../../src/contract/operations.ts";
import {
  combine,
  type InvalidMutation,
  type Mutation,
  needsPrivateKey,
  type Refused,
} from "../../../src/mutations/mutation.ts";
import { besideOthers, casesOn, type MutationCase } from "../../../src/probe/cases.ts";
import type { Difference } from "../../../src/probe/difference/difference.ts";
import { besideControl, Finding } from "../../../src/probe/finding.ts";
import { listFact, phrase } from "../../../src/probe/phrase.ts";
import type { AttemptOptions, Fixture, Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { consent, moreUnusual, unusualTokens } from "../mutations/unusual.ts";
import {
  type CheckOptions,
  EVERY_READ,
  operationsFor,
  readFor,
  rejectOptions,
  unlessServed,
  usedOrAnew,
} from "./check-options.ts";
import { rejectsWithLongBody } from "./long-body.ts";

/**
 * Unusual requests that are good, mostly by their tokens. A receiver may skip a check for some of them.
 * All unusual parts are in one request, and its control has them too, so one request for each check is enough.
 */

interface Kind {
  readonly suffix: string;
  readonly how: string;
  readonly parts: readonly Mutation[];
  /** Whether it names the other organization where it can. */
  readonly away?: boolean;
  /** Whether its token is unbound where the usual one is bound, and the other way round, if both are accepted. */
  readonly otherwiseBound?: boolean;
}

const UNUSUAL: Kind = {
  suffix: "unusual",
  how: "token and request are unusual",
  parts: unusualTokens,
  away: true,
};

const MORE: Kind = {
  suffix: "unusual-more",
  how: "token and request are unusual in other ways",
  parts: moreUnusual,
  otherwiseBound: true,
};

const CONSENT: Kind = {
  suffix: "consent",
  how: "the token is of the authorization code flow",
  parts: [consent],
};

/** The control: a good request that is unusual, and was accepted. */
interface Served {
  readonly parts: readonly Mutation[];
  /** The organization in the path; `undefined` for the usual one. */
  readonly organization: string | undefined;
  readonly exchange: string;
  /** Its differences from the usual good request. */
  readonly differences: readonly Difference[];
}

/**
 * Cases for a mutation that must be rejected in unusual requests too: `<mutation>-unusual@<operation>` for one read,
 * `<mutation>-unusual-more@<operation>` for each, because routes may treat the flow and the binding of a token each in their
 * own way; and with a long body, for one write. Only an accepted request fails.
 */
export function rejectsUnusual(
  facts: Facts,
  mutation: InvalidMutation,
  options: CheckOptions = {},
): RuleCase[] {
  const everyRead = operationsFor(facts, options, EVERY_READ);
  return [
    ...casesOf(readFor(facts, options), mutation, UNUSUAL, options),
    ...casesOf(everyRead, mutation, MORE, options),
    ...rejectsWithLongBody(facts, mutation, options),
  ];
}

/**
 * Cases for a mutation that must be rejected in a token of the authorization code flow too, `<mutation>-consent@<operation>`,
 * where `rejectsUnusual` does not send one. For routes that check tokens each in its own way.
 */
export function rejectsWithConsent(
  facts: Facts,
  mutation: InvalidMutation,
  options: CheckOptions = {},
): RuleCase[] {
  const read = readFor(facts, options);
  const others = operationsFor(facts, options).filter((operation) => !read.includes(operation));
  // Its control has the claim of the flow too, which only the issuer's key can sign.
  const consented = { ...withParts(mutation, CONSENT.parts), signsAsIssuer: true };
  return casesOf(others, mutation, CONSENT, options).map((one) =>
    OPERATIONS[one.operation].writes
      ? besideOthers({
          ...one,
          mutation: consented,
          title: `${mutation.what}; ${CONSENT.how}`,
          sends: 1,
          judge: (probe) => judgeWithoutControl(probe, consented, options),
        })
      : { ...one, mutation: consented },
  );
}

/**
 * Judges a write without a good one of this kind, which would be one more accepted write. So the status of a refusal proves
 * nothing, nor does an answer that neither accepts nor refuses.
 */
function judgeWithoutControl(
  probe: Probe,
  mutation: InvalidMutation,
  options: CheckOptions,
): Promise<Finding> {
  const { status: _, doubt, ...where } = rejectOptions(probe, options);
  return probe.rejects(mutation, {
    ...where,
    async doubt(attempt) {
      const { reply } = attempt;
      const isNeither = ["redirected", "broken"].includes(reception(reply));
      const reason = phrase`it is not accepted, and no good request shows why: ${describeReply(reply)}`;
      return (await doubt?.(attempt)) ?? (isNeither ? Finding.notApplicable(reason) : undefined);
    },
  });
}

function casesOf(
  operations: readonly OperationId[],
  mutation: InvalidMutation,
  kind: Kind,
  options: CheckOptions,
): (MutationCase<InvalidMutation> & RuleCase)[] {
  return casesOn(operations, [mutation]).map((plain) => ({
    ...plain,
    id: `${mutation.name}-${kind.suffix}@${plain.operation}`,
    title: `${mutation.what}; ${kind.how}, as an accepted request is too`,
    sends: 2,
    judge: (probe) => judge(probe, plain.operation, mutation, kind, options),
  }));
}

async function judge(
  probe: Probe,
  operation: OperationId,
  mutation: InvalidMutation,
  kind: Kind,
  wanted: CheckOptions,
): Promise<Finding> {
  const { form } = await probe.control(operation, { bound: wanted.bound });
  const bound =
    kind.otherwiseBound && wanted.bound === undefined
      ? await otherwise(probe, operation, form.bound)
      : form.bound;
  const served = await usedOrAnew(probe, servedUnusual(operation, kind, bound));
  if ("kind" in served) return served;
  const { parts } = served;
  const options = {
    organization: served.organization,
    ...rejectOptions(probe, wanted),
    bound,
  };
  const finding = await probe.rejects(withParts(mutation, parts), options);
  const own = besides(finding, mutation, served);
  if (own.kind !== "fail" || !probe.tellsMore || OPERATIONS[operation].writes) return own;
  if (parts.length === 1 && bound === form.bound) return own;
  const enough = await partsEnough(probe, mutation, parts, options, form.bound);
  if (enough.length === 0) return own;
  return { ...own, actual: phrase`${own.actual}, already if ${listFact(enough, ", or ")}` };
}

/** Whether a token is bound that is not bound as the usual one is, if such a token is accepted. */
async function otherwise(probe: Probe, operation: OperationId, usual: boolean): Promise<boolean> {
  const other = await probe.tryControl(operation, { bound: !usual });
  return "control" in other ? !usual : usual;
}

/**
 * The parts with which alone the mutation is accepted, or the binding, as words. None where it is accepted in the usual
 * request too, which other cases report.
 */
async function partsEnough(
  probe: Probe,
  mutation: InvalidMutation,
  parts: readonly Mutation[],
  options: AttemptOptions,
  usual: boolean,
): Promise<string[]> {
  const isAccepted = async (changed: Mutation, bound = options.bound): Promise<boolean> => {
    const result = await probe.tryAttempt(changed, { ...options, bound });
    return "attempt" in result && reception(result.attempt.reply) === "accepted";
  };
  if (await isAccepted(mutation, usual)) return [];
  if (options.bound !== usual && (await isAccepted(mutation))) {
    return [usual ? "the token is bound to no organization" : "the token is bound"];
  }
  const enough: string[] = [];
  for (const part of parts) {
    if (await isAccepted(withParts(mutation, [part]))) enough.push(part.what);
  }
  return enough;
}

/** The part that changes the claim of a check. */
const GIVES_WAY: Partial<Record<Refused["check"], string>> = {
  scope: "every-scope",
  policy: "second-subject",
};

/** The mutation in an unusual request. A part that changes the same claim gives way. */
function withParts(mutation: InvalidMutation, parts: readonly Mutation[]): InvalidMutation {
  const others = parts.filter(({ name }) => name !== GIVES_WAY[mutation.refused.check]);
  return { ...mutation, ...others.reduce(combine, mutation), name: mutation.name };
}

/** A finding with the unusual good request as a control, from which its own differences are none. */
function besides(finding: Finding, mutation: InvalidMutation, served: Served): Finding {
  const usual = new Set(served.differences.map(placeOf));
  if (mutation.refused.check === "scope") usual.delete("claim scope");
  if (mutation.refused.check === "policy") usual.delete("claim sub");
  return besideControl(finding, served.exchange, (one) => !usual.has(placeOf(one)));
}

function placeOf(difference: Difference): string {
  return `${difference.part} ${"name" in difference ? difference.name : ""}`;
}

/**
 * A good request with all unusual parts. A deployment may refuse some of them. Then it has the parts that are accepted
 * alone.
 */
function servedUnusual(
  operation: OperationId,
  kind: Kind,
  bound: boolean,
): Fixture<Served | Finding> {
  return {
    name: `${kind.suffix} ${operation}${bound ? "" : " unbound"}`,
    scope: "run",
    async setup(probe) {
      const { organization: isBelow } = OPERATIONS[operation];
      const parts = usableParts(kind, probe.target);
      const { other } = await probe.organizations();
      const away = kind.away && isBelow ? other : undefined;
      const send = async (
        sent: readonly Mutation[],
        organization?: string,
      ): Promise<Served | Finding> => {
        const options = { operation, bound, organization, purpose: "wanted" } as const;
        const attempt = await probe.attempt(combined(sent), options);
        const { reply, evidence } = attempt;
        const { differences = [] } = evidence;
        const why = phrase`a good request is refused if it is unusual in this way: ${describeReply(reply)}`;
        const served = { parts: sent, organization, exchange: reply.exchange.id, differences };
        return unlessServed(attempt, why) ?? served;
      };
      const whole = await send(parts, away);
      if (!isRefused(whole) || parts.length < 2) return whole;
      const most = await send(parts.slice(0, -1), away);
      if (!isRefused(most)) return most;
      // The second subject may act on the other organization alone.
      for (const place of away === undefined ? [undefined] : [away, undefined]) {
        const accepted: Mutation[] = [];
        for (const part of parts) {
          if (!("kind" in (await send([part], place)))) accepted.push(part);
        }
        if (accepted.length > 0) return send(accepted, place);
      }
      return whole;
    },
  };
}

function isRefused(result: Served | Finding): boolean {
  return "kind" in result && result.kind === "not-applicable";
}

function usableParts({ parts }: Kind, facts: Facts): Mutation[] {
  return parts.filter(
    (part) => part.inapplicable?.(facts) === undefined && !(facts.issued && needsPrivateKey(part)),
  );
}

function combined(parts: readonly Mutation[]): Mutation {
  const [first, ...more] = parts as [Mutation, ...Mutation[]];
  return { ...more.reduce(combine, first), name: "unusual" };
}
