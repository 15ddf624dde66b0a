import { type OperationId, OPERATIONS, type Scope } from "../../../src/contract/operations.ts";
import { isSameUuid } from "../../../src/contract/uuid.ts";
import {
  type InvalidMutation,
  type Mutation,
  signedAnew,
  withToken,
} from "../../../src/mutations/mutation.ts";
import { binding } from "../../../src/mutations/token/binding.ts";
import { deniedSubject } from "../../../src/mutations/token/policy.ts";
import { type MutationCase, ORGANIZATION_OPERATIONS } from "../../../src/probe/cases.ts";
import { endCase, Finding, withControl } from "../../../src/probe/finding.ts";
import { acceptance } from "../../../src/probe/judge-attempt.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Attempt, AttemptOptions, Probe } from "../../../src/probe/probe.ts";
import { actsElsewhere, doubtAbout, policyRemedy } from "../../../src/probe/read/denied.ts";
import { describeReply, type Reception, reception } from "../../../src/probe/reception.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { compact } from "../../../src/tokens/compact.ts";
import { doesNotApply, requireKind } from "../../shared/kind.ts";

/**
 * One token, byte for byte, in two places: a decision about one request must not be applied to
 * another.
 */

type On = Pick<MutationCase, "operation">;

const why = "a decision about a token in one place must not be applied in another";

/** A token that one operation accepted, sent to an operation that requires another scope. */
export const onceAcceptedElsewhere: InvalidMutation = {
  name: "once-accepted-elsewhere",
  what: "the token was accepted a moment ago on an operation that requires the scope it grants",
  refused: { check: "scope", why, source: "contract, Receiver checks 5" },
  asks: ({ target, operation }) => {
    const read = readOfOtherScope(target, operation.id);
    return read ? { scopes: [OPERATIONS[read].scope] } : {};
  },
};

/** A token that was accepted on its own organization, sent to another one. */
export const onceAcceptedAtHome: InvalidMutation = {
  name: "once-accepted-at-home",
  what: "the token was accepted a moment ago on the organization that it is bound to",
  refused: { check: "binding", why, source: "contract, Receiver checks 6" },
  needs: ["claimsNamespace", "organizations.other"],
};

/** A token that was accepted where its subject may act, sent where it may not. */
export const onceAllowed: InvalidMutation = {
  ...deniedSubject,
  name: "once-allowed",
  what: "the token was accepted a moment ago on an organization that its subject may act on",
  refused: { ...deniedSubject.refused, why },
};

/** A token that was refused for its scope, sent where the scope suffices. */
export const onceRefusedElsewhere: Mutation = {
  name: "once-refused-elsewhere",
  what: "the token was refused a moment ago on an operation that requires another scope",
  asks: ({ operation }) => ({ scopes: [operation.scope] }),
};

/** A token that one operation accepted, sent to another one that it may use as well. */
export const onceAcceptedThere: Mutation = {
  name: "once-accepted-there",
  what: "the token was accepted a moment ago on an operation that requires another scope, which it grants too",
  asks: ({ target, operation }) => ({ scopes: bothScopes(target, operation.id), fresh: true }),
};

/** A token that was refused on another organization, sent to its own. */
export const onceRefusedAbroad: Mutation = {
  name: "once-refused-abroad",
  what: "the token was refused a moment ago on another organization than it is bound to",
  asks: ({ organization }) => ({ organization }),
};

const oneScope: Mutation = {
  name: "one-scope",
  what: "the token grants one scope",
  token: { claims: (_draft, { operation }) => ({ scope: operation.scope }) },
  asks: ({ operation }) => ({ scopes: [operation.scope] }),
};

/** An offered read that requires another scope than an operation, if there is one. */
function readOfOtherScope(facts: Facts, id: OperationId): OperationId | undefined {
  return [...ORGANIZATION_OPERATIONS, "listOrganizations" as const].find(
    (other) =>
      facts.operations[other] &&
      !OPERATIONS[other].writes &&
      !OPERATIONS[other].change &&
      OPERATIONS[other].scope !== OPERATIONS[id].scope,
  );
}

/** Judges that a token that one operation accepted is rejected by another. */
export async function acrossOperations(probe: Probe, { operation }: On): Promise<Finding> {
  const used = await use(probe, oneScope, { operation: otherRead(probe, operation) });
  return used.rejects(onceAcceptedElsewhere);
}

