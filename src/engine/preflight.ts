import { UserError } from "../errors.ts";
import type { HttpClient } from "../http/client.ts";
import { describeReply } from "../probe/reception.ts";
import type { Target } from "../profile/target.ts";

/**
 * The first request of a run, without credentials: is anybody there, and what time is it there?
 * @returns seconds that the deployment's clock is ahead, by its `Date` header; `undefined` without one
 * @throws UserError when there is no HTTP answer at all
 */
export async function preflight(target: Target, http: HttpClient): Promise<number | undefined> {
  const before = Date.now();
  const reply = await http.send(
    { method: "GET", path: `${target.basePath}/orgs`, headers: [] },
    { case: "preflight/reachable" },
  );
  const { fault } = reply.exchange;
  if (fault?.kind === "cancelled") return undefined;
  if (fault) {
    throw new UserError(`${target.baseUrl} cannot be reached: ${describeReply(reply)}`, {
      hint:
        fault.kind === "tls"
          ? "If the certificate is from an authority of your own, name its file in the profile: request.ca."
          : "Check the base URL, that the deployment is running, and the proxy variables of the environment.",
    });
  }
  const date = Date.parse(reply.headers["date"] ?? "");
  if (Number.isNaN(date)) return undefined;
  // Date is cut to the second: on average it is half a second behind.
  return Math.round((date + 500 - (before + Date.now()) / 2) / 1000);
}
