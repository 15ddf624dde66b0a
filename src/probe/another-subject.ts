import { type OperationId, OPERATIONS } from "../contract/operations.ts";
import { isSameUuid } from "../contract/uuid.ts";
import type { Reply } from "../http/exchange.ts";
import type { MutationContext } from "../mutations/mutation.ts";
import type { TokenDraft } from "../tokens/draft.ts";
import type { CaseRun } from "./case-run.ts";
import { composeRequest } from "./compose.ts";
import { Finding, type FindingOf } from "./finding.ts";
import { type Fact, type Phrase, phrase, valueFact } from "./phrase.ts";
import { describeReply, reception } from "./reception.ts";
import type { Session } from "./session.ts";

/** Reads that need no id of a change. */
const READS: readonly OperationId[] = ["viewOrganization", "readChangesFeed", "listOrganizations"];

/**
 * Whether a token of another subject is accepted where its own scopes and organization reach, so that it is a good token and a refusal
 * of it somewhere else is due to what it lacks there. Asked once for each token of a run.
 * @param context that of the refused request
 */
export async function isGoodElsewhere(
  run: CaseRun,
  context: MutationContext,
  draft: TokenDraft,
): Promise<boolean> {
  const { found } = run.session;
  const key = `another subject ${context.operation.id} ${Object.values(draft.issued ?? {}).join(".")}`;
  const known = found.get(key) ?? { value: askElsewhere(run, context, draft), used: new Set() };
  found.set(key, known);
  return (await known.value) as boolean;
}

async function askElsewhere(
  { session, name }: CaseRun,
  context: MutationContext,
  refused: TokenDraft,
): Promise<boolean> {
  const { target } = session;
  const claim = target.bindingClaim === undefined ? undefined : refused.claims[target.bindingClaim];
  const binding = typeof claim === "string" ? claim : null;
  const organization = binding ?? target.organizations.primary;
  for (const id of READS.filter((one) => target.operations[one])) {
    const operation = OPERATIONS[id];
    const isSame = id === context.operation.id && isSameUuid(organization, context.organization);
    if (isSame || (operation.organization && organization === undefined)) continue;
    const draft = await tokenFor(session, { ...context, operation }, refused, binding);
    if (!draft) continue;
    const place = operation.organization ? { organization } : {};
    const own = { ...context, operation, organization };
    const { request, token, note } = await composeRequest({ context: own, place, draft });
    const reply = await session.send({
      caseId: name,
      id: session.nextId(`${name}-own-control`),
      operation: id,
      spec: request,
      token,
      tokenNote: note,
      organization: place.organization,
    });
    if (reply && reception(reply) === "accepted") return true;
  }
  return false;
}

/** The refused token, if it permits an operation; otherwise one of the same subject and organization that does. */
async function tokenFor(
  { tokens }: Pick<Session, "tokens">,
  { operation, form, organization }: MutationContext,
  refused: TokenDraft,
  binding: string | null,
): Promise<TokenDraft | undefined> {
  if (String(refused.claims["scope"]).split(" ").includes(operation.scope)) return refused;
  const wish = { organization: binding };
  const draft = await tokens.draft({ operation, form, organization, wish });
  return "lacking" in draft || draft.claims["sub"] !== refused.claims["sub"] ? undefined : draft;
}

/** Why the refusal of another subject's token proves nothing about a request that should be accepted. */
export function mayBePolicy({ claims }: TokenDraft, reply: Reply): Phrase {
  return phrase`${describeReply(reply)} to a token whose sub is ${shownSubject(claims)}, which local policy may refuse; it takes a client whose tokens have the sub of the good ones`;
}

function shownSubject({ sub }: TokenDraft["claims"]): Fact {
  return valueFact(String(sub));
}

/** The finding where a token of another subject was refused, and was accepted nowhere either. */
export function acceptedNowhere({ claims }: TokenDraft, reply: Reply): FindingOf<"inconclusive"> {
  const reason = phrase`${describeReply(reply)}, to a token whose sub is ${shownSubject(claims)}, and none of that sub was accepted anywhere: allow it to act on the organization of its client`;
  return Finding.inconclusive(reason);
}
