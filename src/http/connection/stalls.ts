/** How long a body may pause after none, one or more answers with its status have stopped in their bodies. */
const PAUSES_MS = [undefined, 2000, 500] as const;
/** A body may pause so many times longer than one did that was then completed. */
const LEEWAY = 4;

/** One body while it is read. */
export interface BodyWatch {
  /** Bytes that have arrived, before decoding. */
  readonly arrived: number;
  /** Must be called for every piece of the body. */
  note(bytes: number): void;
  /** Must be called when the body is complete. */
  complete(): void;
  /** Must be called when a time limit ended the body. */
  stalled(): void;
  /** Ends watching. */
  end(): void;
}

/** Watches a body from its head on, and tells of a pause that is longer than the limit. */
export type WatchBody = (status: number, onPause: (limitMs: number) => void) => BodyWatch;

/**
 * Creates the memory of a target's answers that stop in their bodies. A receiver that announces more bytes than it sends
 * does so in all answers of a kind, and each would take the whole time limit of a request. So after the first ones,
 * the others with their status may pause for less.
 */
export function createStalls(): WatchBody {
  const stalled = new Map<number, number>();
  /** The longest pause in a body that was completed, by status. */
  const pauses = new Map<number, number>();

  function limitMs(status: number): number | undefined {
    const known = PAUSES_MS[Math.min(stalled.get(status) ?? 0, PAUSES_MS.length - 1)];
    return known && Math.max(known, LEEWAY * (pauses.get(status) ?? 0));
  }

  return (status, onPause) => {
    const limit = limitMs(status);
    let arrived = 0;
    let longest = 0;
    let last = performance.now();
    const start = (): NodeJS.Timeout | undefined =>
      limit === undefined ? undefined : setTimeout(() => onPause(limit), limit);
    let timer = start();
    const pause = (): void => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    };
    return {
      get arrived() {
        return arrived;
      },
      note(bytes) {
        arrived += bytes;
        pause();
        clearTimeout(timer);
        timer = start();
      },
      complete() {
        pause();
        pauses.set(status, Math.max(longest, pauses.get(status) ?? 0));
      },
      stalled: () => void stalled.set(status, (stalled.get(status) ?? 0) + 1),
      end: () => clearTimeout(timer),
    };
  };
}
