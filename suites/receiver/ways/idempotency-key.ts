import type { HttpRequest } from "../../../src/http/exchange.ts";

const HEADER = "idempotency-key";
/** The names under which a profile may have the header already. */
const NAMES = /^(x-)?idempotency-key$/i;

/** Whether a header has the idempotency key of a request. */
export function isIdempotencyKey(name: string): boolean {
  return NAMES.test(name);
}

/** The request with the key, in the place of the profile's own one if there is one. */
export function withIdempotencyKey(spec: HttpRequest, key: string): HttpRequest {
  const has = spec.headers.some(([name]) => isIdempotencyKey(name));
  return {
    ...spec,
    headers: has
      ? spec.headers.map(([name, value]) => [name, isIdempotencyKey(name) ? key : value] as const)
      : [...spec.headers, [HEADER, key]],
  };
}
