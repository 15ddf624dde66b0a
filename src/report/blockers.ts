import { controlledOperation } from "../contract/ids.ts";
import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
import { groupBy } from "../lib/group-by.ts";
import { ownWords } from "../probe/own-words.ts";
import { receptionOf } from "../probe/reception.ts";
import { openCases, reasonAnywhere, withCompanions } from "./groups.ts";
import type { Report, ReportCase } from "./report.ts";

/** Something that keeps cases from being judged, and the cases that wait for it. */
export interface Blocker {
  readonly cause: Cause;
  /** In the order of the report. */
  readonly cases: readonly [ReportCase, ...ReportCase[]];
  /** The number of MUST cases among them. The verdict depends on these. */
  readonly musts: number;
  /** What the deployment says about it, as it wrote it. */
  readonly said?: string | undefined;
}

/**
 * Why cases were not judged:
 * - `refused`: every good request of these operations was refused
 * - `lacking`: the profile lacks these keys
 * - `failed`: a rule that they depend on has failed
 * - `other`: the reason of the cases says why
 */
export type Cause =
  | Refused
  | { readonly kind: "lacking"; readonly keys: readonly string[]; readonly reason: string }
  | { readonly kind: "failed"; readonly rule: string; readonly reason: string }
  | { readonly kind: "other"; readonly reason: string };

/** The good requests of these operations were refused, with the same status and the same words. */
export interface Refused {
  readonly kind: "refused";
  readonly operations: readonly OperationId[];
  /** One of the answers. */
  readonly exchange: Exchange;
  /** The operations that accepted a good token of the same subject. */
  readonly acceptedOn: readonly OperationId[];
}

/** A report whose good requests are found once. */
interface Record {
  readonly report: Report;
  readonly accepted: readonly Exchange[];
}

/**
 * What keeps the cases of a run from being judged, the one first that frees most MUST cases. Cases that do not apply
 * wait for nothing.
 */
export function blockersOf(report: Report): Blocker[] {
  const accepted = Object.values(report.exchanges).filter(
    (exchange) =>
      controlledOperation(exchange.caseId) !== undefined && receptionOf(exchange) === "accepted",
  );
  const groups = groupBy(openCases(report), (one) => keyOf({ report, accepted }, one));
  return [...groups.values()]
    .map((cases) => blocker({ report, accepted }, cases))
    .toSorted((a, b) => b.musts - a.musts || b.cases.length - a.cases.length);
}

/** All keys that the profile lacks; none where one blocker has them all already. */
export function keysOfAll(blockers: readonly Blocker[]): string[] {
  const lacking = blockers.flatMap(({ cause }) => (cause.kind === "lacking" ? [cause.keys] : []));
  return lacking.length < 2 ? [] : [...new Set(lacking.flat())];
}

function blocker(record: Record, cases: Blocker["cases"]): Blocker {
  const [first] = cases;
  const said = wordsOf(unaccepted(record.report, first));
  return {
    cause: causeOf(record, cases),
    cases,
    musts: cases.filter(({ level }) => level === "MUST").length,
    ...(said !== undefined && { said }),
  };
}

/** Cases with the same key have the same cause. */
function keyOf(record: Record, one: ReportCase): string {
  const refusal = refusalOf(record, one);
  if (!refusal) return `${one.outcome} ${reasonAnywhere(one)}`;
  // Two answers that differ only in ids, times and numbers say the same.
  const words = (wordsOf(refusal) ?? "").replaceAll(/[\da-f-]{8,}|\d+/gi, "#");
  return `refused ${refusal.response?.status ?? refusal.fault?.kind} ${words}`;
}

function causeOf(record: Record, cases: Blocker["cases"]): Cause {
  const [first] = cases;
  const { blamedOn, missing } = first;
  const exchange = refusalOf(record, first);
  if (exchange) {
    const refused = new Set(cases.flatMap((one) => operationOf(refusalOf(record, one))));
    const operations = OPERATION_IDS.filter((id) => refused.has(id));
    return { kind: "refused", operations, exchange, acceptedOn: acceptedLike(record, exchange) };
  }
  const alone = new Set(cases.map(({ operation }) => operation)).size === 1;
  const own = alone && blamedOn === undefined ? first.reason : undefined;
  const reason = own ?? reasonAnywhere(first);
  if (first.outcome === "not-provisioned" && missing) {
    return { kind: "lacking", keys: withCompanions(missing), reason };
  }
  return blamedOn === undefined
    ? { kind: "other", reason }
    : { kind: "failed", rule: blamedOn, reason };
}

/** The refused good request that a case waits for; `undefined` where it waits for something else. */
function refusalOf({ report, accepted }: Record, one: ReportCase): Exchange | undefined {
  const { outcome, blamedOn, code, evidence } = one;
  if (outcome !== "inconclusive" || blamedOn !== undefined || code !== undefined) return undefined;
  if (!evidence || evidence.probes.length > 0) return undefined;
  const exchange = unaccepted(report, one);
  const [operation] = operationOf(exchange);
  // Where another form of the token is accepted, the reason of the case says which one is not.
  const isElse = accepted.some(({ caseId }) => controlledOperation(caseId) === operation);
  return operation === undefined || isElse ? undefined : exchange;
}

function operationOf(exchange: Exchange | undefined): OperationId[] {
  const operation = exchange && controlledOperation(exchange.caseId);
  return operation === undefined ? [] : [operation];
}

function acceptedLike({ accepted }: Record, refused: Exchange): OperationId[] {
  const subject = subjectOf(refused);
  const alike = accepted.filter((one) => subject !== undefined && subjectOf(one) === subject);
  return OPERATION_IDS.filter((id) =>
    alike.some(({ caseId }) => controlledOperation(caseId) === id),
  );
}

/** The subject of the token of a request; `undefined` where its token cannot be read. */
export function subjectOf({ request }: Exchange): string | undefined {
  const subject = request.token?.claims?.["sub"];
  return typeof subject === "string" ? subject : undefined;
}

/** The last answer among the evidence that accepted nothing. */
function unaccepted({ exchanges }: Report, { evidence }: ReportCase): Exchange | undefined {
  const ids = [...(evidence?.controls ?? []), ...(evidence?.probes ?? [])];
  return ids
    .flatMap((id) => exchanges[id] ?? [])
    .findLast((exchange) => receptionOf(exchange) !== "accepted");
}

function wordsOf(exchange: Exchange | undefined): string | undefined {
  return exchange?.response && ownWords(exchange.response);
}
