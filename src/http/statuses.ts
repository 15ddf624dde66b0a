/** Statuses that gateways send while the server behind them is away, and servers while they start or have too much to do. */
export const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504]);

/** Statuses that say nothing about the request that they answer. */
export const NOT_ABOUT_THE_REQUEST: ReadonlySet<number> = new Set([408, 425, 429, ...UNAVAILABLE]);

/** 511, RFC 6585 section 6. */
const HIGHEST_REGISTERED = 511;

/**
 * Whether a status of any endpoint of the server says nothing about the request: one of a gateway, or 0, which stands for no
 * response. Statuses above those that are registered are gateways' own.
 */
export function isUnclearStatus(status: number): boolean {
  return status === 0 || NOT_ABOUT_THE_REQUEST.has(status) || status > HIGHEST_REGISTERED;
}
