import type { Finding } from "../../../src/probe/finding.ts";
import type { Fixture, Probe } from "../../../src/probe/probe.ts";

/**
 * The value of a fixture, or why there is none. A fixture is set up once, and a lost answer may be answered when it is sent
 * again, so this case tries that.
 */
export async function usedOrAnew<T extends object>(
  probe: Probe,
  fixture: Fixture<T | Finding>,
): Promise<T | Finding> {
  const known = await probe.use(fixture);
  return "kind" in known && known.kind === "inconclusive" ? fixture.setup(probe) : known;
}
