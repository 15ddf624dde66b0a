/** Statuses that gateways send while the server behind them is away, and servers while they start or have too much to do. */
export const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504]);

/** Statuses that say nothing about the request that they answer. */
export const NOT_ABOUT_THE_REQUEST: ReadonlySet<number> = new Set([408, 425, 429, ...UNAVAILABLE]);
