import type { HttpRequest } from "../http/exchange.ts";
import type { RuleCase } from "./rule-case.ts";

/**
 * The unmarked sample: some requests are sent without what says that they are the suite's, to find a
 * receiver that is strict with these alone. One that recognises the test issuer is not found by it.
 */

/** What an ordinary client has in place of the suite's marks. */
const ORDINARY = { "user-agent": "axios/1.7.9", "conformance-case": undefined } as const;

/** A request as an ordinary client sends it; headers of the profile stay. */
export function withoutMarks(spec: HttpRequest): HttpRequest {
  return { ...spec, standing: { ...spec.standing, ...ORDINARY } };
}

/** The same cases as an ordinary client sends them, named `<what>-unmarked@<operation>`. */
export function unmarked<C extends RuleCase>(cases: readonly C[]): C[] {
  return cases.map((one) => ({
    ...one,
    id: one.id.replace("@", "-unmarked@"),
    title: `${one.title ?? one.id}; sent as an ordinary client, without the suite's marks`,
    unmarked: true,
  }));
}
