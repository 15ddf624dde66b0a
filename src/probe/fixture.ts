import type { Fixture } from "./probe.ts";

/** Infers the type of a fixture's value. */
export function defineFixture<T>(fixture: Fixture<T>): Fixture<T> {
  return fixture;
}
