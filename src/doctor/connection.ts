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

/** @param serverOffset how many seconds the authorization server's clock is ahead of this machine's, where that is known */
export function connectionChecks(bench: Bench, serverOffset?: number): Check[] {
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
    clockCheck(bench, serverOffset),
  ];
}

function certificate({ request: { ca } }: Target): string {
  return ca === undefined
    ? "this machine trusts the certificate"
    : "the certificate is trusted, `request.ca` included";
}

function clockCheck({ session, setup }: Bench, serverOffset: number | undefined): Check {
  const fault = setup.faults.find(({ check }) => check === "clock");
  if (fault) {
    const problem = `${fault.problem}${thirdClock(session.clockOffsetSeconds ?? 0, serverOffset)}`;
    return broken(CLOCK, { ...fault, problem });
  }
  const blocking = blockingFault(setup);
  if (blocking?.check === "reachable" || blocking?.check === "tls") {
    return waiting(CLOCK, blocking);
  }
  const { clockOffsetSeconds: offset } = session;
  return offset === undefined
    ? unknown(CLOCK, "no answer has a Date header to compare with")
    : ok(CLOCK, `${Math.abs(offset)} s off, by the Date header`);
}

/** Clocks that are no further apart agree, in seconds. */
const AGREES_SECONDS = 5;

/** With which of two clocks that differ the authorization server's agrees, as a further sentence. */
function thirdClock(offset: number, serverOffset: number | undefined): string {
  if (serverOffset === undefined) return "";
  const agreesWith = (other: number): boolean => Math.abs(serverOffset - other) <= AGREES_SECONDS;
  if (agreesWith(offset))
    return " The authorization server's Date header agrees with the deployment's.";
  if (agreesWith(0))
    return " The authorization server's Date header agrees with this machine's clock.";
  return ` The authorization server's Date header is a third time, ${Math.abs(serverOffset)} s ${serverOffset > 0 ? "ahead of" : "behind"} this machine's clock.`;
}
