import type { JsonObject } from "../lib/json.ts";
import type { IssuerKey } from "../profile/target.ts";
import { compact, type Segments } from "../tokens/compact.ts";
import type { TokenDraft } from "../tokens/draft.ts";
import { signAside } from "../tokens/sign.ts";
import type { Mutation, MutationContext, Patch } from "./mutation.ts";

/** A token, and what it was before anything was done to its text. */
export interface MintedToken {
  readonly token: string;
  readonly segments: Segments;
}

/**
 * Mints a token that differs from the draft in one mutation, whether or not any library would make it.
 * Without a mutation that touches the token it is the same, byte for byte, as jose would make for
 * deterministic algorithms.
 */
export async function mintMutated(
  draft: TokenDraft,
  mutation: Mutation,
  context: MutationContext,
): Promise<MintedToken> {
  const drafted = withKey(draft, mutation.key?.(context.target));
  const changed: TokenDraft = {
    ...drafted,
    header: patched(drafted.header, drawn(mutation.header, drafted, context)),
    claims: patched(drafted.claims, drawn(mutation.claims, drafted, context)),
  };
  const headerText =
    mutation.headerText?.(changed.header, context) ?? JSON.stringify(changed.header);
  const payload = mutation.payload?.(changed.claims, context) ?? JSON.stringify(changed.claims);
  const header = Buffer.from(headerText).toString("base64url");
  const encodedPayload = Buffer.from(payload).toString("base64url");
  const input = `${header}.${encodedPayload}`;
  const signature = mutation.sign
    ? await mutation.sign(input, changed, context)
    : await signAside(changed.key.alg, changed.key, input);
  const segments: Segments = {
    header,
    payload: encodedPayload,
    signature: Buffer.from(signature).toString("base64url"),
  };
  const token = (await mutation.text?.(segments, changed, context)) ?? compact(segments);
  return { token, segments };
}

/** Whether a mutation is one of the token, rather than of how it is sent. */
export function mutatesToken(mutation: Mutation): boolean {
  const { key, claims, header, payload, headerText, sign, text } = mutation;
  return [key, claims, header, payload, headerText, sign, text].some((part) => part !== undefined);
}

function withKey(draft: TokenDraft, key: IssuerKey | undefined): TokenDraft {
  if (!key) return draft;
  return { ...draft, key, header: { ...draft.header, alg: key.alg, kid: key.kid } };
}

function drawn(
  patch: Mutation["claims"],
  draft: TokenDraft,
  context: MutationContext,
): Patch | undefined {
  return typeof patch === "function" ? patch(draft, context) : patch;
}

function patched(object: JsonObject, patch: Patch | undefined): JsonObject {
  if (!patch) return object;
  return Object.fromEntries(
    Object.entries({ ...object, ...patch }).filter(([, value]) => value !== undefined),
  );
}
