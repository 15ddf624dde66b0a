import type { HttpRequest, TokenNote } from "../http/exchange.ts";
import { mintMutated, mutatesToken } from "../mutations/mint.ts";
import { type Mutation, type MutationContext, unchanged } from "../mutations/mutation.ts";
import { type Segments, splitCompact } from "../tokens/compact.ts";
import { draftToken, type TokenDraft } from "../tokens/draft.ts";
import { mintGood } from "../tokens/mint.ts";
import { byteDifferences } from "./byte-difference.ts";
import { type Difference, memberDifferences, noteToken } from "./difference.ts";
import { requestDifferences } from "./request-difference.ts";
import { buildRequest, type PathParams } from "./request.ts";

/** What a request is made of. */
export interface Composition {
  /** The target and its operation, and whom the token is for. */
  readonly context: MutationContext;
  /** What the path names. */
  readonly place: PathParams;
  /** In what it differs from a good request. Default: in nothing. */
  readonly mutation?: Mutation | undefined;
  /** The good token that it starts from. Default: one of the test issuer for the context. */
  readonly draft?: TokenDraft | undefined;
  /** The token of the control, where that was asked for otherwise. Default: the one that it starts from. */
  readonly control?: TokenDraft | undefined;
}

/** A request that is ready to be sent, and how it came about. */
export interface ComposedRequest {
  readonly request: HttpRequest;
  readonly token: string;
  /** The token as it was signed, before anything was done to its text. */
  readonly segments: Segments;
  /** In what token and request differ from good ones. */
  readonly differences: readonly Difference[];
  /** The value that stands for `${unique}` in the body, where there is one. */
  readonly unique: string | undefined;
  /** What a record tells of the token. */
  readonly note: TokenNote;
}

/**
 * Composes a request for an operation: drafts its token, mints it with one mutation, builds the plain
 * request, and presents the token in it. Whoever sends a request of the receiver composes it here, so
 * that a probe differs from its control in the mutation and nothing else.
 */
export async function composeRequest({
  context,
  place,
  mutation = unchanged,
  draft = draftToken(context.target, context.operation, context.form, context.organization),
  control = draft,
}: Composition): Promise<ComposedRequest> {
  const { token, segments, differences } = await composeToken(draft, mutation, context, control);
  const { spec, unique } = buildRequest(context.target, context.operation, place);
  const good = present(spec, [`Bearer ${token}`]);
  const presented = present(spec, mutation.authorization?.(token) ?? [`Bearer ${token}`]);
  const request = mutation.request?.(presented, context, token) ?? presented;
  return {
    request,
    token,
    segments,
    differences: [...differences, ...requestDifferences(good, request, token)],
    unique,
    note: {
      ...(carries(request, token) && noteToken(token)),
      ...(mutation !== unchanged && { mutation: mutation.name }),
    },
  };
}

/** The request with these values in its Authorization header: a line each. */
export function present(spec: HttpRequest, values: readonly string[]): HttpRequest {
  const credentials = values.map((value) => ["authorization", value] as const);
  return { ...spec, headers: [...spec.headers, ...credentials] };
}

/** A good one where the mutation is elsewhere in the request. */
async function composeToken(
  draft: TokenDraft,
  mutation: Mutation,
  context: MutationContext,
  control: TokenDraft,
): Promise<Pick<ComposedRequest, "token" | "segments" | "differences">> {
  if (!mutatesToken(mutation)) {
    const token = await mintGood(draft);
    return {
      token,
      segments: splitCompact(token),
      differences: differencesFrom(control, draft, token),
    };
  }
  const { token, segments } = await mintMutated(draft, mutation, context);
  const isSignedElse = mutation.sign !== undefined || mutation.key !== undefined;
  const { signature } = isSignedElse ? splitCompact(await mintGood(draft)) : segments;
  const isAltered = isSignedElse || mutation.text !== undefined;
  const differences = [
    ...differencesFrom(control, draft, token),
    ...byteDifferences(draft, isAltered ? signature : undefined, token),
  ];
  return { token, segments, differences };
}

/** In what any two tokens of one issuer differ. */
const OF_EACH_TOKEN: ReadonlySet<string> = new Set([
  "iat",
  "exp",
  "nbf",
  "jti",
  "auth_time",
  "sid",
]);

/** The members that differ from the control's token, but for those that differ in any two that were issued. */
function differencesFrom(control: TokenDraft, draft: TokenDraft, token: string): Difference[] {
  const differences = memberDifferences(control, token);
  if (control === draft) return differences;
  return differences.filter((one) => !("name" in one && OF_EACH_TOKEN.has(one.name)));
}

/** Whether a request has the token in it, wherever that is. */
function carries({ path, headers, body = "" }: HttpRequest, token: string): boolean {
  return [path, body, ...headers.map(([, value]) => value)].some((part) => part.includes(token));
}
