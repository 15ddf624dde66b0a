import type { CaseResult, RunEvent } from "../engine/events.ts";
import { shortId } from "../engine/short-ids.ts";
import { counted } from "../lib/words.ts";
import { inWords } from "../probe/phrase.ts";
import { deploymentText } from "./layout.ts";
import { printable } from "./untrusted.ts";

export interface Terminal {
  write(text: string): void;
  /** Whether lines can be rewritten and coloured. */
  readonly isTTY: boolean;
  readonly columns: number;
}

const LIVE_EVERY_MS = 80;
const PLAIN_EVERY_MS = 5000;

/**
 * Shows the progress of a run from its events, and the first failure of each rule as soon as it is seen. On a terminal it
 * rewrites one line and removes it at the end. Elsewhere it prints the plan, then a line every few seconds at most. At the end it
 * takes back what was no failure. Sets no timers.
 * @param isKnown whether a baseline lists a case as failing; such a failure is not shown. Default: none is listed
 * @param nowMs a monotonic clock, in milliseconds
 */
export function createProgress(
  terminal: Terminal,
  isKnown: (caseId: string) => boolean = () => false,
  nowMs: () => number = () => performance.now(),
): (event: RunEvent) => void {
  const everyMs = terminal.isTTY ? LIVE_EVERY_MS : PLAIN_EVERY_MS;
  const beganMs = nowMs();
  let shownMs = beganMs;
  let cases = 0;
  let ran = 0;
  let isStarted = false;
  let exploresOnly = false;
  let requests = 0;
  let latest = "";
  const failing = new Set<string>();
  /** The latest results of the cases that were said to fail so far. */
  const soFar = new Map<string, CaseResult>();
  // A terminal of an unknown width has 0 columns.
  const room = (): number => Math.max(0, terminal.columns - 1);
  // Blanks, because NO_COLOR and some terminals want no escapes.
  const erased = (): string => (terminal.isTTY ? `\r${" ".repeat(room())}\r` : "");

  function show(): void {
    const now = nowMs();
    if (now - shownMs < everyMs) return;
    shownMs = now;
    const seconds = Math.round((now - beganMs) / 1000);
    const done = exploresOnly ? "exploring" : `${ran} of ${counted(cases, "case")}`;
    const line = `${done}, ${counted(requests, "request")}, ${seconds} s`;
    if (!terminal.isTTY) terminal.write(`${line}\n`);
    else terminal.write(erased() + printable(`${line}  ${latest}`).slice(0, room()));
  }

  function tell(result: CaseResult, isFinal: boolean): void {
    const { id, rule, outcome, expected, actual } = result;
    if (outcome !== "fail" || failing.has(rule) || isKnown(id)) return;
    failing.add(rule);
    if (!isFinal) soFar.set(id, result);
    const said = `expected ${expected ? inWords(expected) : ""}, got ${actual ? inWords(actual) : ""}`;
    const line = printable(`FAIL${isFinal ? "" : " so far"}  ${shortId(id)}  ${said}`);
    terminal.write(`${erased()}${line}\n`);
  }

  function settle(result: CaseResult): void {
    if (!soFar.has(result.id)) return;
    soFar.set(result.id, result);
    // Another case of the rule may still fail.
    if (result.outcome !== "fail") failing.delete(result.rule);
  }

  /** What became of the cases that were said to fail so far, and in the end did not. */
  function takeBack(): void {
    for (const { id, outcome, reason } of soFar.values()) {
      if (outcome === "fail") continue;
      const why = reason === undefined ? "" : `: ${inWords(reason)}`;
      const line = printable(`No failure after all  ${shortId(id)}  ${outcome}${why}`);
      terminal.write(`${line}\n`);
    }
  }

  return (event) => {
    switch (event.type) {
      case "run-started": {
        // The run of a pack follows that of the contract, against the same target.
        if (isStarted) break;
        isStarted = true;
        const { suite, target, seed } = event;
        terminal.write(
          `${suite.name} ${suite.version}, requirements ${suite.requirements}\n` +
            `  target  ${printable([target.baseUrl, deploymentText(target.deployment)].filter(Boolean).join(", "))}\n` +
            `  tokens  ${printable(target.issuer)}, ${printable(target.algorithm ?? "issued")}\n` +
            `  seed    ${seed}\n`,
        );
        break;
      }
      case "run-planned": {
        cases += event.cases;
        if (event.plan.pack !== undefined) {
          terminal.write(`${erased()}  pack    ${printable(event.plan.pack)}\n`);
        }
        exploresOnly = event.plan.exploresOnly === true;
        const planned = exploresOnly
          ? "exploration in place of the cases"
          : `${counted(cases, "case")} of ${counted(event.rules.length, "rule")}`;
        terminal.write(`  plan    ${planned}\n`);
        for (const { reason, cases: left } of event.excluded) {
          terminal.write(`          ${counted(left, "case")} left out, ${printable(reason)}\n`);
        }
        break;
      }
      case "exchange":
        requests += 1;
        latest = event.exchange.caseId;
        show();
        break;
      case "case-ran":
        ran += 1;
        show();
        break;
      case "case-failing":
        tell(event.result, false);
        break;
      case "case-judged":
        settle(event.result);
        tell(event.result, true);
        break;
      case "run-finished":
        if (terminal.isTTY) terminal.write(erased());
        takeBack();
    }
  };
}
