import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";

export const rule: Rule = defineRule({
  id: "commongrants.routes",
  title: "The list, the view and one kind of write are offered",
  level: "OBSERVE",
  verifies: ["commongrants.routes.offered"],
  cases: (facts) => [
    {
      id: "offered",
      title: "the routes that are offered",
      sends: 0,
      judge: async () => {
        const offered = OPERATION_IDS.filter((id) => facts.operations[id]);
        return Finding.observed(phrase`${offered.join(", ")}`);
      },
    },
  ],
});
