import type { Fixture } from "./probe.ts";

/** Infers the type of what a fixture sets up. */
export function defineFixture<T>(fixture: Fixture<T>): Fixture<T> {
  return fixture;
}
