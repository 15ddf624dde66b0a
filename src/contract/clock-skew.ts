/**
 * The largest difference between two clocks, in seconds, that counts as a small clock skew, which a
 * receiver may allow for. RFC 7519 section 4.1.4: usually no more than a few minutes.
 */
export const SMALL_SKEW_SECONDS = 300;
