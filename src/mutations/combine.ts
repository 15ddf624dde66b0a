import type { TokenDraft, TokenWish } from "../tokens/draft.ts";
import type { Mutation, MutationContext, Patch } from "./mutation.ts";

/**
 * Two changes in one token or request, for rules that ask which of two faults is answered.
 * Members of claims and header are set by both.
 * @throws TypeError when both change the same thing, so that one would undo the other
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

/** Claims can be asked for only where all that differ can. */
function asksOfBoth(a: Mutation, b: Mutation): Pick<Mutation, "asks"> {
  const changing = [a, b].filter(({ claims, asks }) => claims ?? asks);
  if (changing.length === 0 || changing.some(({ asks }) => !asks)) return {};
  return {
    asks: (context) =>
      Object.assign({}, ...changing.map(({ asks }) => asks?.(context))) as TokenWish,
  };
}

/** What a mutation does besides setting members, of which there can be only one each. */
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
  a: Mutation["claims"],
  b: Mutation["claims"],
): (draft: TokenDraft, context: MutationContext) => Patch {
  return (draft, context) => disjoint(name, drawn(a, draft, context), drawn(b, draft, context));
}

function drawn(part: Mutation["claims"], draft: TokenDraft, context: MutationContext): Patch {
  return (typeof part === "function" ? part(draft, context) : part) ?? {};
}

function disjoint<A extends object, B extends object>(name: string, a: A, b: B): A & B {
  const twice = Object.keys(a).filter((key) => Object.hasOwn(b, key));
  if (twice.length > 0) throw new TypeError(`${name}: both change ${twice.join(", ")}`);
  return { ...a, ...b };
}
