import { CompactSign } from "jose";

import type { IssuerKey } from "../profile/target.ts";
import type { Change, ChangeContext, Patch, Segments } from "./change.ts";
import type { JsonObject, TokenDraft } from "./draft.ts";
import { withS } from "./ecdsa.ts";
import { privateKeyOf, signAside } from "./sign.ts";

/** Good tokens by key and draft; a draft holds good for the second in which it was made. */
const mintedBy = new WeakMap<object, Map<string, Promise<string>>>();
const MINTED_KEPT = 64;

/**
 * Mints a good token: the draft as it is, signed by jose, and of ECDSA's two values of S it has the
 * smaller one. Equal drafts give the same token.
 * Rejects where jose refuses the draft.
 */
export function mintGood(draft: TokenDraft): Promise<string> {
  const minted = mintedBy.get(draft.key.privateJwk) ?? new Map<string, Promise<string>>();
  mintedBy.set(draft.key.privateJwk, minted);
  const name = JSON.stringify([draft.header, draft.claims]);
  const known = minted.get(name);
  if (known) return known;
  if (minted.size >= MINTED_KEPT) minted.clear();
  const token = signGood(draft);
  minted.set(name, token);
  return token;
}

async function signGood({ header, claims, key }: TokenDraft): Promise<string> {
  const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ ...header, alg: key.alg })
    .sign(privateKeyOf(key));
  const end = token.lastIndexOf(".") + 1;
  const signature = Buffer.from(token.slice(end), "base64url");
  return token.slice(0, end) + withS("smaller", key.alg, signature).toString("base64url");
}

/**
 * Mints a token that differs from the draft in one change, whether or not any library would make it.
 * Without a change that touches the token it is the same, byte for byte, as jose would make for
 * deterministic algorithms.
 */
export async function mintChanged(
  draft: TokenDraft,
  change: Change,
  context: ChangeContext,
): Promise<string> {
  const drafted = withKey(draft, change.key?.(context.target));
  const changed: TokenDraft = {
    ...drafted,
    header: patched(drafted.header, drawn(change.header, drafted, context)),
    claims: patched(drafted.claims, drawn(change.claims, drafted, context)),
  };
  const headerText = change.headerText?.(changed.header, context) ?? JSON.stringify(changed.header);
  const payload = change.payload?.(changed.claims, context) ?? JSON.stringify(changed.claims);
  const header = Buffer.from(headerText).toString("base64url");
  const encodedPayload = Buffer.from(payload).toString("base64url");
  const input = `${header}.${encodedPayload}`;
  const signature = change.sign
    ? await change.sign(input, changed, context)
    : await signAside(changed.key.alg, changed.key, input);
  const segments: Segments = {
    header,
    payload: encodedPayload,
    signature: Buffer.from(signature).toString("base64url"),
  };
  return change.text
    ? await change.text(segments, changed, context)
    : `${input}.${segments.signature}`;
}

/** Whether a change is one of the token, rather than of how it is sent. */
export function changesToken(change: Change): boolean {
  const { key, claims, header, payload, headerText, sign, text } = change;
  return [key, claims, header, payload, headerText, sign, text].some((part) => part !== undefined);
}

function withKey(draft: TokenDraft, key: IssuerKey | undefined): TokenDraft {
  if (!key) return draft;
  return { ...draft, key, header: { ...draft.header, alg: key.alg, kid: key.kid } };
}

function drawn(
  patch: Change["claims"],
  draft: TokenDraft,
  context: ChangeContext,
): Patch | undefined {
  return typeof patch === "function" ? patch(draft, context) : patch;
}

function patched(object: JsonObject, patch: Patch | undefined): JsonObject {
  if (!patch) return object;
  return Object.fromEntries(
    Object.entries({ ...object, ...patch }).filter(([, value]) => value !== undefined),
  );
}
