import type { Call, Page } from "./model.ts";
import type { Patch } from "./steps.ts";

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
