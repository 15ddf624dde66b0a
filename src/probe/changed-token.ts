import type { Change, ChangeContext, Segments } from "../tokens/change.ts";
import type { TokenDraft } from "../tokens/draft.ts";
import { changesToken, mintChanged, mintGood } from "../tokens/mint.ts";
import { byteDifferences } from "./byte-difference.ts";
import { type Difference, memberDifferences } from "./difference.ts";

/** A token, and in what it differs from a good one. */
export interface ChangedToken {
  readonly token: string;
  readonly differences: readonly Difference[];
}

/** Mints a token with one change; a good one where the change is elsewhere in the request. */
export async function changedToken(
  draft: TokenDraft,
  change: Change,
  context: ChangeContext,
): Promise<ChangedToken> {
  if (!changesToken(change)) {
    const token = await mintGood(draft);
    return { token, differences: memberDifferences(draft, token) };
  }
  const { text } = change;
  let signed: Segments | undefined;
  const token = await mintChanged(
    draft,
    text ? { ...change, text: (segments, ...rest) => text((signed = segments), ...rest) } : change,
    context,
  );
  const isSignedElse = change.sign !== undefined || change.key !== undefined;
  const signature = isSignedElse ? signatureOf(await mintGood(draft)) : signed?.signature;
  const differences = [
    ...memberDifferences(draft, token),
    ...byteDifferences(draft, signature, token),
  ];
  return { token, differences };
}

function signatureOf(token: string): string {
  return token.slice(token.lastIndexOf(".") + 1);
}
