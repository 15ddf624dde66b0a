import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { judgeByDocument, judgeDocumented, onDocumented } from "../shared/documented.ts";

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
  cases: () => onDocumented("route"),
  probe: (probe, { about }) =>
    judgeByDocument(probe, ({ operations }): Finding | Promise<Finding> => {
      const { method, path } = OPERATIONS[about];
      return probe.target.operations[about] && !operations[about]
        ? {
            kind: "fail",
            expected: phrase`${method} on a path that ends in ${path}`,
            actual: phrase`the document has none beside its other routes`,
          }
        : judgeDocumented(probe, about, (documented) => ({
            kind: "pass",
            reason: phrase`${method} ${documented.path}`,
          }));
    }),
});
