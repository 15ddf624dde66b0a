const send = globalThis.fetch;
let calls = 0;

/**
 * Counts what this thread fetches from now on. The suite fetches nothing this way, and the reference receiver only this way, so whoever
 * sees the same number before and after knows that no receiver called anybody in between.
 * @returns the number so far
 */
export function fetchesSoFar(): number {
  return calls;
}

globalThis.fetch = (...request) => {
  calls++;
  return send(...request);
};
