import { endCase, Finding } from "../../probe/finding.ts";
import { phrase } from "../../probe/phrase.ts";
import type { Probe } from "../../probe/probe.ts";
import type { Rule, RuleCase } from "../../probe/rule.ts";
import { mostRequests, readGrowing, readWalk } from "./read-walk.ts";
import { type WalkDraw, walkInWords } from "./walk-draw.ts";
import { type Violated, violatedBy } from "./walk-laws.ts";

/** The rule that owns what is observed of a feed that grows between its pages. */
export const GROWING = "pagination.partition";

/** What a walk violates; `undefined` where nothing. Throws CaseEnd where it cannot be read. */
export async function walked(probe: Probe, draw: WalkDraw): Promise<Violated | undefined> {
  let violated: Violated | undefined;
  const finding = await probe.judgeSettled(async (reader) => {
    violated = violatedBy(await readWalk(reader, draw));
    return violated?.violation ?? Finding.pass();
  });
  return finding.kind === "fail" ? violated : undefined;
}

/** Makes the case of the rule that owns what a walk shows. */
export function walkCase(rule: Rule, id: string, draw: WalkDraw): RuleCase {
  return {
    id,
    title: `found by exploration: ${walkInWords(draw)}`,
    level: draw.grows ? "OBSERVE" : rule.level,
    operation: draw.operation,
    control: { bound: draw.bound },
    explored: true,
    sends: mostRequests(draw),
    judge: (probe) => (draw.grows ? readGrowing(probe, draw) : judgeWalk(probe, draw, rule.id)),
    ...(draw.grows && { writes: "alone" as const }),
  };
}

async function judgeWalk(probe: Probe, draw: WalkDraw, rule: string): Promise<Finding> {
  const violated = await walked(probe, draw);
  if (!violated) return Finding.pass();
  const { violation, level } = violated;
  if (violated.rule !== rule) {
    const reason = phrase`${violation.actual}: ${violated.rule} is violated`;
    return endCase(Finding.inconclusive(reason, violation.evidence));
  }
  return level === "SHOULD" ? { ...violation, atMost: "SHOULD" } : violation;
}
