import { OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import type { RuleCase } from "../../src/probe/rule.ts";
import {
  type DeploymentDocument,
  type DocumentedRoute,
  DocumentLimit,
} from "../../src/profile/document.ts";
import { offered } from "./kind.ts";

/**
 * A case about the document's description of each offered operation that it has, `<id>@<operation>`. It sends nothing, so it has
 * no `operation`.
 * @param source what says that the document has to agree, with a published case of one that did not
 */
export function onDocumented(
  id: string,
  source: string,
  judge: (
    operation: OperationId,
    documented: DocumentedRoute,
    document: DeploymentDocument,
  ) => Finding | Promise<Finding>,
): RuleCase[] {
  return OPERATION_IDS.map((operation) => ({
    id: `${id}@${operation}`,
    grounds: { source },
    judge: (probe) =>
      judgeDocumented(probe, operation, (documented, document) =>
        judge(operation, documented, document),
      ),
  }));
}

/**
 * Judges by the document where there is one. The finding is inconclusive where it could not be read,
 * or where judging takes too much time or memory.
 */
export async function judgeByDocument(
  { document }: Probe,
  judge: (document: DeploymentDocument) => Finding | Promise<Finding>,
): Promise<Finding> {
  if (!document) return Finding.notApplicable(phrase`the profile names no OpenAPI document`);
  if (document.unread !== undefined) return Finding.inconclusive(phrase`${document.unread}`);
  try {
    return await judge(document);
  } catch (error) {
    if (error instanceof DocumentLimit) return Finding.inconclusive(phrase`${error.message}`);
    throw error;
  }
}

/**
 * Judges the document's description of an operation that the deployment offers. Not applicable where
 * the document lacks the route.
 */
export function judgeDocumented(
  probe: Probe,
  operation: OperationId,
  judge: (documented: DocumentedRoute, document: DeploymentDocument) => Finding | Promise<Finding>,
): Promise<Finding> {
  return judgeByDocument(probe, (document) => {
    offered(probe, operation);
    const documented = document.operations[operation];
    return documented
      ? judge(documented, document)
      : Finding.notApplicable(phrase`the document does not have the route`);
  });
}
