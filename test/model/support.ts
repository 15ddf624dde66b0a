import { type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import { type Answer, ask } from "../../src/model/ask.ts";
import { knownOf } from "../../src/model/known-of.ts";
import type { Known } from "../../src/model/known.ts";
import { readToken } from "../../src/model/read-token.ts";
import { describeRequest } from "../../src/model/request.ts";
import type { Mutation, MutationContext } from "../../src/mutations/mutation.ts";
import { type ComposedRequest, composeRequest } from "../../src/probe/compose.ts";
import { seededUuid } from "../../src/probe/request.ts";
import type { Target } from "../../src/profile/target.ts";
import type { TokenForm } from "../../src/tokens/draft.ts";

/** A change that exists in the primary organization. */
const CHANGE = "c4a9e5ed-0000-4000-8000-000000000001";

/** Where a mutation is made. */
export interface Situation {
  readonly operation: OperationId;
  readonly bound?: boolean | undefined;
  /** Of the token, and of the path. Default: the primary one. */
  readonly organization?: string | undefined;
  readonly path?: string | undefined;
}

/** Composes a request with a mutation, as the suite does. */
export async function composed(
  target: Target,
  mutation: Mutation,
  { operation: id, bound = true, organization: named, path }: Situation,
  atMs: number = Date.now(),
): Promise<ComposedRequest> {
  const operation = OPERATIONS[id];
  const form: TokenForm = {
    typ: "JWT",
    bound,
    scopes: "required",
    clockOffsetSeconds: 0,
    atMs,
  };
  const organization = operation.organization ? (named ?? target.organizations.primary) : undefined;
  const context: MutationContext = {
    target,
    operation,
    form,
    organization,
    otherOrganization: target.organizations.other,
    uuid: (label) => seededUuid(1, label),
    callback: "http://127.0.0.1:9/place",
  };
  const place = {
    organization: path ?? organization,
    changeId: operation.change ? CHANGE : undefined,
  };
  return composeRequest({ context, place, mutation });
}

/** What is known of a target at a moment, as after a run's first requests. */
export function knownAt(target: Target, atMs: number, more: Partial<Known> = {}): Known {
  const now = Math.floor(atMs / 1000);
  return knownOf(
    target,
    { earliest: now, latest: now },
    {
      typs: ["JWT"],
      changes: {
        existing: [{ organization: target.organizations.primary ?? "", id: CHANGE }],
        complete: false,
      },
      ...more,
    },
  );
}

/** What the model says to a composed request. */
export function answerTo(known: Known, { request, token }: ComposedRequest): Answer {
  return ask(known, describeRequest(request, token), readToken(token, known.issuers));
}
