import { BODY_LIMIT_BYTES } from "../../http/connection/body.ts";
import { type Lost, MOST_BYTES } from "../../http/persistence/lost-time.ts";
import { inWords } from "../../probe/phrase.ts";
import { describeReply } from "../../probe/reception.ts";
import type { Target } from "../../profile/target.ts";
import type { SetupProblem } from "../events.ts";
import { SERVERS } from "./waits.ts";

/** The set-up problem where a client gave up, because too many of its requests got no complete answer, or too large ones. */
export function lostProblem(lost: Lost, target: Pick<Target, "origin">): SetupProblem {
  const { origin, unanswered, requests, milliseconds, bytes, example } = lost;
  const { exchange } = example;
  if (bytes > MOST_BYTES) {
    return {
      problem: `The answers of ${origin} to ${requests} requests had more than ${MOST_BYTES / 1024 / 1024} MiB in all, where equal ones count a fifth, and the run ended.`,
      remedy:
        "Look for what makes the answers so large: a list has no more than `pageSize` items. Or let the test subject see fewer organizations and changes.",
    };
  }
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
