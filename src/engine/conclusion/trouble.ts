import { OPERATIONS } from "../../contract/operations.ts";
import { BODY_LIMIT_BYTES } from "../../http/connection/body.ts";
import type { Exchange, Fault, IncompleteBody } from "../../http/exchange.ts";
import { type Lost, MOST_BYTES } from "../../http/persistence/lost-time.ts";
import type { Crash } from "../../http/persistence/outage.ts";
import { groupBy, itemIf } from "../../lib/group-by.ts";
import { counted } from "../../lib/words.ts";
import type { HeldToFirstUse } from "../../probe/controls/first-use.ts";
import type { RefusedForAMoment } from "../../probe/controls/moments.ts";
import {
  countFact,
  inWords,
  phrase,
  type Phrase,
  tallyFact,
  valueFact,
} from "../../probe/phrase.ts";
import { describeReply } from "../../probe/reception.ts";
import type { Target } from "../../profile/target.ts";
import { explainIncomplete } from "../../setup/reach.ts";
import type { Observation, SetupProblem } from "../events.ts";
import { SERVERS } from "./waits.ts";

/** Why good tokens were refused, as a clause: the operation of their first use decided. */
export function firstUseInWords({ first, next, refused }: HeldToFirstUse): string {
  return `${counted(refused, "good token")} that ${named(first)} had accepted before ${refused === 1 ? "was" : "were"} refused on ${named(next)}, where a fresh twin is accepted`;
}

/** The set-up problem where the operation of a token's first use decided. */
export function firstUseProblems(summary: HeldToFirstUse): SetupProblem[] {
  return [
    {
      problem: `${firstUseInWords(summary)}. What was decided for a token on one route is applied to others.`,
      remedy:
        "Look for a cache of decisions whose key is the token alone, such as a gateway that caches the policy of the first route. Add the route to the key, or switch the cache off, and run again.",
    },
  ];
}

function named(id: HeldToFirstUse["first"]): string {
  const { method, path } = OPERATIONS[id];
  return `${method} ${path}`;
}

/** The set-up problem where good requests were refused for a moment: it says first what happened. */
export function momentProblems(summary: RefusedForAMoment | undefined): SetupProblem[] {
  if (!summary) return [];
  return [
    {
      problem: `${inWords(told(summary))}. The same requests had been accepted before, so what was answered in that time proves nothing.`,
      remedy: summary.isBlock
        ? "Find out what refused them then: a firewall that blocks a client after some refusals, a lock after wrong tokens, or a limit on fetching the JWKS. Lift it for the suite, and run again."
        : "Good requests right before and after them were accepted, so no block of the client fits. Look for what the receiver keeps between requests, such as a cache of answers or tokens, and for replicas that do not agree. Then run again.",
    },
  ];
}

/** The moments in which good requests were refused, as an observation whose counts and times are facts. */
export function observedMoments(summary: RefusedForAMoment | undefined): Observation[] {
  if (!summary) return [];
  return [
    { id: "answers.refused-good", title: "Good requests that were refused", value: told(summary) },
  ];
}

function told({ refused, good, statuses, from, to, refusalsBefore }: RefusedForAMoment): Phrase {
  return phrase`${refused} of ${countFact(good, "good request")} were refused, between ${valueFact(from)} and ${valueFact(to)}, after ${countFact(refusalsBefore, "refusal")}: ${tallyFact(statuses)}`;
}

/** The most requests that a problem names. There may be one for each operation. */
const MOST_NAMED = 3;

/** The set-up problems where requests brought the deployment down, which come first. */
export function crashProblems(outages: {
  readonly crashes: readonly Crash[];
  readonly isGone: boolean;
}): SetupProblem[] {
  const cases = [...new Set(outages.crashes.map((crash) => crash.caseId))];
  const shown = cases.slice(0, MOST_NAMED).join(", ");
  const more = cases.length > MOST_NAMED ? ` and ${cases.length - MOST_NAMED} more` : "";
  return [
    ...itemIf(cases.length > 0, {
      problem: `Single requests bring the deployment down: ${shown}${more}. Sent alone, each got no answer, and the deployment then refused connections.`,
      remedy:
        "Anybody can send such a request. Look in the deployment's log for an uncaught error, perhaps in the code that finds the key of a token, and answer such a token like any other bad token.",
    }),
    ...itemIf(outages.isGone, {
      problem:
        "The deployment stopped accepting connections during the run, and did not come back within half a minute.",
      remedy:
        "Start it again, and run the suite again. Where a request can bring it down, have a supervisor restart it.",
    }),
  ];
}

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
        ? `If it is only slow, raise \`request.timeoutMs\` in the profile, or send less at once: --concurrency, ${key}.maxRequestsPerSecond. Otherwise look for what does not answer, or does not end the answers.`
        : `Look for what makes the answers so long, or cuts them off; requests have the header \`Conformance-Case: ${exchange.caseId}\`.`,
  };
}

/** Fewer incomplete answers may be an accident of the network. */
const MANY = 3;

type IncompleteExchange = Exchange & { readonly fault: Fault & { readonly body: IncompleteBody } };

/**
 * The set-up problems where most answers of a kind are incomplete, RFC 9112 §8. No rule can judge such an answer: the
 * deployment had decided, but did not finish what it had to say.
 * @param exchanges of the whole run
 */
export function incompleteProblems(exchanges: readonly Exchange[]): SetupProblem[] {
  const byStatus = groupBy(exchanges, ({ response, fault }) => response?.status ?? fault?.status);
  return [...byStatus].flatMap(([status, all]) => {
    const places = groupBy(all, ({ operation }) => operation ?? "other requests");
    /** The places to which most answers are incomplete. */
    const broken = [...places].filter(
      ([, answers]) => answers.filter(isIncomplete).length * 2 > answers.length,
    );
    const answers = broken.flatMap(([, ofPlace]) => ofPlace);
    const incomplete = answers.filter(isIncomplete);
    const [example] = incomplete;
    if (!example || incomplete.length < MANY) return [];
    const { missing, remedy } = explainIncomplete(example.fault.body);
    const where = broken.map(([place]) => place).join(", ");
    return [
      {
        problem: `${incomplete.length} of ${counted(answers.length, "answer")} with ${status} ${incomplete.length === 1 ? "was" : "were"} incomplete, to ${where}: ${missing}, for example to ${example.caseId}. Every client waits for the rest in vain.`,
        remedy,
      },
    ];
  });
}

function isIncomplete(exchange: Exchange): exchange is IncompleteExchange {
  return exchange.fault?.body !== undefined;
}
