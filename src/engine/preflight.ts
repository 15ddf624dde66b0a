import { UserError } from "../errors.ts";
import type { HttpClient } from "../http/client.ts";
import type { Fault, Reply } from "../http/exchange.ts";
import { describeReply } from "../probe/reception.ts";
import type { Target } from "../profile/target.ts";

/** `Date` is cut to the second. */
const DATE_GRAIN_MS = 1000;

/**
 * The first request of a run, without credentials: is anybody there, and what time is it there?
 * @returns seconds that the deployment's clock is ahead, by its `Date` header; `undefined` without one
 * @throws UserError when there is no HTTP answer at all
 * @throws Interrupted
 */
export async function preflight(target: Target, http: HttpClient): Promise<number | undefined> {
  const reply = await http.send(
    { method: "GET", path: `${target.basePath}/orgs`, headers: [] },
    { case: "preflight/reachable" },
  );
  const { fault } = reply.exchange;
  if (fault) {
    throw new UserError(
      http.redact(`${target.baseUrl} cannot be reached: ${describeReply(reply)}`),
      { hint: hint(fault, target) },
    );
  }
  return clockOffsetSeconds(reply);
}

function hint({ kind, message }: Fault, { origin }: Target): string {
  if (kind !== "tls") {
    return "Check the base URL, that the deployment is running, and the proxy variables of the environment.";
  }
  return /WRONG_VERSION_NUMBER|wrong version number|packet length/i.test(message)
    ? `Nobody speaks TLS there; is it ${origin.replace("https:", "http:")}?`
    : "If the certificate is from an authority of your own, name its file in the profile: request.ca.";
}

/** None where the answer may have been made at a time at which the clock was right: until it came. */
function clockOffsetSeconds({ headers, exchange }: Reply): number | undefined {
  const ageSeconds = /^\d{1,9}$/.test(headers["age"] ?? "") ? Number(headers["age"]) : 0;
  const date = Date.parse(headers["date"] ?? "") + ageSeconds * 1000;
  if (Number.isNaN(date)) return undefined;
  const sent = Date.parse(exchange.startedAt);
  const least = date - (sent + exchange.durationMs);
  const most = date + DATE_GRAIN_MS - sent;
  return least <= 0 && most >= 0 ? 0 : Math.round((least + most) / 2000);
}
