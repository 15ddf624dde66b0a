import { BODY_LIMIT_BYTES } from "../../http/connection/body.ts";
import type { Lost } from "../../http/persistence/lost-time.ts";
import { inWords } from "../../probe/phrase.ts";
import { describeReply } from "../../probe/reception.ts";
import type { Target } from "../../profile/target.ts";
import type { SetupProblem } from "../events.ts";
import { SERVERS } from "./waits.ts";

/** The set-up problem where a client gave up, because too many of its requests got no complete answer. */
export function lostProblem(
  { origin, unanswered, requests, milliseconds, example }: Lost,
  target: Pick<Target, "origin">,
): SetupProblem {
  const { exchange } = example;
  const what = exchange.fault
    ? inWords(describeReply(example))
    : `a body of more than ${BODY_LIMIT_BYTES / 1024 / 1024} MiB`;
  const { key } = SERVERS[origin === target.origin ? "receiver" : "authorization-server"];
  return {
    problem: `${unanswered} of ${requests} requests to ${origin} got no complete answer, for example ${exchange.caseId}: ${what}. The run lost ${Math.round(milliseconds / 1000)} s with them, and ended.`,
    remedy:
      exchange.fault?.kind === "timeout"
        ? `If it is only slow, raise request.timeoutMs in the profile, or send less at once: --concurrency, ${key}.maxRequestsPerSecond. Otherwise look for what does not answer, or does not end the answers.`
        : `Look for what makes the answers so long, or cuts them off; requests have the header Conformance-Case: ${exchange.caseId}.`,
  };
}
