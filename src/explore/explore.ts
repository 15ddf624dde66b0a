import type { ExplorationEnd, ExplorationNote } from "../engine/events.ts";
import type { ToExplore } from "../engine/exploration.ts";
import { Interrupted } from "../http/client.ts";
import type { Control } from "../probe/controls/control.ts";
import { createProbe } from "../probe/create-probe.ts";
import { CaseEnd } from "../probe/finding.ts";
import type { Attempt, Probe } from "../probe/probe.ts";
import { slotOf } from "./change.ts";
import { contractSays, type Said } from "./contract-says.ts";
import { type Draw, drawsFor } from "./draws.ts";
import { exploredCase, mutationFor, optionsOf, placeOf, violates } from "./explored-case.ts";
import { createGuards } from "./guards.ts";
import { createLimits, type ExploreLimits } from "./limits.ts";
import { drawAt, drawsFrom, explorationId, isSensible } from "./numbered.ts";
import { takeSteps } from "./steps.ts";
import { createTold } from "./told.ts";
import { tryCase } from "./try-case.ts";
import { createWalker } from "./walks/explore-walks.ts";

/** So many draws share a bracket of controls. */
const TOGETHER = 96;
/** So many draws in a row of which none could be sent: there is nothing to explore. */
const MOST_IN_VAIN = 20 * TOGETHER;
/** The most draws that are tried to find the smallest one that shows a violation. */
const MOST_SHRINKS = 60;

/** A draw that can be judged. */
interface Judgeable {
  readonly at: number;
  readonly draw: Draw;
  readonly said: Said;
  readonly control: Control;
}

/**
 * Draws cases that no rule lists, sends each once, and tries those again with their controls whose answers violate what the contract
 * says. The smallest draw that shows a violation becomes a case of the rule that owns it. Equal seeds draw equal cases; limits only
 * end the sequence.
 */
