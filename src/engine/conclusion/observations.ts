import { checkNumber } from "../../contract/checks.ts";
import type { Exchange } from "../../http/exchange.ts";
import { UNAVAILABLE } from "../../http/statuses.ts";
import { countEach, groupBy } from "../../lib/group-by.ts";
import { countFact, phrase, type Phrase, tallyFact } from "../../probe/phrase.ts";
import type { Session } from "../../probe/session.ts";
import type { CaseResult, Observation } from "../events.ts";
import { observedMoments } from "./trouble.ts";

/** `Date` has a resolution of one second, and answers take time: less means nothing. */
const NOTABLE_OFFSET_SECONDS = 3;

function offsetPhrase(seconds: number): Phrase {
  return Math.abs(seconds) < NOTABLE_OFFSET_SECONDS
    ? phrase`less than ${NOTABLE_OFFSET_SECONDS}, ahead or behind`
    : phrase`${seconds}`;
}

/** Statuses that say nothing about a request. It is sent again, so that they need not show anywhere else. */
const PASSING: ReadonlySet<number> = new Set([429, ...UNAVAILABLE]);

/** How often the deployment, or a gateway in front of it, could not answer; empty where it always could. */
function outages(exchanges: readonly Exchange[]): Observation[] {
  const statuses = exchanges.flatMap(({ response }) => (response ? [response.status] : []));
  const counts = countEach(statuses.filter((one) => PASSING.has(one)).map(String));
  if (counts.size === 0) return [];
  const value = phrase`${tallyFact(counts)}, of ${countFact(statuses.length, "answer")}`;
  return [{ id: "answers.unavailable", title: "Answers of a limit or an outage", value }];
}

/** What this run saw where the contract leaves it open: first of the session, then of its cases. */
export function observe(
  session: Session,
  results: readonly CaseResult[],
  exchanges: readonly Exchange[],
): Observation[] {
  const { clockOffsetSeconds: offset } = session;
  return [
    {
      id: "clock.offset",
      title: "Seconds that the deployment's Date header is ahead of this machine",
      value: offset === undefined ? phrase`no Date header` : offsetPhrase(offset),
    },
    ...[...groupBy(session.seen.rejections, ({ check }) => checkNumber(check))]
      .toSorted(([a], [b]) => a - b)
      .map(([check, rejections]) => ({
        id: `check-${check}.status`,
        title: `Status for a request that fails receiver check ${check}`,
        value: phrase`${tallyFact(countEach(rejections.map(({ status }) => String(status))))}`,
      })),
    ...outages(exchanges),
    ...observedMoments(session.seen.moments.summary()),
    ...session.seen.statistics(),
    ...results
      .filter(({ outcome }) => outcome === "observed")
      .flatMap(({ id, title, actual }) =>
        actual === undefined ? [] : [{ id, title: title ?? id, value: actual }],
      ),
  ];
}
