import type { JsonObject } from "../lib/json.ts";
import type { IssuerKey } from "../profile/target.ts";
import { base64url, compact, type Segments } from "../tokens/compact.ts";
import type { TokenDraft } from "../tokens/draft.ts";
import { signAside } from "../tokens/sign.ts";
import { type Mutation, type MutationContext, type Patch, patchFor } from "./mutation.ts";

/**
 * Makes a token that differs from the draft in one mutation, even if no library would make it. If the
 * mutation does not touch the token, the result equals jose's, byte for byte, for deterministic
 * algorithms.
 * @returns the token, and its segments before its text was changed
 */
export async function mintMutated(
  draft: TokenDraft,
  mutation: Mutation,
  context: MutationContext,
): Promise<{ readonly token: string; readonly segments: Segments }> {
  const { token: change = {} } = mutation;
  const drafted = withKey(draft, change.key?.(context.target));
  const changed: TokenDraft = {
    ...drafted,
    header: patched(drafted.header, patchFor(change.header, drafted, context)),
    claims: patched(drafted.claims, patchFor(change.claims, drafted, context)),
  };
  const headerText = change.headerText?.(changed.header, context) ?? JSON.stringify(changed.header);
  const payloadText = change.payload?.(changed.claims, context) ?? JSON.stringify(changed.claims);
  // An issued token keeps its own text wherever the mutation changes nothing.
  const kept = draft.issued;
  const header =
    kept && (change.header ?? change.headerText) === undefined
      ? kept.header
      : base64url(headerText);
  const payload =
    kept && (change.claims ?? change.payload) === undefined ? kept.payload : base64url(payloadText);
  const input = `${header}.${payload}`;
  const isKept = kept?.header === header && kept.payload === payload;
  const signature = change.sign
    ? base64url(await change.sign(input, changed, context))
    : isKept
      ? kept.signature
      : base64url(await signAside(changed.key.alg, changed.key, input));
  const segments: Segments = { header, payload, signature };
  const token = (await change.text?.(segments, changed, context)) ?? compact(segments);
  return { token, segments };
}

/** Whether a mutation changes the token itself, rather than how it is sent. */
export function mutatesToken({ token }: Mutation): boolean {
  return token !== undefined;
}

function withKey(draft: TokenDraft, key: IssuerKey | undefined): TokenDraft {
  if (!key) return draft;
  return { ...draft, key, header: { ...draft.header, alg: key.alg, kid: key.kid } };
}

function patched(object: JsonObject, patch: Patch): JsonObject {
  return Object.fromEntries(
    Object.entries({ ...object, ...patch }).filter(([, value]) => value !== undefined),
  );
}