export async function explore(run: ToExplore, limits: ExploreLimits): Promise<ExplorationNote> {
  const { session, controls, rules, reported } = run;
  const left = createLimits(limits, run.requests);
  const note = { drawn: 0, judged: 0, found: 0, alike: 0 };
  const ended = (endedBy: ExplorationEnd): ExplorationNote => ({
    ...note,
    requests: left.used(),
    endedBy,
  });
  // Only with a key can a token be made that differs in one thing.
  if (session.target.issued) return ended("not possible");
  const fc = await import("fast-check");
  const draws = drawsFor(fc, session.target);
  const guards = createGuards(run);
  const told = createTold();
  const walker = createWalker(run, { fc, left, note, guards, told });

  function probeFor(caseId: string, { operation }: Draw, said: Said): Probe {
    const testCase = { id: caseId, operation, level: said.level };
    return createProbe(session, controls, caseId, testCase).probe;
  }

  async function judgeable(at: number, draw: Draw): Promise<Judgeable | undefined> {
    if (!isSensible(draw)) return undefined;
    const probe = probeFor("explored", draw, NOTHING);
    try {
      const { place, control } = await placeOf(probe, draw);
      const said = await contractSays(draw, place);
      return said && reported.has(said.rule) ? { at, draw, said, control } : undefined;
    } catch (error) {
      if (error instanceof CaseEnd) return undefined;
      throw error;
    }
  }

  /** Sends a draw once, after its steps. `undefined` where it cannot be sent. */
  async function sendOnce({ draw, said }: Judgeable, path: string): Promise<Attempt | undefined> {
    const caseId = `${said.rule}/${explorationId(session.seed, path)}`;
    const probe = probeFor(caseId, draw, said);
    const mutation = mutationFor(draw, said);
    const { age, options } = optionsOf(probe, draw);
    await takeSteps(probe, draw, mutation, age);
    const purpose = said.says === "accepted" ? "wanted" : "unwanted";
    const sent = await probe.tryAttempt(mutation, { ...options, purpose });
    return "attempt" in sent ? sent.attempt : undefined;
  }

  /** The draws of a round that violate what the contract says, if their controls hold. */
  async function suspectsOf(round: readonly Judgeable[], label: string): Promise<Judgeable[]> {
    const sent = await Promise.all(
      round.map(async (one) => ({ one, attempt: await sendOnce(one, String(one.at)) })),
    );
    const refused = await refusedAfter(round, label);
    const judged = sent.flatMap(({ one, attempt }) =>
      attempt && !refused.has(one.control) ? [{ one, attempt }] : [],
    );
    note.judged += judged.length;
    return judged.flatMap(({ one, attempt }) =>
      violates(one.said, attempt) === undefined ? [] : [one],
    );
  }

  /** The controls of reads that are no longer accepted. Writes are limited, so their controls are not sent again here. */
  async function refusedAfter(round: readonly Judgeable[], label: string): Promise<Set<Control>> {
    const used = [...new Set(round.map(({ control }) => control))];
    const reads = used.filter(({ operation }) => !operation.writes);
    const again = await Promise.all(
      reads.map(async (control) =>
        "refused" in (await controls.repeat(control, label)) ? control : undefined,
      ),
    );
    return new Set(again.filter((control) => control !== undefined));
  }

  /** The path of the smallest draw that violates the same rule, by fast-check's own shrinking. */
  async function smallest({ at, said }: Judgeable): Promise<string> {
    let tried = 0;
    const property = fc.asyncProperty(draws, async (draw) => {
      // fast-check first tries the draw itself, which is known to show it.
      if (tried++ === 0) return false;
      if (tried > MOST_SHRINKS || left.reached()) return true;
      const one = await judgeable(at, draw);
      if (one?.said.rule !== said.rule || one.said.level !== said.level) return true;
      const attempt = await sendOnce(one, `${at}.0`);
      return !attempt || violates(one.said, attempt) === undefined;
    });
    const { counterexamplePath } = await fc.check(property, {
      seed: session.seed,
      path: String(at),
      numRuns: 1,
      unbiased: true,
    });
    return counterexamplePath ?? String(at);
  }

  /** Makes a case of a violation, unless others explain it or there are enough like it. */
  async function settle(suspect: Judgeable): Promise<void> {
    const { rule: ruleId } = suspect.said;
    const part = slotOf(suspect.draw.judged);
    const rule = rules.find(({ id }) => id === ruleId);
    if (!rule) return;
    const isKnown =
      told.isEnough(ruleId, part) ||
      guards.hasFailed(ruleId, suspect.draw.operation) ||
      (await guards.explain(suspect.said, suspect.draw));
    if (isKnown) {
      note.alike += 1;
      return;
    }
    const paths = new Set([await smallest(suspect), String(suspect.at)]);
    for (const path of paths) {
      const draw = drawAt(fc, draws, session.seed, path);
      const one = draw && (await judgeable(suspect.at, draw));
      if (one?.said.rule !== ruleId) continue;
      const id = explorationId(session.seed, path);
      const testCase = exploredCase(rule, id, one.draw, one.said);
      if (!(await tryCase(run, { caseId: `${ruleId}/${id}`, rule, testCase }))) continue;
      note.found += 1;
      told.add(ruleId, part);
      return;
    }
  }

  try {
    let inVain = 0;
    for (let from = 0; ; from += TOGETHER) {
      const reached = left.reached();
      if (reached) return ended(reached);
      const some = drawsFrom(fc, draws, session.seed, from, TOGETHER);
      const all = await Promise.all(some.map((draw, nth) => judgeable(from + nth, draw)));
      const round = fitting(all, left.requests());
      note.drawn += some.length;
      inVain = round.length === 0 ? inVain + some.length : 0;
      if (inVain >= MOST_IN_VAIN) return ended("not possible");
      for (const suspect of await suspectsOf(round, `explored-${from}`)) {
        if (left.reached()) break;
        await settle(suspect);
      }
      if (!left.reached()) await walker.walk(from / TOGETHER);
    }
  } catch (error) {
    if (error instanceof Interrupted) return ended("interrupted");
    throw error;
  }
}

/** Those that can be sent with so many requests. */
function fitting(all: readonly (Judgeable | undefined)[], requests: number): Judgeable[] {
  const round: Judgeable[] = [];
  let needed = 0;
  for (const one of all) {
    if (!one) continue;
    needed += 1 + one.draw.before.length;
    if (needed > requests) break;
    round.push(one);
  }
  return round;
}

const NOTHING: Said = { says: "rejected", rule: "", level: "MUST", sentence: "" };
