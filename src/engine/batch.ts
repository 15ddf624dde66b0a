import { Interrupted } from "../http/client.ts";
import type { Control, Controls } from "../probe/controls.ts";
import type { Evidence, Finding } from "../probe/finding.ts";
import { createProbe } from "../probe/probe.ts";
import type { Session } from "../probe/session.ts";
import type { RunEvent } from "./events.ts";
import type { PlannedCase } from "./plan.ts";

export interface BatchContext {
  readonly session: Session;
  readonly controls: Controls;
  /** Where faults of the suite itself are noted. */
  readonly suiteErrors: string[];
  readonly emit: (event: RunEvent) => void;
  readonly settled: (planned: PlannedCase, finding: Finding, flaky: boolean) => void;
}

interface Ran {
  readonly planned: PlannedCase;
  readonly finding: Finding;
  readonly flaky: boolean;
  readonly used: ReadonlySet<Control>;
}

/**
 * Runs cases at once, sends the controls that they leaned on once more, and settles them:
 * what rests on a control that is not accepted any more proves nothing.
 * @throws Interrupted; nothing of the batch is settled then
 */
export async function runBatch(
  cases: readonly PlannedCase[],
  context: BatchContext,
): Promise<void> {
  const ran = await Promise.all(cases.map((planned) => runCase(planned, context)));
  const used = new Set(ran.flatMap((one) => [...one.used]));
  const after = new Map(
    await Promise.all(
      [...used].map(async (control) => [control, await context.controls.repeat(control)] as const),
    ),
  );
  for (const { planned, finding, flaky, used: own } of ran) {
    let settled = finding;
    for (const control of own) {
      const result = after.get(control);
      if (!result) continue;
      if (result.exchange !== undefined) settled = withControl(settled, result.exchange);
      if ("refused" in result && restsOnControls(settled)) {
        settled = {
          kind: "undecided",
          reason: `the control on ${control.operation.id}, accepted before, was not accepted after: ${result.refused}`,
          ...("evidence" in settled && settled.evidence && { evidence: settled.evidence }),
        };
      }
    }
    context.settled(planned, settled, flaky);
  }
}

async function runCase(planned: PlannedCase, context: BatchContext): Promise<Ran> {
  const first = await probeOnce(planned, context, false);
  let { finding } = first;
  let flaky = false;
  if (finding.kind === "violated" && planned.level !== "OBSERVE") {
    const second = await probeOnce(planned, context, true);
    if (second.finding.kind !== "violated" || second.finding.atMost !== finding.atMost) {
      flaky = true;
      finding = {
        kind: "undecided",
        reason: `two tries disagree: ${finding.actual}, then ${inShort(second.finding)}`,
        ...(finding.evidence && { evidence: finding.evidence }),
      };
    }
  }
  context.emit({ type: "case-ran", id: planned.name });
  return { planned, finding, flaky, used: first.used };
}

async function probeOnce(
  planned: PlannedCase,
  { session, controls, suiteErrors }: BatchContext,
  confirming: boolean,
): Promise<{ finding: Finding; used: ReadonlySet<Control> }> {
  const { probe, used } = createProbe(
    session,
    controls,
    planned.name,
    planned.testCase,
    confirming,
  );
  try {
    return { finding: await planned.rule.probe(probe, planned.testCase), used };
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    const message = error instanceof Error ? error.message : String(error);
    suiteErrors.push(`${planned.name}: ${message}`);
    return { finding: { kind: "undecided", reason: `a fault of the suite: ${message}` }, used };
  }
}

function restsOnControls(finding: Finding): boolean {
  return finding.kind === "holds" || (finding.kind === "violated" && finding.comparative === true);
}

function withControl(finding: Finding, exchange: string): Finding {
  if (!("evidence" in finding) || !finding.evidence) return finding;
  const controls = [...(finding.evidence.controls ?? []), exchange];
  const evidence: Evidence = { ...finding.evidence, controls };
  return { ...finding, evidence };
}

function inShort(finding: Finding): string {
  switch (finding.kind) {
    case "holds":
      return "as required";
    case "violated":
      return finding.actual;
    case "undecided":
      return finding.reason;
    default:
      return finding.kind;
  }
}
