import { OPERATION_IDS, OPERATIONS } from "../contract/operations.ts";
import { numbered, SECOND_TRIES, tryAgain } from "../http/second-tries.ts";
import type { Control } from "../probe/controls/control.ts";
import type { Controls } from "../probe/controls/controls.ts";
import type { Moments } from "../probe/controls/moments.ts";
import { exchangesOf, Finding } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import type { Session } from "../probe/session.ts";
import type { PlannedCase } from "./plan.ts";

const CODE = "refused-for-a-moment";
const ROW = SECOND_TRIES.atOnce;

/** What the last of the repetitions of a control came to; nothing where there was none. */
type Repeated = Awaited<ReturnType<Controls["repeat"]>> | { readonly exchange?: undefined };

/**
 * Sends the plain controls of a violation again, at once, where it rests on a request that was refused. Where one of them is refused
 * too, the violation proves nothing.
 * @param used the controls of the case; a case without any is checked beside a read
 */
export async function checkedAtOnce(
  planned: PlannedCase,
  finding: Finding,
  used: ReadonlySet<Control>,
  session: Session,
  controls: Controls,
): Promise<Finding> {
  if (finding.kind !== "fail" || isProof(finding) || isAboutMoments(planned)) return finding;
  const { probes = [] } = finding.evidence ?? {};
  if (!probes.some((id) => session.seen.moments.wasRefused(id))) return finding;
  const reads = [...used].filter(({ operation, unmarked }) => !operation.writes && !unmarked);
  for (const control of reads.length > 0 ? reads : await knownReads(session, controls)) {
    const again = await tryAgain<Repeated>(
      ROW,
      {},
      (repeated) => !("refused" in repeated || "instead" in repeated),
      (_last, further) => controls.repeat(control, numbered("at-once", further), ROW.how),
      (ms) => session.wait(ms),
    );
    if (!("refused" in again)) continue;
    const { id } = control.operation;
    return Finding.undecided(
      CODE,
      phrase`${finding.actual}; but a good request on ${id}, sent at once, was refused too: ${again.refused}`,
      { probes, controls: [...(finding.evidence?.controls ?? []), again.exchange] },
    );
  }
  return finding;
}

/** The finding without what came in a moment in which the deployment refused good requests. */
export function withoutMoments(finding: Finding, moments: Moments): Finding {
  const { evidence } = finding;
  if (finding.kind === "inconclusive" || isProof(finding)) return finding;
  if (!evidence?.probes.some((id) => moments.cover(id))) return finding;
  return Finding.undecided(
    CODE,
    phrase`it was answered in a moment in which good requests were refused in the same way`,
    evidence,
  );
}

/** Whether a case was not decided because of a moment, or because requests had no answer that is about them. */
export function isThroughTrouble(finding: Finding, moments: Moments): boolean {
  if (finding.kind !== "inconclusive") return false;
  if (finding.code !== undefined) return finding.code === CODE;
  return exchangesOf(finding.evidence).some((id) => moments.wasUnclear(id) || moments.cover(id));
}

/** Whether a case is about the moments themselves. */
export function isAboutMoments({ phase }: PlannedCase): boolean {
  return phase === "trouble";
}

function isProof(finding: Finding): boolean {
  return finding.kind === "fail" && finding.certainty === "proof";
}

/** The control of one read, where there is one. It stands for those of writes, because accepted writes are limited. */
export async function knownReads(
  { target }: Pick<Session, "target">,
  controls: Pick<Controls, "get">,
): Promise<readonly Control[]> {
  for (const id of OPERATION_IDS.filter((one) => !OPERATIONS[one].writes)) {
    if (!target.operations[id]) continue;
    const found = await controls.get(id);
    if ("control" in found) return [found.control];
  }
  return [];
}
