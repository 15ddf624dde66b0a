import type { PlannedCase } from "../engine/plan.ts";
import { type ErrorAnswer, judgeErrorBody, owesErrorBody } from "../probe/errors/error-record.ts";
import type { Finding } from "../probe/finding.ts";
import { inWords } from "../probe/phrase.ts";
import type { Probe } from "../probe/probe.ts";
import type { ReportCase } from "../report/report.ts";
import { onlyRecorded } from "./missing.ts";
import { recordedReply } from "./recorded-reply.ts";
import type { ReplayContext } from "./replay-probe.ts";
import { isSamePhrase, type Note } from "./verification.ts";

/**
 * The recorded error answers that the rules about all answers have judged: those of cases that ran before
 * these rules, if they are recorded whole.
 */
export function recordedErrors(
  { exchanges }: ReplayContext,
  cases: ReadonlyMap<string, PlannedCase>,
): ErrorAnswer[] {
  return [...exchanges.values()].flatMap((exchange): ErrorAnswer[] => {
    const { operation, caseId, id, response, request } = exchange;
    const sender = cases.get(caseId);
    if (!operation || !response || !sender || sender.phase === "record") return [];
    if (!owesErrorBody(response.status)) return [];
    try {
      return [
        {
          ...judgeErrorBody(recordedReply(exchange)),
          operation,
          exchange: id,
          arrived: 0,
          mutation: request.token?.mutation,
          again: () => Promise.resolve(undefined),
        },
      ];
    } catch {
      return [];
    }
  });
}

/**
 * Notes where a rule about all answers has passed although a recorded answer violates it, and where it has
 * failed although the answers that it names do not violate it.
 * @returns whether it was judged again by all answers that it counts
 */
export async function checkRecorded(
  planned: PlannedCase,
  one: ReportCase,
  errors: readonly ErrorAnswer[],
  { facts, seed, exchanges }: ReplayContext,
  note: Note,
): Promise<boolean> {
  const { phase, level, testCase } = planned;
  if (phase !== "record" || level === "OBSERVE" || testCase.operation === undefined) return false;
  const judge = async (answers: readonly ErrorAnswer[]): Promise<Finding | undefined> => {
    const probe = onlyRecorded<Probe>({
      target: facts,
      seed,
      confirming: false,
      seen: onlyRecorded<Probe["seen"]>({ errors: answers }),
      // Provoked errors are already recorded.
      use: () => Promise.resolve(undefined as never),
    });
    try {
      return await planned.testCase.judge(probe);
    } catch {
      return undefined;
    }
  };
  if (one.outcome === "pass") {
    const found = await judge(errors);
    if (found?.kind === "pass") return isSamePhrase(one.reason, found.reason);
    if (found?.kind !== "fail") return false;
    const [wrong = ""] = found.evidence?.probes ?? [];
    note("/outcome", `the recorded answer ${wrong} contradicts it: ${inWords(found.actual)}`);
    return true;
  }
  if (one.outcome !== "fail" && one.outcome !== "warn") {
    // Two tries may disagree, and of issued tokens none may be had for a try.
    if (one.code !== undefined || one.blamedOn !== undefined || one.flaky || facts.issued)
      return false;
    const found = await judge(errors);
    if (found?.kind !== "fail") return false;
    note("/outcome", `recorded answers contradict it: ${inWords(found.actual)}`);
    return true;
  }
  const named = one.evidence?.probes ?? [];
  const own = errors.filter(({ exchange }) => named.includes(exchange));
  if (own.length < named.length || !named.every((id) => exchanges.has(id))) return false;
  const found = await judge(own);
  if (found && found.kind !== "fail") note("/outcome", "the answers that it names violate nothing");
  return false;
}
