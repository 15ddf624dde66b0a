import { controlledOperation } from "../../../src/contract/ids.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { listFact, phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";

const MOST_NAMED = 5;

/**
 * Judges from what the run has seen that no request ends what answers the others. It sends nothing. A request counts that lost its
 * connection, was sent alone then, lost it again, and after which connections were refused until the deployment was back. Where
 * others were accepted at once, one of several processes may have ended, and only the first time shows it, which is observed.
 */
export function endedByNone({ outages }: Probe): Finding {
  const { crashes, isGone, lostAgain } = outages;
  const twice = crashes.filter(({ caseId, times }) => times > 1 && isBad(caseId));
  if (twice.length > 0 && !isGone) {
    const names = shown(twice.map(({ caseId }) => caseId));
    return {
      kind: "fail",
      expected: phrase`a request ends no process, so that requests on other connections are answered`,
      actual: phrase`twice, requests on other connections got no answer after one of these, until the deployment accepted connections again: ${names}`,
      certainty: "many",
    };
  }
  const names = [...crashes.map(({ caseId }) => caseId), ...lostAgain].filter(isBad);
  return names.length === 0
    ? Finding.notApplicable(phrase`no request took the connections of others with it`)
    : Finding.observed(
        phrase`lost their connections together with others, and then alone: ${shown(names)}`,
      );
}

/** Good requests are sent again until they are answered, so others are to blame. */
function isBad(caseId: string): boolean {
  return controlledOperation(caseId) === undefined;
}

function shown(names: readonly string[]): ReturnType<typeof listFact> {
  const each = [...new Set(names)];
  const more = each.length - MOST_NAMED;
  const named = each.slice(0, MOST_NAMED);
  return listFact(more > 0 ? [...named, `${more} more`] : named);
}
