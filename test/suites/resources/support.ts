import { inWords } from "../../../src/probe/phrase.ts";
import type { Ran } from "../../support/run-against.ts";

/** The mission that the organizations of the reference receiver have at first. */
export const ORIGINAL = "To be kept in step everywhere.";

export function observation({ finished }: Ran, id: string): string | undefined {
  const seen = finished.observations.find((one) => one.id === id);
  return seen && inWords(seen.value);
}

/** Outcomes by case, without the given prefix of the ids. */
export function outcomes({ results }: Ran, prefix: string): Record<string, string> {
  return Object.fromEntries(
    results
      .filter(({ id }) => id.startsWith(prefix))
      .map(({ id, outcome }) => [id.slice(prefix.length), outcome]),
  );
}
