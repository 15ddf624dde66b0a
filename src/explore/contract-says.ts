import type { ReceiverCheck } from "../contract/checks.ts";
import { type OperationId, OPERATIONS } from "../contract/operations.ts";
import { ask } from "../model/ask.ts";
import { knownOf } from "../model/known-of.ts";
import type { Known } from "../model/known.ts";
import type { Binding } from "../model/outcome.ts";
import { readToken } from "../model/read-token.ts";
import { describeRequest } from "../model/request.ts";
import type { AskedToken } from "../model/token.ts";
import { withToken, type Mutation, type MutationContext } from "../mutations/mutation.ts";
import { composeRequest } from "../probe/compose.ts";
import type { PathParams } from "../probe/request.ts";
import { earliestNowSeconds, latestNowSeconds } from "../tokens/draft.ts";
import { type Change, mutationOf } from "./change.ts";
import type { Draw } from "./draws.ts";
import { REJECTING } from "./owners.ts";

/** Where a draw is made: the good request that it changes, and what is known beside the profile. */
export interface Place {
  readonly context: MutationContext;
  readonly path: PathParams;
  /** Whether the deployment refuses subjects that it does not know. */
  readonly othersDenied: boolean;
}

/** What the contract says to a drawn request, and which rule owns it. */
export interface Said {
  readonly says: "rejected" | "accepted";
  readonly rule: string;
  readonly level: Binding;
  /** Id of the sentence that decides. */
  readonly sentence: string;
  /** The receiver check that it fails. Absent where none is. */
  readonly check?: ReceiverCheck | undefined;
  /** The only status that counts, where the contract names it. */
  readonly status?: 403 | undefined;
}

/** The rule that owns a change with which a request must be accepted, where it is refused. */
function acceptingRule(change: Change): string | undefined {
  switch (change.of) {
    case "claim":
      if (change.name === "scope") return "receiver.scope-sufficient";
      return change.name === "binding" ? "receiver.binding-accepted" : "receiver.claims-accepted";
    case "further claim":
    case "header":
    case "payload":
      return "receiver.claims-accepted";
    case "query":
      return "pagination.bounds-accepted";
    case "place":
      return "receiver.binding-accepted";
    default:
      return undefined;
  }
}

/** A request may be under way for so long, so that a time that is just ahead has passed when it arrives. */
const UNDER_WAY_SECONDS = 60;

/**
 * Asks the model about a draw.
 * @returns `undefined` where the contract leaves it open, what is open in it alone must be rejected, or no rule owns it
 */
export async function contractSays(draw: Draw, place: Place): Promise<Said | undefined> {
  const known = knownAt(draw.operation, place);
  const carried = await answerTo(draw.open, place, known);
  if (carried.says === "rejected") return undefined;
  const answer = await answerTo([...draw.open, draw.judged], place, known);
  if (answer.says === "open") return undefined;
  if (answer.says === "accepted") {
    const rule = acceptingRule(draw.judged);
    // Accepted writes are limited.
    if (rule === undefined || OPERATIONS[draw.operation].writes) return undefined;
    // Which of the issuer's algorithms a deployment supports is its own choice.
    if (draw.open.some(({ of }) => of === "key")) return undefined;
    return { says: "accepted", rule, level: answer.level, sentence: answer.sentence };
  }
  const owner = answer.by.find(({ level }) => level === answer.level) ?? answer.by[0];
  const isParameter = owner.sentence === "models.query.closed";
  const rule = isParameter ? "pagination.unknown-parameter" : REJECTING[owner.check];
  if (rule === undefined) return undefined;
  const { part } = owner;
  return {
    says: "rejected",
    rule,
    level: answer.level,
    sentence: owner.sentence,
    ...(part !== "claims" && part !== "request" && { check: part }),
    ...(answer.status !== undefined && { status: answer.status }),
  };
}

async function answerTo(
  changes: readonly Change[],
  { context, path }: Place,
  known: Known,
): Promise<ReturnType<typeof ask>> {
  const mutation = mutationOf("explored", changes);
  const isSigned = changes.every(isSignedAsUsual);
  const { request, token } = await composeRequest({
    context,
    place: path,
    mutation: isSigned ? unsigned(mutation) : mutation,
  });
  const read = readToken(token, isSigned ? [] : known.issuers);
  return ask(known, describeRequest(request, token), isSigned ? signed(read, context) : read);
}

/** Whether the token is signed by the issuer as its header says. */
function isSignedAsUsual(change: Change): boolean {
  if (change.of === "header") return !["alg", "kid", "crit", "b64"].includes(change.name);
  return (
    change.of !== "key" &&
    change.of !== "forgery" &&
    change.of !== "text" &&
    change.of !== "payload"
  );
}

/** Signing and verifying take longer than all else, and the model needs neither. */
function unsigned(mutation: Mutation): Mutation {
  return withToken(mutation, { sign: () => new Uint8Array(1) });
}

function signed(token: AskedToken, { target }: MutationContext): AskedToken {
  const { url, key } = target.testIssuer;
  return { ...token, signature: { is: "valid", issuer: url, kid: key.kid, alg: key.alg } };
}

function knownAt(operation: OperationId, { context, path, othersDenied }: Place): Known {
  const { target, form, organization, otherOrganization } = context;
  const facts = {
    ...target,
    organizations: { primary: organization, other: otherOrganization },
  };
  const now = {
    earliest: earliestNowSeconds(form),
    latest: latestNowSeconds(form) + UNDER_WAY_SECONDS,
  };
  const known = knownOf(facts, now);
  const { typ = form.typ } = target.testIssuer.header;
  const { changeId } = path;
  return {
    ...known,
    typs: [typeof typ === "string" ? typ : undefined],
    policy: { ...known.policy, othersDenied },
    ...(organization !== undefined &&
      changeId !== undefined &&
      OPERATIONS[operation].change && {
        changes: { existing: [{ organization, id: changeId }], complete: false },
      }),
  };
}
