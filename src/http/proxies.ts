import { BlockList, isIP } from "node:net";

import { SuiteError } from "../lib/errors.ts";
import { isLoopbackHost } from "../lib/uri.ts";

export interface Proxy {
  readonly url: URL;
  /** The variable that names it, as it is spelled. */
  readonly variable: string;
  /** The value of Proxy-Authorization. Must never be recorded. */
  readonly authorization: string | undefined;
}

/** The variables that name the proxy for a scheme. The first one that is set applies, in lower case before upper case. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  "http:": ["http_proxy", "all_proxy"],
  "https:": ["https_proxy", "all_proxy", "http_proxy"],
};
const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };
const SCHEME = /^([a-z][a-z\d+.-]*):\/\//i;

/**
 * The proxy for requests to an origin; `undefined` where they go directly, as those to this machine always do. A value
 * without a scheme is an `http:` proxy.
 * @throws SuiteError when the variable that applies does not name an HTTP proxy
 */
export function proxyFor(
  origin: string,
  environment: NodeJS.ProcessEnv = process.env,
): Proxy | undefined {
  const url = new URL(origin);
  const variable = spellings(VARIABLES[url.protocol]).find((name) => environment[name]);
  const [exempt] = spellings(["no_proxy"]).flatMap((name) => environment[name] || []);
  if (variable === undefined || isLoopbackHost(url.hostname) || isExempt(url, exempt)) {
    return undefined;
  }
  return parsed(variable, environment[variable] ?? "");
}

function spellings(names: readonly string[] = []): string[] {
  return names.flatMap((name) => [name, name.toUpperCase()]);
}

function parsed(variable: string, value: string): Proxy {
  const [, scheme = "http"] = SCHEME.exec(value) ?? [];
  try {
    if (!/^https?$/i.test(scheme)) throw new Error(`${scheme} is no scheme of HTTP`);
    const url = new URL(SCHEME.test(value) ? value : `http://${value}`);
    const credentials = [url.username, url.password].map(decodeURIComponent).join(":");
    const authorization =
      credentials === ":" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
    return { url, variable, authorization };
  } catch (cause) {
    // The value may hold a password, so the message does not show it.
    const found = /^socks/i.test(scheme) ? "names a SOCKS proxy" : "does not name an HTTP proxy";
    throw new SuiteError("ERR_PROXY", `The environment variable ${variable} ${found}`, {
      hint: "Set it to a URL such as http://user:password@proxy.example:3128, special characters percent-encoded. For a direct connection list the host in NO_PROXY.",
      cause,
    });
  }
}

/** Whether a list of hosts, domains and address ranges, each perhaps with a port, has the host of a URL. */
function isExempt({ protocol, hostname, port }: URL, list = ""): boolean {
  const host = withoutBrackets(hostname).replace(/\.$/, "");
  return list.split(/[,\s]+/).some((entry) => {
    const isRange = isIP(entry.split("/", 1)[0] ?? "") > 0;
    const [, name = "", its = ""] = isRange
      ? ["", entry]
      : (/^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []);
    if (its !== "" && its !== (port || DEFAULT_PORTS[protocol])) return false;
    const known = withoutBrackets(name);
    return (
      known === "*" ||
      known === host ||
      (known !== "" && host.endsWith(`.${known}`)) ||
      isInRange(host, known)
    );
  });
}

function isInRange(host: string, range: string): boolean {
  const [network = "", prefix] = range.split("/");
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family) return false;
  const bits = family === 6 ? 128 : 32;
  const length = Number(prefix ?? bits);
  if (!Number.isInteger(length) || length < 0 || length > bits) return false;
  const list = new BlockList();
  list.addSubnet(network, length, family === 6 ? "ipv6" : "ipv4");
  return list.check(host, family === 6 ? "ipv6" : "ipv4");
}

function withoutBrackets(host: string): string {
  return host.replaceAll(/[[\]]/g, "");
}
