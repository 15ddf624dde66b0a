import type { OperationId } from "../../../src/contract/operations.ts";
import type { InvalidMutation, Mutation } from "../../../src/mutations/mutation.ts";
import { custom, type MutationCase } from "../../../src/probe/cases.ts";
import { besideControl, Finding } from "../../../src/probe/finding.ts";
import { queryOf, withQuery } from "../../../src/probe/pagination/page.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { AttemptOptions, Fixture, Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import { type CollectionId, COLLECTIONS } from "../../shared/collection.ts";
import {
  afterTokenless,
  alsoChanged,
  type CheckOptions,
  inWay,
  rejectOptions,
  usedOrAnew,
} from "./check-options.ts";

/**
 * Requests for a page of a collection. The checks of a receiver may apply to the first page alone, or to a URL without a
 * query.
 */

/** The second page of one item, or the first where there is no second one. */
const QUERIES = [queryOf(2, 1), queryOf(1, 1)];

/**
 * A case for a mutation on each collection, named `<mutation>-paged@<operation>`: it must be rejected where the same request
 * with a good token is accepted.
 */
export function rejectsPaged(
  mutation: InvalidMutation,
  wanted: CheckOptions = {},
  operations: readonly CollectionId[] = COLLECTIONS,
): RuleCase[] {
  const paged = inWay(mutation, "paged", "the request asks for a page");
  const judge = async (probe: Probe, { operation }: MutationCase): Promise<Finding> => {
    const options = rejectOptions(probe, wanted);
    // Nobody may be served a page of the denied organization.
    const served = await usedOrAnew(probe, servedPage(operation, options.bound));
    if ("kind" in served) return served;
    const finding = await probe.rejects(alsoChanged(paged, served.page), options);
    // The good request for the same page has the query too.
    return besideControl(finding, served.exchange, ({ part }) => part !== "path");
  };
  return custom(operations, [paged], judge, afterTokenless(mutation, "paged"));
}

interface ServedPage {
  /** The request for the page, as a mutation. */
  readonly page: Mutation;
  /** Id of the exchange in which a good token was served. */
  readonly exchange: string;
}

/** The page that a good token is served, or why there is none. It is asked for once in a run, for all checks. */
function servedPage(
  operation: OperationId,
  bound: AttemptOptions["bound"],
): Fixture<ServedPage | Finding> {
  return {
    name: `served page ${operation}${bound === undefined ? "" : ` bound ${bound}`}`,
    scope: "run",
    async setup(probe) {
      let refused: Finding | undefined;
      for (const query of QUERIES) {
        const page = withQuery(query);
        const { reply, evidence } = await probe.attempt(page, { operation, bound });
        const received = reception(reply);
        if (received === "accepted") return { page, exchange: reply.exchange.id };
        const said = phrase`${{ kind: "query", query }}: ${describeReply(reply)}`;
        if (received === "unclear") return Finding.inconclusive(said, evidence);
        refused = Finding.notApplicable(said);
      }
      return refused ?? Finding.notApplicable(phrase`no page is served`);
    },
  };
}
