import type { Span } from "../../http/clock.ts";
import type { Exchange } from "../../http/exchange.ts";

/**
 * Milliseconds in which a run only waited: for time to pass, or as long as an answer asked, with no request under way.
 * @param waits in any order; they may overlap
 * @param exchanges of the whole run
 */
export function idleMs(
  waits: readonly Span[],
  exchanges: readonly Pick<Exchange, "startedAt" | "durationMs">[],
): number {
  const busy = merged(
    exchanges.map(({ startedAt, durationMs }) => {
      const from = Date.parse(startedAt);
      return { from, to: from + durationMs };
    }),
  );
  let idle = 0;
  for (const { from, to } of merged(waits)) {
    idle += to - from;
    for (const span of busy) {
      idle -= Math.max(0, Math.min(to, span.to) - Math.max(from, span.from));
    }
  }
  return idle;
}

/** Merges spans that overlap. */
function merged(spans: readonly Span[]): Span[] {
  const apart: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = apart.at(-1);
    if (last && span.from <= last.to) {
      apart[apart.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    } else apart.push(span);
  }
  return apart;
}
