import { buildConnector } from "undici";

import type { Origin } from "../origin.ts";
import { proxyFor } from "../proxies.ts";
import { lookupFor, NOT_PUBLIC } from "./addresses.ts";
import { endingWithAlert, tlsOptions } from "./tls.ts";
import { tunnelThrough } from "./tunnel.ts";

/**
 * What opens every connection to a target: directly, or through the proxy that the environment names.
 * @throws SuiteError when the proxy variables are unusable, or the target may not be connected to;
 * see `lookupFor`
 */
export function connectorFor(target: Origin): buildConnector.connector {
  if (target.refused !== undefined) return refusing(target.refused);
  const { timeoutMs, ca } = target.request;
  const lookup = lookupFor(target);
  const direct = endingWithAlert(
    buildConnector({
      timeout: timeoutMs,
      ...tlsOptions(target.request),
      ...(lookup && { lookup }),
    }),
  );
  const proxy = proxyFor(target.origin);
  if (!proxy) return direct;
  // The client certificate is for the target alone.
  const toProxy = buildConnector({ timeout: timeoutMs, ...tlsOptions({ ca }) });
  return tunnelThrough(proxy, toProxy, direct, timeoutMs);
}

/** Refuses every connection. */
function refusing(message: string): buildConnector.connector {
  return (_options, callback) =>
    callback(Object.assign(new Error(message), { code: NOT_PUBLIC }), null);
}
