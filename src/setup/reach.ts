import { KNOCK } from "../contract/ids.ts";
import type { HttpClient } from "../http/client.ts";
import { clockOffsetSeconds } from "../http/date-offset.ts";
import type { IncompleteBody } from "../http/exchange.ts";
import { SuiteError } from "../lib/errors.ts";
import { inWords } from "../probe/phrase.ts";
import { describeReply } from "../probe/reception.ts";
import type { Target } from "../profile/target.ts";
import { connectionAdvice, wantsTls } from "./connection-advice.ts";
import type { SetupFault } from "./fault.ts";

/**
 * Sends the first request of a run, without credentials, to learn whether the deployment answers and what time it has.
 * @returns seconds that the deployment's clock is ahead, by its `Date` header; `undefined` without one
 * @throws SuiteError when there is no HTTP response
 * @throws Interrupted
 */
export async function preflight(target: Target, http: HttpClient): Promise<number | undefined> {
  const found = await knock(target, http);
  if ("fault" in found)
    throw new SuiteError("ERR_TARGET_UNREACHABLE", found.fault.problem, {
      hint: found.fault.remedy,
    });
  return found.clockOffsetSeconds;
}

/**
 * Like `preflight`, but returns a fault instead of throwing SuiteError.
 * @throws Interrupted
 */
export async function knock(
  target: Target,
  http: HttpClient,
): Promise<{ readonly clockOffsetSeconds: number | undefined } | { readonly fault: SetupFault }> {
  const reply = await http.send(
    { method: "GET", path: `${target.basePath}/orgs`, headers: [] },
    { caseId: KNOCK },
  );
  const { fault } = reply.exchange;
  const refused = wantsTls(reply, target);
  if (!fault && !refused) return { clockOffsetSeconds: clockOffsetSeconds(reply) };
  if (fault?.body) {
    const { missing, remedy } = explainIncomplete(fault.body);
    const problem = http.redact(
      `${target.baseUrl} does not complete its answer ${fault.status}: ${missing}`,
    );
    return { fault: { check: "reachable", side: "deployment", problem, remedy } };
  }
  return {
    fault: {
      check: fault?.kind === "tls" ? "tls" : "reachable",
      problem: http.redact(`${target.baseUrl} cannot be reached: ${inWords(describeReply(reply))}`),
      ...connectionAdvice(reply, target),
    },
  };
}

/** What is missing of an incomplete body, and what to change for that, in the words of reports. */
export function explainIncomplete({ arrived, announced }: IncompleteBody): {
  readonly missing: string;
  readonly remedy: string;
} {
  return announced === undefined
    ? {
        missing: `the body neither ends nor has a length, and ${arrived} bytes of it came`,
        remedy:
          "Look in the deployment for what does not end the answer, perhaps an error handler that only begins one.",
      }
    : {
        missing: `\`Content-Length\` announces ${announced} bytes, and ${arrived} came`,
        remedy:
          "Let the server compute `Content-Length`, or count the bytes that are sent: it is wrong where characters are counted, or where something later changes the body or does not send all of it.",
      };
}
