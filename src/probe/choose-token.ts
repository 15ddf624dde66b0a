import {
  type InvalidMutation,
  type Mutation,
  type MutationContext,
  needsPrivateKey,
  toIssued,
} from "../mutations/mutation.ts";
import type { TokenDraft } from "../tokens/draft.ts";
import type { Composition } from "./compose.ts";
import { Finding, notProvisioned } from "./finding.ts";
import { phrase } from "./phrase.ts";
import type { Session } from "./session.ts";
import type { NoToken } from "./token-source.ts";

/** The token that a changed request starts from, and the mutation that remains to be made. */
interface ChosenToken extends Pick<Composition, "control"> {
  readonly mutation: Mutation;
  readonly draft: TokenDraft;
}

/**
 * Chooses the token of a changed request. Where the suite signs tokens it is the good one. Where
 * tokens are issued it is one that was requested as the mutation needs it, where that is possible.
 */
export async function chooseToken(
  { tokens, target }: Pick<Session, "tokens" | "target">,
  mutation: Mutation | InvalidMutation,
  context: MutationContext,
): Promise<ChosenToken | NoToken> {
  const { operation, form, organization } = context;
  const wish = target.issued && mutation.asks?.(context);
  if (target.issued && (needsPrivateKey(mutation) || (mutation.asks && !wish))) {
    return { lacking: notProvisioned("testIssuer") };
  }
  let good = await tokens.draft({ operation, form, organization });
  if (!target.issued) return "lacking" in good ? good : { draft: good, mutation };
  if ("lacking" in good && isRefusedBeforeBinding(mutation)) {
    // The receiver refuses the token before it checks the binding, so the control's binding will do.
    const { primary } = target.organizations;
    good = await tokens.draft({ operation, form, organization: primary });
  }
  const draft = wish ? await tokens.draft({ operation, form, organization, wish }) : good;
  if ("lacking" in draft) return draft;
  if (mutation.usesPublicKey && draft.key.publicJwk["kty"] === undefined) {
    const reason = phrase`the issuer's JWKS could not be read, or lacks the key of its tokens`;
    return { lacking: Finding.inconclusive(reason) };
  }
  const control: TokenDraft | undefined = "lacking" in good ? undefined : good;
  return { draft, mutation: toIssued(mutation), control };
}

function isRefusedBeforeBinding({ refused }: Mutation): boolean {
  return refused !== undefined && refused.check !== "binding" && refused.check !== "policy";
}
