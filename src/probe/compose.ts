import { OF_EACH_TOKEN } from "../contract/claims.ts";
import type { HttpRequest, TokenNote } from "../http/exchange.ts";
import { mintMutated, mutatesToken } from "../mutations/mint.ts";
import { type Mutation, type MutationContext, unchanged } from "../mutations/mutation.ts";
import { type Segments, splitCompact } from "../tokens/compact.ts";
import { draftToken, type TokenDraft } from "../tokens/draft.ts";
import { mintGood } from "../tokens/mint.ts";
import { byteDifferences } from "./difference/byte-difference.ts";
import {
  decodeToken,
  type Difference,
  memberDifferences,
  noteToken,
  type TokenParts,
} from "./difference/difference.ts";
import { requestDifferences } from "./difference/request-difference.ts";
import { buildRequest, type PathParams } from "./request.ts";

/** The parts of a request. */
export interface Composition {
  /** The target, its operation, and the subject and organization of the token. */
  readonly context: MutationContext;
  /** The organization and change in the path. */
  readonly place: PathParams;
  /** The difference from a good request. Default: none. */
  readonly mutation?: Mutation | undefined;
  /** The good token that it starts from. Default: one that the test issuer signs for the context. */
  readonly draft?: TokenDraft | undefined;
  /** The control's token, where it was requested separately. Default: `draft`. */
  readonly control?: TokenDraft | undefined;
}

/** A request that is ready to be sent, and how it was made. */
export interface ComposedRequest {
  readonly request: HttpRequest;
  readonly token: string;
  /** The token as it was signed, before its text was changed. */
  readonly segments: Segments;
  /** All differences of token and request from good ones. */
  readonly differences: readonly Difference[];
  /** The value of `${unique}` in the body, where it has one. */
  readonly unique: string | undefined;
  /** What the record shows of the token. */
  readonly note: TokenNote;
}

/**
 * Composes a request for an operation: drafts its token, signs it with one mutation, builds the plain
 * request, and adds the token. Every request to the receiver is composed here, so that a probe
 * differs from its control only in the mutation.
 */
export async function composeRequest({
  context,
  place,
  mutation = unchanged,
  draft = draftToken(context.target, context.operation, context.form, context.organization),
  control = draft,
}: Composition): Promise<ComposedRequest> {
  const { token, segments, parts, differences } = await composeToken(
    draft,
    mutation,
    context,
    control,
  );
  const { spec, unique } = buildRequest(context.target, context.operation, place);
  const good = present(spec, [`Bearer ${token}`]);
  const presented = mutation.authorization ? present(spec, mutation.authorization(token)) : good;
  const request = mutation.request?.(presented, context, token) ?? presented;
  return {
    request,
    token,
    segments,
    differences: [...differences, ...requestDifferences(good, request, token)],
    unique,
    note: {
      ...(carries(request, token) && noteToken(parts)),
      ...(mutation !== unchanged && { mutation: mutation.name }),
    },
  };
}

/** Adds one Authorization field line for each value. */
export function present(spec: HttpRequest, values: readonly string[]): HttpRequest {
  const credentials = values.map((value) => ["authorization", value] as const);
  return { ...spec, headers: [...spec.headers, ...credentials] };
}

interface ComposedToken extends Pick<ComposedRequest, "token" | "segments" | "differences"> {
  readonly parts: TokenParts;
}

/** A good token where the mutation changes another part of the request. */
async function composeToken(
  draft: TokenDraft,
  mutation: Mutation,
  context: MutationContext,
  control: TokenDraft,
): Promise<ComposedToken> {
  if (!mutatesToken(mutation)) {
    const token = await mintGood(draft);
    const parts = decodeToken(token);
    return {
      token,
      segments: splitCompact(token),
      parts,
      differences: differencesFrom(control, parts, control === draft),
    };
  }
  const { token, segments } = await mintMutated(draft, mutation, context);
  const parts = decodeToken(token);
  const { sign, key, text, sentBefore = false } = mutation.token ?? {};
  const isSignedElse = sign !== undefined || key !== undefined;
  const { signature } = isSignedElse ? splitCompact(await mintGood(draft)) : segments;
  const isAltered = isSignedElse || (text !== undefined && !sentBefore);
  const differences = [
    ...differencesFrom(control, parts, control === draft && !sentBefore),
    ...byteDifferences(draft, isAltered ? signature : undefined, token, parts),
  ];
  return { token, segments, parts, differences };
}

/**
 * The members that differ from the control's token.
 * @param madeTogether whether both were drafted at once; otherwise those are left out that differ between any two tokens
 */
function differencesFrom(
  control: TokenDraft,
  sent: TokenParts,
  madeTogether: boolean,
): Difference[] {
  const differences = memberDifferences(control, sent);
  if (madeTogether) return differences;
  return differences.filter((one) => !("name" in one && OF_EACH_TOKEN.has(one.name)));
}

/** Whether any part of a request contains the token. */
function carries({ path, headers, body = "" }: HttpRequest, token: string): boolean {
  return [path, body, ...headers.map(([, value]) => value)].some((part) => part.includes(token));
}
