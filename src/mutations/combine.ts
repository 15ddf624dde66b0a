import type { TokenDraft, TokenWish } from "../tokens/draft.ts";
import {
  type Mutation,
  type MutationContext,
  type Patch,
  patchFor,
  type PatchOf,
  type TokenChange,
} from "./mutation.ts";

/**
 * Combines two changes of one token or request, for rules about the order of checks. Members of
 * claims and header come from both.
 * @throws TypeError when both change the same part, so that one would undo the other
 */
export function combine(a: Mutation, b: Mutation): Mutation {
  const name = `${a.name}+${b.name}`;
  return {
    name,
    what: `${a.what}; ${b.what}`,
    ...disjoint(name, requestOf(a), requestOf(b)),
    ...((a.token ?? b.token) && { token: tokenOfBoth(name, a.token, b.token) }),
    ...asksOfBoth(a, b),
  };
}

function tokenOfBoth(name: string, a: TokenChange = {}, b: TokenChange = {}): TokenChange {
  const { claims, header, ...restOfA } = a;
  const { claims: otherClaims, header: otherHeader, ...restOfB } = b;
  return {
    ...disjoint(name, restOfA, restOfB),
    ...((claims ?? otherClaims) && { claims: both(name, claims, otherClaims) }),
    ...((header ?? otherHeader) && { header: both(name, header, otherHeader) }),
  };
}

/** The wish of both. Only defined where every change of claims has one. */
function asksOfBoth(a: Mutation, b: Mutation): Pick<Mutation, "asks"> {
  const changing = [a, b].filter(({ token, asks }) => token?.claims ?? asks);
  if (changing.length === 0 || changing.some(({ asks }) => !asks)) return {};
  return {
    asks: (context) =>
      Object.assign({}, ...changing.map(({ asks }) => asks?.(context))) as TokenWish,
  };
}

function requestOf({
  authorization,
  request,
}: Mutation): Pick<Mutation, "authorization" | "request"> {
  return { ...(authorization && { authorization }), ...(request && { request }) };
}

function both(
  name: string,
  a: PatchOf | undefined,
  b: PatchOf | undefined,
): (draft: TokenDraft, context: MutationContext) => Patch {
  return (draft, context) =>
    disjoint(name, patchFor(a, draft, context), patchFor(b, draft, context));
}

function disjoint<A extends object, B extends object>(name: string, a: A, b: B): A & B {
  const twice = Object.keys(a).filter((key) => Object.hasOwn(b, key));
  if (twice.length > 0) throw new TypeError(`${name}: both change ${twice.join(", ")}`);
  return { ...a, ...b };
}
