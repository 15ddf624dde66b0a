import type { ToExplore } from "../../engine/exploration.ts";
import { createProbe } from "../../probe/create-probe.ts";
import { CaseEnd } from "../../probe/finding.ts";
import type { Guards } from "../guards.ts";
import type { Left } from "../limits.ts";
import { drawAt, explorationId } from "../numbered.ts";
import type { Told } from "../told.ts";
import { tryCase } from "../try-case.ts";
import type { Fc } from "../values.ts";
import { mostRequests } from "./read-walk.ts";
import { GROWING, walkCase, walked } from "./walk-case.ts";
import { type WalkDraw, walksFor } from "./walk-draw.ts";
import type { Violated } from "./walk-laws.ts";

/** The most walks that are tried to find the smallest one. */
const MOST_SHRINKS = 12;

/** What walks share with the rest of an exploration. */
interface Shared {
  readonly fc: Fc;
  readonly left: Left;
  readonly note: { drawn: number; judged: number; found: number; alike: number };
  readonly guards: Pick<Guards, "hasFailed">;
  readonly told: Told;
}

/** What walks through pages in an exploration. */
export interface Walker {
  /** Walks once. The number, with the seed of the run, decides where. */
  readonly walk: (nth: number) => Promise<void>;
}

export function createWalker(run: ToExplore, { fc, left, note, guards, told }: Shared): Walker {
  const { session, controls, rules, reported } = run;
  const { seed } = session;
  const walks = walksFor(fc, session.target);
  let hasGrown = false;

  async function violatedOn(draw: WalkDraw, path: string): Promise<Violated | "none" | "unread"> {
    const id = explorationId(seed, path, "walk");
    const { operation, bound } = draw;
    const testCase = { id, operation, control: { bound } };
    const { probe } = createProbe(session, controls, `${GROWING}/${id}`, testCase);
    try {
      return (await walked(probe, draw)) ?? "none";
    } catch (error) {
      if (error instanceof CaseEnd) return "unread";
      throw error;
    }
  }

  /** The path of the smallest walk that violates the same rule. */
  async function smallest(
    all: NonNullable<typeof walks>,
    nth: number,
    operation: WalkDraw["operation"],
    { rule, level }: Violated,
  ): Promise<string> {
    let isFirst = true;
    let tried = 0;
    const property = fc.asyncProperty(all, async (draw) => {
      if (isFirst) {
        // fast-check first tries the walk itself, which is known to show it.
        isFirst = false;
        return false;
      }
      if (draw.grows || draw.operation !== operation) return true;
      if (++tried > MOST_SHRINKS || left.requests() < mostRequests(draw)) return true;
      const violated = await violatedOn(draw, `${nth}.0`);
      return !(typeof violated === "object" && violated.rule === rule && violated.level === level);
    });
    const path = String(nth);
    const { counterexamplePath } = await fc.check(property, {
      seed,
      path,
      numRuns: 1,
      unbiased: true,
    });
    return counterexamplePath ?? path;
  }

  /** Makes a case of the walk at a path, if it shows what it has to show again. */
  async function tell(ruleId: string, path: string): Promise<boolean> {
    const rule = rules.find(({ id }) => id === ruleId);
    const draw = walks && drawAt(fc, walks, seed, path);
    if (!rule || !draw) return false;
    const id = explorationId(seed, path, "walk");
    return tryCase(run, { caseId: `${ruleId}/${id}`, rule, testCase: walkCase(rule, id, draw) });
  }

  async function settle(nth: number, draw: WalkDraw, violated: Violated): Promise<void> {
    if (!walks || !reported.has(violated.rule)) return;
    const { rule, level } = violated;
    const part = `${draw.operation} ${level}`;
    if (told.isEnough(rule, part) || guards.hasFailed(rule, draw.operation)) {
      note.alike += 1;
      return;
    }
    for (const path of new Set([
      await smallest(walks, nth, draw.operation, violated),
      String(nth),
    ])) {
      if (!(await tell(rule, path))) continue;
      note.found += 1;
      told.add(rule, part);
      return;
    }
  }

  return {
    async walk(nth) {
      const path = String(nth);
      const draw = walks && drawAt(fc, walks, seed, path);
      if (!draw || left.requests() < mostRequests(draw)) return;
      note.drawn += 1;
      if (draw.grows) {
        // What a growing feed shows is left open, so seeing it once is enough.
        hasGrown ||= reported.has(GROWING) && (await tell(GROWING, path));
        return;
      }
      const violated = await violatedOn(draw, path);
      if (violated === "unread") return;
      note.judged += 1;
      if (violated !== "none") await settle(nth, draw, violated);
    },
  };
}
