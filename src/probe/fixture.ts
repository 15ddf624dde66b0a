import type { Probe } from "./probe.ts";

/** What several cases work with: a walk through a collection, a submitted change. */
export interface Fixture<T> {
  /** Names the requests that set it up. Unique in its scope. */
  readonly name: string;
  /** Whose cases share it. */
  readonly scope: "rule" | "run";
  /**
   * Sets it up, with a probe that sends in the name of all.
   * @throws CaseEnd where it cannot be
   */
  readonly setup: (probe: Probe) => Promise<T>;
}

/** Infers the type of what a fixture sets up. */
export function defineFixture<T>(fixture: Fixture<T>): Fixture<T> {
  return fixture;
}
