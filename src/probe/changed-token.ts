import type { Change, ChangeContext, Segments } from "../tokens/change.ts";
import type { TokenDraft } from "../tokens/draft.ts";
import { changesToken, mintChanged, mintGood } from "../tokens/mint.ts";
import { describeBytes } from "./byte-difference.ts";
import { describeDifference } from "./difference.ts";

/** A token, and in what it differs from a good one. */
export interface ChangedToken {
  readonly token: string;
  readonly difference: readonly string[];
}

/** Mints a token with one change; a good one where the change is elsewhere in the request. */
export async function changedToken(
  draft: TokenDraft,
  change: Change,
  context: ChangeContext,
): Promise<ChangedToken> {
  if (!changesToken(change)) {
    const token = await mintGood(draft);
    return { token, difference: describeDifference(change, draft, token) };
  }
  const { text } = change;
  let signed: Segments | undefined;
  const token = await mintChanged(
    draft,
    text ? { ...change, text: (segments, ...rest) => text((signed = segments), ...rest) } : change,
    context,
  );
  const members = describeDifference(change, draft, token);
  return { token, difference: [...members, ...describeBytes(draft, signed, token)] };
}
