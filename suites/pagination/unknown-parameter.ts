import { withQuery } from "../../src/probe/pagination/page.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { onPaginated } from "../shared/collection.ts";

export const rule: Rule = defineRule({
  id: "pagination.unknown-parameter",
  title: "A query parameter that is not declared is not accepted",
  level: "SHOULD",
  verifies: ["models.query.closed"],
  dependsOn: ["pagination.results-info/page"],
  cases: () =>
    onPaginated([
      {
        id: "unknown",
        title: "a parameter that nobody can have declared",
        judge: (probe) => probe.rejects(withQuery("conformance=1")),
      },
    ]),
});
