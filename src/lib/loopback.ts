import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Whether a host name always means this machine: 127.0.0.0/8, ::1, and the localhost names of RFC
 * 6761 §6.3.
 * @param hostname as `URL.hostname` gives it, with IPv6 in brackets
 */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, "").toLowerCase();
  const family = isIP(host);
  if (family === 0) return host === "localhost" || host.endsWith(".localhost");
  return loopback.check(host, family === 4 ? "ipv4" : "ipv6");
}
