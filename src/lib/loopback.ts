import { BlockList, isIPv4 } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Whether a host name always means this machine: 127.0.0.0/8, ::1, and the localhost names of RFC
 * 6761 §6.3.
 * @param hostname as `URL.hostname` gives it, with IPv6 in brackets
 */
export function isLoopbackHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return loopback.check(hostname.slice(1, -1), "ipv6");
  const host = hostname.replace(/\.$/, "").toLowerCase();
  if (isIPv4(host)) return loopback.check(host, "ipv4");
  return host === "localhost" || host.endsWith(".localhost");
}
