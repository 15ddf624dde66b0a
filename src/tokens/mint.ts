import { CompactSign } from "jose";

import { base64url, compact } from "./compact.ts";
import type { TokenDraft } from "./draft.ts";
import { privateKeyOf, signedText, withS } from "./sign.ts";

/** Good tokens by key and draft. Equal drafts have the same times, of the same second. */
const mintedBy = new WeakMap<object, Map<string, Promise<string>>>();
const MINTED_KEPT = 64;

/**
 * Signs a good token with jose. An ECDSA signature uses the smaller value of S. Equal drafts give the
 * same token. An issued token is returned as it is. Rejects where jose refuses the draft.
 */
export function mintGood(draft: TokenDraft): Promise<string> {
  if (draft.issued) return Promise.resolve(compact(draft.issued));
  const minted = mintedBy.get(draft.key) ?? new Map<string, Promise<string>>();
  mintedBy.set(draft.key, minted);
  const name = JSON.stringify([draft.header, draft.claims]);
  const known = minted.get(name);
  if (known) return known;
  if (minted.size >= MINTED_KEPT) minted.clear();
  const token = signGood(draft);
  minted.set(name, token);
  return token;
}

async function signGood({ header, claims, key }: TokenDraft): Promise<string> {
  if (key.signsNothing) {
    const parts = [{ ...header, alg: key.alg }, claims].map((part) =>
      base64url(JSON.stringify(part)),
    );
    return signedText(key, parts.join("."));
  }
  const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ ...header, alg: key.alg })
    .sign(privateKeyOf(key));
  const end = token.lastIndexOf(".") + 1;
  const signature = Buffer.from(token.slice(end), "base64url");
  return token.slice(0, end) + withS("smaller", key.alg, signature).toString("base64url");
}
