import { mintMutated, mutatesToken } from "../mutations/mint.ts";
import type { Mutation, MutationContext } from "../mutations/mutation.ts";
import type { Segments } from "../tokens/compact.ts";
import type { TokenDraft } from "../tokens/draft.ts";
import { mintGood } from "../tokens/mint.ts";
import { byteDifferences } from "./byte-difference.ts";
import { type Difference, memberDifferences } from "./difference.ts";

/** A token, and in what it differs from a good one. */
export interface MutatedToken {
  readonly token: string;
  readonly differences: readonly Difference[];
}

/** Mints a token with one mutation; a good one where the mutation is elsewhere in the request. */
export async function mutatedToken(
  draft: TokenDraft,
  mutation: Mutation,
  context: MutationContext,
): Promise<MutatedToken> {
  if (!mutatesToken(mutation)) {
    const token = await mintGood(draft);
    return { token, differences: memberDifferences(draft, token) };
  }
  const { text } = mutation;
  let signed: Segments | undefined;
  const token = await mintMutated(
    draft,
    text
      ? { ...mutation, text: (segments, ...rest) => text((signed = segments), ...rest) }
      : mutation,
    context,
  );
  const isSignedElse = mutation.sign !== undefined || mutation.key !== undefined;
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
