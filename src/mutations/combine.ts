import type { TokenDraft, TokenWish } from "../tokens/draft.ts";
import {
  type Mutation,
  type MutationContext,
  type Patch,
  patchFor,
  type PatchOf,
} from "./mutation.ts";

/**
 * Combines two changes of one token or request, for rules about the order of checks. Members of
 * claims and header come from both.
 * @throws TypeError when both change the same part, so that one would undo the other
 */
export function combine(a: Mutation, b: Mutation): Mutation {
  const name = `${a.name}+${b.name}`;
  return {
    ...disjoint(name, singleParts(a), singleParts(b)),
    name,
    what: `${a.what}; ${b.what}`,
    ...((a.claims ?? b.claims) && { claims: both(name, a.claims, b.claims) }),
    ...((a.header ?? b.header) && { header: both(name, a.header, b.header) }),
    ...asksOfBoth(a, b),
  };
}

/** The wish of both. Only defined where every change of claims has one. */
function asksOfBoth(a: Mutation, b: Mutation): Pick<Mutation, "asks"> {
  const changing = [a, b].filter(({ claims, asks }) => claims ?? asks);
  if (changing.length === 0 || changing.some(({ asks }) => !asks)) return {};
  return {
    asks: (context) =>
      Object.assign({}, ...changing.map(({ asks }) => asks?.(context))) as TokenWish,
  };
}

/** The parts of a mutation other than members, of which a request can have only one each. */
function singleParts({
  key,
  payload,
  headerText,
  sign,
  text,
  authorization,
  request,
}: Mutation): Partial<Mutation> {
  const parts = { key, payload, headerText, sign, text, authorization, request };
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
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
