import { OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import { SECOND_TRIES, tryAgain } from "../../src/http/second-tries.ts";
import { Finding } from "../../src/probe/finding.ts";
import type { Disagreement } from "../../src/probe/openapi/document-log.ts";
import { listFact, type Phrase, phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { describeReply } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { toldFact } from "../../src/probe/told-exchange.ts";
import { WRITE_LIMIT_REACHED } from "../../src/probe/write/not-sent.ts";
import type { DeploymentDocument, DocumentedRoute } from "../../src/profile/document.ts";
import { judgeDocumented } from "../shared/documented.ts";
import { haveErrors } from "../shared/recorded-errors.ts";

/** The published case is of a document that named other shapes, status codes and media types than were sent. */
const SOURCE = "OpenAPI 3.1 sections 4.8.16 and 4.8.17; LeanerCloud/CUDly#1980";

const PARTS = [
  {
    id: "success",
    title: "each good answer has a status, a media type and a body that the document declares",
  },
  { id: "error", title: "each declared error has the document's media type and shape" },
  // A document need not declare every error, OpenAPI 3.1 section 4.8.16.
  { id: "undeclared", title: "errors that the document does not declare", level: "OBSERVE" },
] as const;
type Part = (typeof PARTS)[number]["id"];

/** The most disagreements that are listed. */
const MOST_TOLD = 3;
const LONGEST_PATTERN = 80;

export const rule: Rule = defineRule({
  id: "document.responses",
  title: "The deployment's answers match its document",
  level: "SHOULD",
  verifies: ["endpoints.error-body"],
  phase: "record",
  dependsOn: [
    "errors.shape",
    "errors.status",
    "errors.not-found",
    "pagination.results-info",
    "resources.list",
    "resources.view",
    "resources.feed",
    "resources.change",
  ],
  cases: () =>
    OPERATION_IDS.flatMap((operation) =>
      PARTS.map(({ id: part, ...one }): RuleCase => ({
        ...one,
        id: `${part}@${operation}`,
        operation,
        grounds: { source: SOURCE },
        control: { bracket: "before" },
        judge: (probe) =>
          judgeDocumented(probe, operation, (documented, document) =>
            judgeAnswers(probe, operation, part, documented, document),
          ),
      })),
    ),
});

async function judgeAnswers(
  probe: Probe,
  operation: OperationId,
  part: Part,
  documented: DocumentedRoute,
  document: DeploymentDocument,
): Promise<Finding> {
  if (part === "success") await probe.control(operation);
  else await haveErrors(probe, operation);
  const seen = await probe.seen.documentLog.seen(operation, part);
  const { answers, unusable, unjudged, limit, example, disagreements } = seen;
  const [worst] = disagreements;
  const probes = disagreements
    .slice(0, MOST_TOLD)
    .flatMap(({ exchanges }) => exchanges.slice(0, 1));
  if (part === "undeclared") {
    const statuses = disagreements.map(({ problem }) => problem).toSorted();
    return statuses.length === 0
      ? Finding.pass(undefined, phrase`none was seen`)
      : Finding.observed(phrase`${statuses.join(", ")}`, { probes });
  }
  if (!worst && unusable !== undefined) {
    const reason = phrase`the document has an unusable schema, ${unusable}`;
    return Finding.inconclusive(reason, { probes: example === undefined ? [] : [example] });
  }
  if (!worst) {
    if (limit !== undefined) return Finding.inconclusive(phrase`${limit}`);
    if (answers === 0)
      return Finding.inconclusive(phrase`no answer of ${operation} to compare was seen`);
    return {
      kind: "pass",
      ...(unjudged.length > 0 && { reason: phrase`${notJudged(unjudged)}` }),
      evidence: { probes: example === undefined ? [] : [example] },
    };
  }
  if (part === "success" && probe.seen.documentLog.spoiled) {
    const reason = phrase`a body that is declared invalid was accepted, and answers may contain it`;
    return Finding.inconclusive(reason, { probes });
  }
  if (probe.confirming && worst.exchanges.length === 1) {
    const doubt = await tryAgain<Finding | undefined>(
      SECOND_TRIES.oneAnswer,
      Finding.inconclusive(phrase`it was seen only once`),
      (last) => last !== undefined,
      () => unlessAgain(worst, operation, document),
      probe.wait,
    );
    if (doubt) return doubt;
  }
  return {
    kind: "fail",
    expected: phrase`what the document says of ${documented.path}`,
    actual: phrase`${listFact(disagreed(disagreements, answers), "; ")}`,
    evidence: { probes },
  };
}

/**
 * Sends a request again whose answer disagreed.
 * @returns why that confirms nothing; `undefined` where the answer disagrees in the same way
 */
async function unlessAgain(
  { again, problem }: Disagreement,
  operation: OperationId,
  document: DeploymentDocument,
): Promise<Finding | undefined> {
  const reply = await again();
  if (!reply) return WRITE_LIMIT_REACHED;
  const answer = await document.compare(operation, reply);
  if (answer?.problem === problem) return undefined;
  return Finding.inconclusive(phrase`asked again: ${answer?.problem ?? describeReply(reply)}`);
}

function notJudged(patterns: readonly string[]): string {
  const told = patterns.slice(0, MOST_TOLD).map((one) => one.slice(0, LONGEST_PATTERN));
  return `the suite cannot apply the pattern ${told.join(" and ")}`;
}

function disagreed(disagreements: readonly Disagreement[], answers: number): Phrase[] {
  const shown = disagreements
    .slice(0, MOST_TOLD)
    .map(
      ({ problem, exchanges, example }) =>
        phrase`${problem} (${exchanges.length} of ${answers}), for example ${toldFact(example)}`,
    );
  const more = disagreements.length - shown.length;
  return more > 0 ? [...shown, phrase`and ${more} more`] : shown;
}
