import type { OperationId } from "../contract/operations.ts";
import type { TokenRequest } from "./authorization-server/steps.ts";
import { reject } from "./checks.ts";
import type { Answer, Call, Check, CheckName, OpenApiObject, Page, Receiver } from "./model.ts";
import type { Patch } from "./steps.ts";

/** Makes another check of a check. */
export type CheckPatch = (original: Check) => Check;

/** A patch that leaves a check out. */
export function skipped(): Check {
  return () => {};
}

/** A patch with which a check also passes every call that fulfils the condition. */
export function passing(condition: (call: Call) => boolean): CheckPatch {
  return (original) => (call) => (condition(call) ? undefined : original(call));
}

/** A patch with which a check also refuses every call that fulfils the condition. */
export function refusing(check: CheckName, condition: (call: Call) => boolean): CheckPatch {
  return (original) => (call) => {
    if (!condition(call)) return original(call);
    throw reject(call, check, "The access token is not of the required kind.");
  };
}

/** A patch with which the first result for each key is given again. */
export function cachedBy<Result>(
  keyOf: (call: Call) => string,
): (original: (call: Call) => Result) => (call: Call) => Result {
  return (original) => {
    const cache = new Map<string, { readonly result: Result }>();
    return (call) => {
      const known = cache.get(keyOf(call)) ?? { result: original(call) };
      cache.set(keyOf(call), known);
      return known.result;
    };
  };
}

/** A patch of `readCredentials` that also takes the token that is found elsewhere in a request. */
export function takingToken(find: (call: Call) => string | undefined): CheckPatch {
  return (original) => (call) => {
    const token = find(call);
    if (token === undefined) return original(call);
    call.token = token;
  };
}

/** Whether a step refuses a call. */
export function fails(step: (call: Call) => unknown, call: Call): boolean {
  try {
    step(call);
    return false;
  } catch {
    return true;
  }
}

/** Limits a patch to the calls that fulfil the condition. */
export function onlyIf<Result>(
  condition: (call: Call) => boolean,
  patch: (original: (call: Call) => Result) => (call: Call) => Result,
): (original: (call: Call) => Result) => (call: Call) => Result {
  return (original) => {
    const replacement = patch(original);
    return (call) => (condition(call) ? replacement(call) : original(call));
  };
}

/** Limits a patch to one operation, as if a guard was forgotten on one route. */
export function onlyOn<Result>(
  operation: OperationId,
  patch: (original: (call: Call) => Result) => (call: Call) => Result,
): (original: (call: Call) => Result) => (call: Call) => Result {
  return onlyIf((call) => call.operation === operation, patch);
}

/** A patch that changes answers before the common headers are added. A request without a route has no call. */
export function changingAnswers(
  change: (answer: Answer, call: Call | undefined, receiver: Receiver) => Answer,
): Pick<Patch, "finish"> {
  return {
    finish: (original) => (answer, receiver, call) =>
      original(change(answer, call, receiver), receiver, call),
  };
}

/** A patch that changes the form of token requests. */
export function changingForm(
  change: (form: URLSearchParams, request: TokenRequest) => void,
): Pick<Patch, "tokenRequest"> {
  return { tokenRequest: () => (request) => change(request.form, request) };
}

/** Every list as a whole. */
export const UNPAGINATED: Patch = {
  paginate: () => (_call, items) => ({ items }),
};

/** The call with replaced query parameters; `undefined` removes one. */
export function withQuery(call: Call, query: Readonly<Record<string, unknown>>): Call {
  const all = Object.entries({ ...call.query, ...query });
  return { ...call, query: Object.fromEntries(all.filter(([, value]) => value !== undefined)) };
}

/** A patch that changes PaginatedResultsInfo. */
export function changingInfo(
  retell: (
    info: Readonly<Record<string, unknown>>,
    call: Call,
    page: Page<unknown>,
  ) => Readonly<Record<string, unknown>> | undefined,
): Patch {
  return {
    paginate: (original) => (call, items) => {
      const { paginationInfo, ...rest } = original(call, items);
      if (!paginationInfo) return rest;
      const info = retell(paginationInfo, call, rest);
      return { ...rest, ...(info && { paginationInfo: info as never }) };
    },
  };
}

/**
 * A patch that sets one value in the document.
 * @param value `undefined` removes it
 */
export function documentWith(path: readonly string[], value: unknown): Patch {
  return {
    document: (original) => (receiver) => withValue(original(receiver), path, value),
  };
}

/** A document with one value set; `undefined` removes it. */
export function withValue(
  node: OpenApiObject,
  [name = "", ...rest]: readonly string[],
  value: unknown,
): OpenApiObject {
  const { [name]: known, ...others } = node;
  const changed = rest.length > 0 ? withValue(known as OpenApiObject, rest, value) : value;
  return changed === undefined ? others : { ...others, [name]: changed };
}
