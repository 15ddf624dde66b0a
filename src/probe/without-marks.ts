import type { HttpRequest } from "../http/exchange.ts";

/**
 * The unmarked sample: some requests are sent without the suite's marks, to find a receiver that is
 * strict only with marked requests. It does not find a receiver that recognises the test issuer.
 */

/** An ordinary client's values in place of the suite's marks. */
const ORDINARY = { "user-agent": "axios/1.7.9", "conformance-case": undefined } as const;

/** A request as an ordinary client sends it. Headers of the profile stay. */
export function withoutMarks(spec: HttpRequest): HttpRequest {
  return { ...spec, standing: { ...spec.standing, ...ORDINARY } };
}
