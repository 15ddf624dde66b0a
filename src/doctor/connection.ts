import type { Target } from "../profile/target.ts";
import {
  type Bench,
  blockingFault,
  broken,
  type Check,
  link,
  ok,
  unknown,
  waiting,
} from "./check.ts";

const REACHABLE = { id: "connection.reachable", title: "Reachable" };
const TLS = { id: "connection.tls", title: "TLS" };
const REDIRECT = { id: "connection.redirect", title: "No redirect" };
const AVAILABLE = { id: "connection.available", title: "Available" };
const RECEIVER = { id: "connection.answers", title: "Receiver" };
const CLOCK = { id: "connection.clock", title: "Clock" };

export function connectionChecks(bench: Bench): Check[] {
  const { target, setup } = bench;
  const fault = blockingFault(setup);
  return [
    link("reachable", REACHABLE, fault, target.origin),
    target.origin.startsWith("https:")
      ? link("tls", TLS, fault, certificate(target))
      : ok(TLS, "none, plain http: tokens travel unencrypted"),
    link("redirect", REDIRECT, fault, "answered without a redirect"),
    link("available", AVAILABLE, fault, "neither rate limited nor broken"),
    link("answers", RECEIVER, fault, `there is one at ${target.baseUrl}`),
    clockCheck(bench),
  ];
}

function certificate({ request: { ca } }: Target): string {
  return ca === undefined
    ? "this machine trusts the certificate"
    : "the certificate is trusted, request.ca included";
}

function clockCheck({ session, setup }: Bench): Check {
  const fault = setup.faults.find(({ check }) => check === "clock");
  if (fault) return broken(CLOCK, fault);
  const blocking = blockingFault(setup);
  if (blocking?.check === "reachable" || blocking?.check === "tls") {
    return waiting(CLOCK, blocking);
  }
  const { clockOffsetSeconds: offset } = session;
  return offset === undefined
    ? unknown(CLOCK, "no answer has a Date header to compare with")
    : ok(CLOCK, `${Math.abs(offset)} s off, by the Date header`);
}
