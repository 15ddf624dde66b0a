import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { judgeByDocument, judgeDocumented } from "../shared/documented.ts";

export const rule: Rule = defineRule({
  id: "document.routes",
  title: "The document has every route that the deployment offers",
  level: "SHOULD",
  verifies: [
    "service.relative-routes",
    "endpoints.list-organizations",
    "endpoints.view-organization",
    "endpoints.edit-organization",
    "endpoints.submit-change",
    "endpoints.read-changes-feed",
    "endpoints.read-change",
  ],
  phase: "record",
  cases: () =>
    OPERATION_IDS.map((operation) => ({
      id: `route@${operation}`,
      grounds: { source: "OpenAPI 3.1 section 4.8.8; Tr3kkR/Yuzu#4750" },
      judge: (probe) => judgeRoute(probe, operation),
    })),
});

function judgeRoute(probe: Probe, operation: OperationId): Promise<Finding> {
  return judgeByDocument(probe, ({ operations, unresolved }): Finding | Promise<Finding> => {
    const { method, path } = OPERATIONS[operation];
    const hidden = unresolved.find(({ kind }) => kind === "pathItem");
    const isAbsent = probe.target.operations[operation] && !operations[operation];
    if (isAbsent && hidden) return Finding.inconclusive(phrase`${hidden.problem}`);
    return isAbsent
      ? {
          kind: "fail",
          expected: phrase`${method} on a path that ends in ${path}`,
          actual: phrase`the document has none beside its other routes`,
        }
      : judgeDocumented(probe, operation, (documented) =>
          Finding.pass(undefined, phrase`${method} ${documented.path}`),
        );
  });
}
