import { isLoopbackHost } from "../lib/loopback.ts";

/** The variables that HTTP clients take a proxy from, as they are written by custom. */
const VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];

/**
 * Whether requests for an origin may go through a proxy of this machine's. What NO_PROXY excepts is
 * not looked at.
 */
export function mayBeProxied(
  origin: string,
  environment: NodeJS.ProcessEnv = process.env,
): boolean {
  return !isLoopbackHost(new URL(origin).hostname) && VARIABLES.some((name) => environment[name]);
}
