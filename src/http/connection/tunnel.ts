import { request as httpRequest, STATUS_CODES } from "node:http";

import type { buildConnector } from "undici";

import type { Proxy } from "../proxies.ts";
import { rootCause } from "./faults.ts";

/** The error code for a proxy that wants other credentials than it was given. */
const PROXY_CREDENTIALS = "ERR_PROXY_CREDENTIALS";
/** The error code for a proxy that cannot be reached, or does not connect to the target. */
const PROXY_TUNNEL = "ERR_PROXY_TUNNEL";

/**
 * Opens connections through an HTTP proxy, which it asks for a tunnel (CONNECT, RFC 9110 §9.3.6). It does so for plain HTTP
 * too, because a proxy that forwards single requests changes them, and answers some in place of the target.
 * @param toProxy opens a connection to the proxy
 * @param begin begins TLS on the connection to a target with https
 * @param timeoutMs how long to wait for the tunnel
 */
export function tunnelThrough(
  proxy: Proxy,
  toProxy: buildConnector.connector,
  begin: buildConnector.connector,
  timeoutMs: number,
): buildConnector.connector {
  const { protocol, hostname, host, port } = proxy.url;
  const address = { protocol, hostname: hostname.replaceAll(/[[\]]/g, ""), host, port };
  return (options, callback) => {
    const authority = authorityOf(options);
    const fail = (code: string, why: string): void => {
      const message = `the proxy ${host} gives no connection to ${authority}: ${why}`;
      callback(Object.assign(new Error(message), { code }), null);
    };
    toProxy(address, (error, socket) => {
      if (error) {
        fail(PROXY_TUNNEL, rootCause(error).message);
        return;
      }
      const request = httpRequest({
        method: "CONNECT",
        path: authority,
        headers: {
          host: authority,
          // Node would ask to close the connection.
          connection: "keep-alive",
          ...(proxy.authorization !== undefined && { "proxy-authorization": proxy.authorization }),
        },
        createConnection: () => socket,
      });
      const timer = setTimeout(
        () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
      request.once("error", ({ message }) => {
        clearTimeout(timer);
        fail(PROXY_TUNNEL, message);
      });
      request.once("connect", ({ statusCode = 0 }, _socket, head: Buffer) => {
        clearTimeout(timer);
        if (statusCode < 200 || statusCode >= 300) {
          socket.destroy();
          const code = statusCode === 407 ? PROXY_CREDENTIALS : PROXY_TUNNEL;
          fail(code, `${statusCode} ${STATUS_CODES[statusCode] ?? ""}`.trim());
          return;
        }
        if (head.length > 0) socket.unshift(head);
        if (options.protocol === "https:") begin({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      });
      request.end();
    });
  };
}

/** Host and port, as CONNECT names a target. */
function authorityOf({ hostname, protocol, port }: buildConnector.Options): string {
  const name = hostname.includes(":") ? `[${hostname}]` : hostname;
  return `${name}:${port || (protocol === "https:" ? 443 : 80)}`;
}
