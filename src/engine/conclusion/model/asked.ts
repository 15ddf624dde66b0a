import type { OperationId } from "../../../contract/operations.ts";
import { type Answer, asker } from "../../../model/ask.ts";
import type { Checks } from "../../../model/checks.ts";
import { knownOf } from "../../../model/known-of.ts";
import type { Known } from "../../../model/known.ts";
import { readToken } from "../../../model/read-token.ts";
import { type AskedRequest, carriesToken, describeRequest } from "../../../model/request.ts";
import { type Reading, readingsOf } from "../../../model/route.ts";
import type { AskedToken } from "../../../model/token.ts";
import type { SentRequest } from "../../../probe/sent-log.ts";
import type { Target } from "../../../profile/target.ts";

/** A request of the run that was accepted or rejected, as the model can be asked about it. */
export interface Asked {
  readonly id: string;
  readonly caseId: string;
  readonly known: Known;
  readonly request: AskedRequest;
  readonly token: AskedToken | undefined;
  /** The operation that it is, or may be taken for first. */
  readonly operation: OperationId | undefined;
  readonly reading: Reading | undefined;
  readonly accepted: boolean;
  /** What the contract says to it. */
  readonly contract: Answer;
  /** What the model says to it of a receiver that makes these checks in place of the contract's. */
  readonly answerWith: (checks: Partial<Checks>) => Answer;
}

/** The requests of a run. */
export interface AskedRun {
  /** By the id of the exchange; `undefined` for those that show no decision. */
  of(exchangeId: string): Asked | undefined;
  /** Those that must be accepted. */
  good(): readonly Asked[];
  all(): readonly Asked[];
}

/** A run of which no requests are known. */
export const NOTHING_ASKED: AskedRun = { of: () => undefined, good: () => [], all: () => [] };

/** What the model needs of a run. */
export interface RunToAsk {
  readonly target: Target;
  /** In any order. */
  readonly sent: ReadonlyMap<string, SentRequest>;
  /** Seconds that the receiver's clock is ahead; `undefined` if it is not known. */
  readonly clockOffsetSeconds: number | undefined;
}

/** Makes the requests of a run ready for the model. Each is read when it is asked for. */
export function askedRun(run: RunToAsk): AskedRun {
  const made = new Map<string, Asked | undefined>();
  const tokens = new Map<string, AskedToken>();
  const shown = shownByGood(run);
  const of: AskedRun["of"] = (id) => {
    if (made.has(id)) return made.get(id);
    const sent = run.sent.get(id);
    const asked = sent && askedOf(sent, run, shown, tokens);
    made.set(id, asked);
    return asked;
  };
  const all = once(() => [...run.sent.keys()].flatMap((id) => of(id) ?? []));
  const good = once(() => all().filter(({ contract }) => mustBeAccepted(contract)));
  return { of, all, good };
}

function mustBeAccepted(contract: Answer): boolean {
  return contract.says === "accepted" && contract.level === "MUST";
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function askedOf(
  sent: SentRequest,
  { target, clockOffsetSeconds = 0 }: RunToAsk,
  shown: Pick<Known, "typs" | "changes">,
  tokens: Map<string, AskedToken>,
): Asked | undefined {
  const accepted = sent.received === "accepted" || sent.isNotModified;
  if (!accepted && sent.received !== "rejected") return undefined;
  const now = {
    earliest: Math.floor(sent.from / 1000) + clockOffsetSeconds,
    latest: Math.ceil(sent.to / 1000) + clockOffsetSeconds,
  };
  const known = knownOf(target, now, shown);
  const request = describeRequest(sent.request, sent.token);
  const token = carriesToken(request) ? read(sent.token, known, tokens) : undefined;
  const [reading] = readingsOf(request, known);
  const answerWith = asker(known, request, token);
  return {
    id: sent.id,
    caseId: sent.caseId,
    known,
    request,
    token,
    operation: reading?.operation.id,
    reading,
    accepted,
    contract: answerWith({}),
    answerWith,
  };
}

function read(
  text: string | undefined,
  { issuers }: Known,
  tokens: Map<string, AskedToken>,
): AskedToken | undefined {
  if (text === undefined) return undefined;
  const found = tokens.get(text) ?? readToken(text, issuers);
  tokens.set(text, found);
  return found;
}

/** What accepted good requests show of the deployment. */
function shownByGood({ sent, target }: RunToAsk): Pick<Known, "typs" | "changes"> {
  const good = [...sent.values()].filter(
    ({ isGood, received }) => isGood && received === "accepted",
  );
  const typs = good.flatMap(({ token }) =>
    token === undefined ? [] : [textOf(readToken(token).header?.["typ"])],
  );
  const changes = good.flatMap(({ request: { path } }) => {
    const [, organization, id] = /\/orgs\/([^/?]+)\/changes\/([^/?]+)/.exec(path) ?? [];
    return organization !== undefined && id !== undefined ? [{ organization, id }] : [];
  });
  const { changeId } = target.operations.readChange ?? {};
  const { primary } = target.organizations;
  const named =
    changeId !== undefined && primary !== undefined
      ? [{ organization: primary, id: changeId }]
      : [];
  return {
    typs: [...new Set(typs)],
    changes: { existing: [...named, ...changes], complete: false },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
