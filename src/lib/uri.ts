import { BlockList, isIPv4 } from "node:net";

/** Adds a percent-encoded query such as `page=2` to a path or URI without fragment. */
export function addQuery(uri: string, query: string): string {
  return `${uri}${uri.includes("?") ? "&" : "?"}${query}`;
}

/** Whether a value is a URL, apart from a slash at the end of either. */
export function isEqualUpToSlash(value: unknown, url: string): value is string {
  return typeof value === "string" && withoutSlash(value) === withoutSlash(url);
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Whether a host name always means this machine: 127.0.0.0/8, ::1, and the localhost names of RFC 6761 §6.3.
 * @param hostname as `URL.hostname` gives it, with IPv6 in brackets
 */
export function isLoopbackHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return loopback.check(hostname.slice(1, -1), "ipv6");
  const host = hostname.replace(/\.$/, "").toLowerCase();
  if (isIPv4(host)) return loopback.check(host, "ipv4");
  return host === "localhost" || host.endsWith(".localhost");
}
