import { type OperationId, OPERATIONS } from "../../../src/contract/operations.ts";
import { isSameUuid } from "../../../src/contract/uuid.ts";
import { isObject } from "../../../src/lib/json.ts";
import { combine, type Mutation, signedAnew } from "../../../src/mutations/mutation.ts";
import { deniedSubject } from "../../../src/mutations/token/policy.ts";
import { type Evidence, Finding, ofAll } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Attempt, AttemptOptions, Probe } from "../../../src/probe/probe.ts";
import { textsIn } from "../../../src/probe/read/texts.ts";
import { describeReply, hungUp, isUnclear, reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import {
  isRecognisable,
  reading,
  shows,
  unrecognisable,
  valueOf,
} from "../../../src/probe/write/unique-marker.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { otherChange } from "../../shared/feed.ts";
import { requireKind } from "../../shared/kind.ts";
import { formsOf, naming, namings, type Place } from "../../shared/organization-forms.ts";
import { readBack, showsWrites } from "../effects/read-back.ts";
import { UNDECIDED_BESIDE_WRITES } from "./expect-not-reached.ts";

/**
 * Requests that name another organization outside the path. A guard may check the organization in the path, and the handler may
 * act on the one in the query, in a header or in the body. A receiver may ignore or refuse the addition.
 */

const PLACES: readonly (readonly [OperationId, readonly Place[]])[] = [
  ["viewOrganization", ["query", "headers", "body"]],
  ["readChangesFeed", ["query", "headers"]],
  ["readChange", ["query"]],
  ["editOrganization", ["query", "headers", "body"]],
  ["submitChange", ["query", "headers", "body"]],
];

/** The reads of changes are tried with bound tokens alone. */
const OF_CHANGES = new Set<OperationId>(["readChangesFeed", "readChange"]);

/** The organizations of a request: the one that the path names, and the one that the addition names. */
interface Named {
  readonly path: string;
  readonly addition: string;
}

/** Whose token it is, and which organizations it and the request name. */
interface Sender {
  readonly token: Mutation;
  readonly bound: boolean;
  /** Where it is said that the token may not act on the organization of the addition. */
  readonly source: string;
  /** For a read. The token may act on the organization in the path, and not on the other one. */
  readonly read: (probe: Probe) => Promise<Named>;
}

/**
 * Cases for a bound token, `named-in-<place>@<operation>`. Reads name the primary organization in the path, and the other one
 * in the addition; the change that is read is one of the other organization. In writes, token and path name an organization
 * that does not exist, and the addition the primary one.
 */
export function actsOnPathAlone(facts: Facts): RuleCase[] {
  const sender: Sender = {
    token: signedAnew,
    bound: true,
    source: "contract, Binding a token to an organization; CWE-639",
    read: async (probe) => ({
      path: await probe.organization("primary"),
      addition: await probe.organization("other"),
    }),
  };
  return PLACES.flatMap(([operation, places]) =>
    places.map((place) => ({
      ...caseOf(sender, operation, place),
      title: `a bound token, and ${placeOf(place)} name another organization than path and token`,
      needs: OPERATIONS[operation].writes
        ? (["claimsNamespace"] as const)
        : (["claimsNamespace", "organizations.other"] as const),
      inapplicable:
        whyNotWritten(facts, operation, place) ??
        (OPERATIONS[operation].writes && facts.issued
          ? "no authorization server issues a token for an organization that does not exist"
          : undefined),
    })),
  );
}

/** Cases of an unbound token of the denied subject, with an addition that names the denied organization. */
export function appliesPolicyToPathAlone(facts: Facts): RuleCase[] {
  const { denied } = facts;
  const sender: Sender = {
    token: deniedSubject,
    bound: false,
    source: "contract, Receiver checks 7; CWE-639",
    read: async (probe) => ({
      path: await probe.organization("other"),
      addition: denied?.organization ?? "",
    }),
  };
  return PLACES.filter(
    ([id]) => !OF_CHANGES.has(id) && (denied?.operations.includes(id) ?? true),
  ).flatMap(([operation, places]) =>
    places.map((place) => ({
      ...caseOf(sender, operation, place),
      // A write judges what it left behind, and no further unbound write has to be accepted for that.
      control: { bound: false, bracket: OPERATIONS[operation].writes ? "before" : undefined },
      title: `an unbound token, and ${placeOf(place)} name an organization that is denied to its subject`,
      needs: OPERATIONS[operation].writes
        ? (["denied"] as const)
        : (["denied", "organizations.other"] as const),
      inapplicable: whyNotWritten(facts, operation, place) ?? whyNotDenied(facts),
    })),
  );
}

function whyNotDenied({ denied, organizations, subject }: Facts): string | undefined {
  if (denied === undefined) return undefined;
  if (denied.subject === subject) return "no other subject can show the denied organization";
  return isSameUuid(denied.organization, organizations.primary)
    ? undefined
    : "the denied organization is not the primary one";
}

/** For a write, to which the profile consents on the primary organization alone. */
async function nowhere(probe: Probe): Promise<Named> {
  return {
    path: probe.uuid("named elsewhere"),
    addition: await probe.organization("primary"),
  };
}

function placeOf(place: Place): string {
  return place === "headers"
    ? "X-Org-Id and similar headers"
    : `\`orgId\` and similar members of the ${place}`;
}

function whyNotWritten(facts: Facts, operation: OperationId, place: Place): string | undefined {
  if (!OPERATIONS[operation].writes) return undefined;
  if (place === "body" && !isObject(facts.operations[operation]?.body)) {
    return "the body is no JSON object";
  }
  return isRecognisable(facts, operation) ? undefined : unrecognisable(operation);
}

function caseOf(
  sender: Sender,
  operation: OperationId,
  place: Place,
): Omit<RuleCase, "needs" | "inapplicable"> {
  const { writes } = OPERATIONS[operation];
  return {
    id: `named-in-${place}@${operation}`,
    operation,
    mutation: [sender.token],
    control: { bound: sender.bound },
    grounds: {
      why: "the organization that is checked is the one that the request acts on",
      source: sender.source,
    },
    ...(writes && { phase: "state" as const, writes: "beside" as const }),
    async judge(probe) {
      await requireKind(probe, operation, sender.bound);
      const judge = writes ? judgeWrite : judgeRead;
      return judge(probe, operation, place, sender);
    },
  };
}

/** What an organization alone shows. */
interface Alone {
  readonly texts: ReadonlySet<string>;
  /** Of the answer to the request without the addition. */
  readonly status: number;
}

async function judgeRead(
  probe: Probe,
  operation: OperationId,
  place: Place,
  sender: Sender,
): Promise<Finding> {
  const { token, bound } = sender;
  const { path, addition } = await sender.read(probe);
  const changeId = OPERATIONS[operation].change ? await probe.use(otherChange) : undefined;
  if (OPERATIONS[operation].change && changeId === undefined) {
    return Finding.notApplicable(phrase`no change of the other organization is known`);
  }
  const ask = (mutation: Mutation, by = probe): Promise<Attempt> =>
    by.attempt(mutation, { operation, bound, organization: path, changeId });
  /** What the named organization alone shows, beside the answer without the addition. */
  const compare = async (by: Probe): Promise<Alone | undefined> => {
    const theirs = await by.attempt(reading, { operation, organization: addition, changeId });
    const { reply: own } = await ask(combine(token, reading), by);
    const isUsable =
      reception(own) === "accepted" || (changeId !== undefined && reception(own) === "rejected");
    if (reception(theirs.reply) !== "accepted" || !isUsable) return undefined;
    const known = textsIn(own.json());
    const requested = [addition, changeId ?? addition].map((id) => id.toLowerCase());
    const texts = [...textsIn(theirs.reply.json())].filter(
      (text) => !known.has(text) && !requested.some((id) => text.toLowerCase().includes(id)),
    );
    return { texts: new Set(texts), status: own.status };
  };
  const alone = await probe.use({
    name: `texts of ${operation} of ${addition} beside ${path} ${token.name}`,
    scope: "rule",
    setup: compare,
  });
  if (alone === undefined || alone.texts.size === 0) {
    return Finding.notApplicable(phrase`the other organization shows nothing of its own`);
  }
  return inEachForm(operation, place, sender, addition, alone.status, ask, async (first, sent) => {
    if (!shownBy(first, alone.texts)) return undefined;
    // A text that changes by itself is another one now, and a text of both is known by now.
    const still = await compare(probe);
    const again = await ask(sent);
    const lasting = [...alone.texts].filter((text) => still?.texts.has(text));
    if (!shownBy(again, new Set(lasting))) return undefined;
    const { evidence } = first;
    return {
      kind: "fail",
      expected: phrase`the answer shows nothing of ${addition}`,
      actual: phrase`${describeReply(again.reply)}, with values that ${addition} alone shows`,
      evidence: { ...evidence, probes: [...evidence.probes, again.reply.exchange.id] },
    };
  });
}

/**
 * Sends the request in each form, with all names and then with one at a time, until one of them was taken or ignored. If it
 * was refused, one of the names alone may be taken.
 * @param plain the status of the answer to the request without the addition
 * @param judge the violation that an answer shows, or why nothing can be judged
 */
async function inEachForm(
  operation: OperationId,
  place: Place,
  { token, bound }: Sender,
  addition: string,
  plain: number,
  ask: (mutation: Mutation) => Promise<Attempt>,
  judge: (attempt: Attempt, mutation: Mutation) => Promise<Finding | undefined>,
): Promise<Finding> {
  const sent: Evidence[] = [];
  for (const form of formsOf(operation, place, bound)) {
    for (const names of namings(form)) {
      const mutation = combine(token, naming(place, form, names, addition));
      const attempt = await ask(mutation);
      const { reply, evidence } = attempt;
      sent.push(evidence);
      const received = reception(reply);
      if (isUnclear(reply)) {
        return Finding.inconclusive(describeReply(reply), evidence);
      }
      const finding = await judge(attempt, mutation);
      if (finding) return finding;
      if (received === "accepted" || reply.status === plain) break;
    }
  }
  return Finding.pass(ofAll(sent));
}

function shownBy({ reply }: Attempt, texts: ReadonlySet<string>): boolean {
  return [...textsIn(reply.json())].some((text) => texts.has(text));
}

async function judgeWrite(
  probe: Probe,
  operation: OperationId,
  place: Place,
  sender: Sender,
): Promise<Finding> {
  const { token, bound } = sender;
  const { path, addition } = await nowhere(probe);
  const options: AttemptOptions = { operation, bound, organization: path };
  const plain = await probe.use({
    name: `${operation} of an unknown organization ${token.name}`,
    scope: "rule",
    setup: async (by) => (await by.attempt(token, options)).reply.status,
  });
  let unseen = false;
  const ask = (mutation: Mutation): Promise<Attempt> => probe.attempt(mutation, options);
  const look = async ({ reply, evidence }: Attempt): Promise<Finding | undefined> => {
    if (!["accepted", "broken"].includes(reception(reply)) && !hungUp(reply)) return undefined;
    const value = valueOf(probe, reply);
    const readings = await readBack(probe, addition);
    const shown = value && readings.find((one) => shows(one, value));
    if (shown) {
      return {
        kind: "fail",
        expected: phrase`a request about ${path} changes nothing of ${addition}`,
        actual: phrase`${describeReply(reply)}, and what was written is in ${shown.where}`,
        evidence: { ...evidence, probes: [...evidence.probes, shown.exchange] },
        certainty: "proof",
      };
    }
    unseen ||= !showsWrites(probe, readings);
    return probe.besideWrites ? UNDECIDED_BESIDE_WRITES : undefined;
  };
  const finding = await inEachForm(operation, place, sender, addition, plain, ask, look);
  return finding.kind === "pass" && unseen
    ? Finding.notApplicable(phrase`writes cannot be seen anywhere`)
    : finding;
}