/** Judges that a token that was accepted on its own organization is rejected on another. */
export async function acrossOrganizations(probe: Probe, { operation }: On): Promise<Finding> {
  const other = await probe.organization("other");
  const used = await use(probe, signedAnew, { operation, bound: true });
  const finding = await used.rejects(onceAcceptedAtHome, { bound: true, organization: other });
  return blamed(finding, [["receiver.scope", () => acrossOperations(probe, { operation })]]);
}

/** Judges that a token that one operation refused is accepted where its scope suffices. */
export async function afterOtherOperation(probe: Probe, { operation }: On): Promise<Finding> {
  const { scope } = OPERATIONS[operation];
  const change: Mutation = {
    ...oneScope,
    token: { claims: { scope } },
    // Requests the second operation's scope. A fresh token, because the receiver may remember it as
    // refused.
    asks: () => ({ scopes: [scope], fresh: true }),
  };
  const used = await use(probe, change, { operation: otherRead(probe, operation) }, "rejected");
  return used.accepts(onceRefusedElsewhere, { operation });
}

/**
 * Judges that a token that one operation accepted is accepted by another one that its scopes allow. A refusal counts where a
 * twin, which is used there first, is accepted before and after, where the first operation still accepts the token, and
 * where it is the same in the opposite order: then it follows from the place of the first use alone.
 */
export async function afterAcceptance(probe: Probe, { operation }: On): Promise<Finding> {
  const first = otherRead(probe, operation);
  const scopes = bothScopes(probe.target, operation);
  const twoScopes: Mutation = {
    name: "two-scopes",
    what: "the token grants the scopes of two operations",
    token: { claims: { scope: scopes.join(" ") } },
    asks: () => ({ scopes, fresh: true }),
  };
  /** Uses a token in one place and then in another. `stillGood` is what the first place makes of it afterwards. */
  const inTurn = async (from: OperationId, to: OperationId) => {
    const used = await use(probe, twoScopes, { operation: from });
    const again = (place: OperationId): Promise<Attempt> =>
      used.attempt(onceAcceptedThere, { operation: place });
    const stillGood = async (): Promise<Reception> => reception((await again(from)).reply);
    return { second: await again(to), used, stillGood };
  };
  const { second, used } = await inTurn(first, operation);
  const finding = used.judge(acceptance(second));
  if (finding.kind !== "fail") return finding;
  for (const [from, to] of [
    [first, operation],
    [operation, first],
  ] as const) {
    await use(probe, twoScopes, { operation: to });
    const turn = await inTurn(from, to);
    if (reception(turn.second.reply) !== "rejected" || (await turn.stillGood()) !== "accepted") {
      const reason = phrase`${describeReply(second.reply)}, but not from ${from} to ${to}: ${describeReply(turn.second.reply)}`;
      return Finding.inconclusive(reason, second.evidence);
    }
    await use(probe, twoScopes, { operation: to });
  }
  return {
    ...finding,
    expected: phrase`a token is accepted wherever its scopes allow it, whichever operation it was used for first`,
    actual: phrase`after ${first} it is answered ${describeReply(second.reply)} on ${operation}, and likewise in the opposite order, while a token that is used there first is accepted: what is decided for the first operation is applied to all others`,
    certainty: "many",
  };
}

/** The scopes of an operation, and of the read to which its tokens are sent too. */
function bothScopes(facts: Facts, id: OperationId): Scope[] {
  const read = readOfOtherScope(facts, id);
  return [OPERATIONS[id].scope, ...(read ? [OPERATIONS[read].scope] : [])];
}

/** Judges that a token that was refused on another organization is accepted on its own. */
export async function afterOtherOrganization(probe: Probe, { operation }: On): Promise<Finding> {
  const [primary, other] = [await probe.organization("primary"), await probe.organization("other")];
  const change: Mutation = {
    ...signedAnew,
    token: binding(() => primary),
    asks: () => ({ organization: primary, fresh: true }),
  };
  const elsewhere = { operation, bound: true, organization: other };
  const used = await use(probe, change, elsewhere, "rejected");
  const finding = await used.accepts(onceRefusedAbroad, { operation, bound: true });
  return blamed(finding, [
    ["receiver.scope-sufficient", () => afterOtherOperation(probe, { operation })],
  ]);
}

