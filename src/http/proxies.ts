import { isLoopbackHost } from "../lib/loopback.ts";

/** The environment variables from which HTTP clients take a proxy, in their usual spellings. */
const VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];

/** Whether requests to an origin may go through a proxy of this machine. Ignores NO_PROXY. */
export function mayBeProxied(
  origin: string,
  environment: NodeJS.ProcessEnv = process.env,
): boolean {
  return !isLoopbackHost(new URL(origin).hostname) && VARIABLES.some((name) => environment[name]);
}
