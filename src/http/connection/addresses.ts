import { lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

import { SuiteError } from "../../lib/errors.ts";
import { isLoopbackHost } from "../../lib/uri.ts";
import type { Origin } from "../origin.ts";

/** The error code for a refused connection to an address that is not public. */
export const NOT_PUBLIC = "ERR_ADDRESS_NOT_PUBLIC";
const HINT = "With --untrusted, such a target is named on the command line as the base URL.";

/** Addresses outside the public internet: RFC 6890, and IPv6 ranges that carry an IPv4 address. */
const notPublic = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["::", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const) {
  notPublic.addSubnet(network, prefix, familyOf(network));
}

/**
 * Whether an IP address belongs to the public internet. An IPv4-mapped address (`::ffff:10.0.0.1`) is
 * judged by its IPv4 address.
 * @param address without brackets; a zone id is ignored
 */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  return !notPublic.check(plain, familyOf(plain));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/**
 * How to resolve the host of a target's origin; `undefined` means the system's resolver. A localhost
 * name always means this machine, whatever the system resolves it to (RFC 6761 §6.3). An untrusted
 * profile gets no connection to an address that is not public.
 * @throws SuiteError where an untrusted profile names an address that is not public
 */
export function lookupFor(target: Origin): LookupFunction | undefined {
  const { hostname } = new URL(target.origin);
  const host = hostname.replaceAll(/[[\]]/g, "");
  const isLoopback = isLoopbackHost(hostname);
  if (!target.untrusted || target.untrusted.named === target.origin) {
    return isLoopback ? loopbackLookup : undefined;
  }
  if (isLoopback || (isIP(host) > 0 && !isPublicAddress(host))) {
    throw new SuiteError(
      "ERR_PROFILE",
      `The profile names ${target.origin}, which is not on the public internet`,
      { hint: HINT },
    );
  }
  return publicLookup;
}

const loopbackLookup: LookupFunction = (_host, { all, family }, callback) => {
  const both = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  const asked = both.filter((one) => !family || family === one.family);
  if (all) callback(null, asked);
  else callback(null, asked[0]?.address ?? "127.0.0.1", asked[0]?.family);
};

/** Connects to exactly the addresses that were checked: a second DNS answer changes nothing. */
const publicLookup: LookupFunction = (host, options, callback) => {
  systemLookup(host, { ...options, all: true }, (error, found) => {
    if (error) {
      callback(error, "");
      return;
    }
    const other = found.find(({ address }) => !isPublicAddress(address));
    const [first] = found;
    if (other || !first) {
      const refused = new Error(
        `${host} is ${other?.address}, not on the public internet. ${HINT}`,
      );
      callback(Object.assign(refused, { code: NOT_PUBLIC }), "");
    } else if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  });
};