/** Judges that a token that was accepted where its subject may act gets 403 where it may not. */
export async function acrossPolicies(probe: Probe, { operation }: On): Promise<Finding> {
  const denied = probe.target.denied?.organization ?? "";
  await requireKind(probe, operation, false);
  const primary = await probe.organization("primary");
  const allowed = isSameUuid(denied, primary) ? await probe.organization("other") : primary;
  const there = { operation, bound: false, organization: allowed };
  const used = await use(probe, deniedSubject, there, "accepted", (first) =>
    unlessAllowed(probe, first, there),
  );
  const finding = await used.rejects(onceAllowed, {
    bound: false,
    organization: denied,
    status: 403,
    doubt: (attempt) => doubtAbout(probe, attempt),
  });
  return blamed(finding, [
    ["receiver.scope", () => acrossOperations(probe, { operation })],
    ["receiver.binding", () => acrossOrganizations(probe, { operation })],
  ]);
}

/** Why a subject that is accepted elsewhere cannot show this: it may not act there without a binding, as it says once more. */
async function unlessAllowed(
  probe: Probe,
  { reply: first }: Attempt,
  options: AttemptOptions,
): Promise<Finding | undefined> {
  const { denied, subject } = probe.target;
  if (denied?.subject === subject || reception(first) !== "rejected") return undefined;
  const { reply, evidence } = await probe.attempt(deniedSubject, options);
  if (reception(reply) !== "rejected") return undefined;
  if (!(await probe.use(actsElsewhere))) {
    const remedy = policyRemedy(probe.target, "subject");
    return Finding.inconclusive(phrase`${describeReply(reply)}: ${remedy}`, evidence);
  }
  return Finding.notApplicable(
    phrase`the denied subject may act on no organization that the profile names: ${describeReply(reply)}`,
    evidence,
  );
}

function otherRead(probe: Probe, operation: OperationId): OperationId {
  return (
    readOfOtherScope(probe.target, operation) ??
    doesNotApply(phrase`no read is offered that requires another scope`)
  );
}

/**
 * Uses a token for the first time, which is added to the evidence of the findings about its second use.
 * @param hoped the answer that the case needs
 * @param otherwise the finding of the case where the answer is another one; default: inconclusive
 * @throws CaseEnd where the answer is another one
 */
async function use(
  probe: Probe,
  change: Mutation,
  options: AttemptOptions,
  hoped: "accepted" | "rejected" = "accepted",
  otherwise: (first: Attempt) => Promise<Finding | undefined> = () => Promise.resolve(undefined),
) {
  const age = probe.newAge();
  const first = await probe.attempt(change, {
    ...options,
    age,
    ...(hoped === "accepted" && { purpose: "wanted" }),
  });
  const { reply, segments, evidence } = first;
  if (reception(reply) !== hoped) {
    const finding = await otherwise(first);
    if (finding) endCase(finding);
    const reason = phrase`the token's first use had to be ${hoped}, and was not: ${describeReply(reply)}`;
    endCase(Finding.inconclusive(reason, evidence));
  }
  /** The mutation with exactly that token. */
  const again = <M extends Mutation>(mutation: M): M =>
    withToken(mutation, { text: () => compact(segments), sentBefore: true });
  const judge = (finding: Finding): Finding => withControl(finding, reply.exchange.id);
  return {
    judge,
    attempt: (mutation: Mutation, where: AttemptOptions) =>
      probe.attempt(again(mutation), { ...where, age }),
    rejects: async (mutation: InvalidMutation, where: Parameters<Probe["rejects"]>[1] = {}) =>
      judge(await probe.rejects(again(mutation), { ...where, age })),
    accepts: async (mutation: Mutation, where: AttemptOptions) =>
      judge(await probe.accepts(again(mutation), { ...where, age })),
  };
}

/** Blames a memory of tokens on one rule: the first one that sees it. */
async function blamed(
  finding: Finding,
  before: readonly (readonly [rule: string, look: () => Promise<Finding>])[],
): Promise<Finding> {
  if (finding.kind !== "fail") return finding;
  for (const [rule, look] of before) {
    if ((await look()).kind === "fail") {
      const reason = phrase`tokens are remembered wherever they are used, which ${rule} reports`;
      return {
        kind: "inconclusive",
        reason,
        ...(finding.evidence && { evidence: finding.evidence }),
      };
    }
  }
  return finding;
}
