import type { HttpRequest } from "../../http/exchange.ts";
import { type InvalidMutation, type Mutation, withHeaders } from "../mutation.ts";

/**
 * Names of header fields with other separators. WSGI, CGI and PHP take `X_Forwarded_User` for `X-Forwarded-User`, and a gateway
 * that removes the one may pass on the other.
 */

/** The separators in the names of header fields. */
export type Separators = "underscores" | "a hyphen and underscores";

/** Each has requests of its own, because a receiver may join what it takes for two lines of one field. */
export const SEPARATORS: readonly Separators[] = ["underscores", "a hyphen and underscores"];

/** The ends of the names of mutations. */
const SUFFIXES: Readonly<Record<Separators, string>> = {
  underscores: "underscores",
  "a hyphen and underscores": "mixed",
};

/** A name with other separators; `undefined` where it has too few hyphens for them. */
function spelled(header: string, separators: Separators): string | undefined {
  const [first = "", ...more] = header.split("-");
  if (separators === "underscores") {
    return more.length > 0 ? [first, ...more].join("_") : undefined;
  }
  return more.length > 1 ? `${first}-${more.join("_")}` : undefined;
}

/** The names with each kind of separators, without those that have too few hyphens. */
export function spelledNames(names: readonly string[]): (readonly string[])[] {
  return SEPARATORS.map((separators) => names.flatMap((name) => spelled(name, separators) ?? []));
}

/** A mutation that adds header fields, once for each kind of separators: `<name>-underscores`, `<name>-mixed`. */
export function respelled<M extends Mutation | InvalidMutation>(mutation: M): M[] {
  return SEPARATORS.map((separators) => ({
    ...mutation,
    ...(mutation.refused && {
      refused: { ...mutation.refused, source: `${mutation.refused.source}; CVE-2025-64484` },
    }),
    name: `${mutation.name}-${SUFFIXES[separators]}`,
    what: `${mutation.what}; the names of the headers have ${separators}`,
    request: (spec, context, token) =>
      respelledFields(spec, mutation.request?.(spec, context, token) ?? spec, separators),
  }));
}

/** A changed request in which the fields that it has beside those of the plain one have other separators; default: hyphens. */
export function respelledFields(
  plain: HttpRequest,
  changed: HttpRequest,
  separators?: Separators,
): HttpRequest {
  if (separators === undefined) return changed;
  const own = new Set(plain.headers);
  return {
    ...changed,
    headers: changed.headers.flatMap((line) => {
      if (own.has(line)) return [line];
      const name = spelled(line[0], separators);
      return name === undefined ? [] : [[name, line[1]] as const];
    }),
  };
}

/** Fields that mean nothing, in both spellings. A receiver may refuse them for their names. */
export const harmlessFields: Mutation = {
  name: "underscores",
  what: "header fields that mean nothing have underscores in their names",
  request: (spec, { target }) =>
    withHeaders(spec, target, { x_conformance_note: "1", "x-conformance_note": "1" }),
};

/** Several mutations of the request, one after the other, refused for the reason of the first one. */
export function inTurn(
  name: string,
  what: string,
  mutations: readonly InvalidMutation[],
): InvalidMutation {
  return {
    ...(mutations[0] as InvalidMutation),
    name,
    what,
    request: (spec, context, token) =>
      mutations.reduce((sent, one) => one.request?.(sent, context, token) ?? sent, spec),
  };
}
