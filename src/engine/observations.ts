import type { Session } from "../probe/session.ts";
import type { CaseResult, Observation } from "./events.ts";

/** `Date` is cut to the second and an answer takes time: less than this says nothing. */
const NOTABLE_OFFSET_SECONDS = 3;

function offsetInWords(seconds: number): string {
  return Math.abs(seconds) < NOTABLE_OFFSET_SECONDS ? "none to speak of" : String(seconds);
}

/** What the contract leaves open and this run has seen: of the session as a whole, then of its cases. */
export function observe(session: Session, results: readonly CaseResult[]): Observation[] {
  const { clockOffsetSeconds: offset } = session;
  return [
    {
      id: "clock.offset",
      title: "Seconds that the deployment's Date header is ahead of this machine",
      value: offset === undefined ? "no Date header" : offsetInWords(offset),
    },
    ...[...session.rejections]
      .toSorted(([a], [b]) => a - b)
      .map(([check, counts]) => ({
        id: `check-${check}.status`,
        title: `Status for a request that fails receiver check ${check}`,
        value: [...counts]
          .toSorted(([a], [b]) => a - b)
          .map(([status, n]) => `${status} (${n} times)`)
          .join(", "),
      })),
    ...session.statistics.list(),
    ...results
      .filter(({ outcome, actual }) => outcome === "observed" && actual !== undefined)
      .map(({ id, title, actual }) => ({ id, title: title ?? id, value: actual ?? "" })),
  ];
}
