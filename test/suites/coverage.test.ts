import { describe, expect, it } from "vitest";

import { REQUIREMENTS, type Requirement, requirement } from "../../src/contract/requirements.ts";
import { RULES } from "../../suites/index.ts";
import { PACKS } from "../../suites/packs.ts";

function verifiers({ id }: Requirement): string[] {
  return RULES.filter(({ verifies = [] }) => verifies.some((one) => one === id)).map(
    (rule) => rule.id,
  );
}

describe("every rule", () => {
  it.each(RULES.map((rule) => [rule.id, rule] as const))(
    "%s verifies a sentence of the contract that is no weaker than the rule",
    (_id, { level, verifies = [] }) => {
      const [main, ...others] = verifies.map(requirement);
      expect(main?.source).toBe("contract");
      expect(level === "MUST" ? ["MUST"] : ["MUST", "SHOULD"]).toContain(main?.level);
      expect(new Set(verifies).size).toBe(verifies.length);
      expect(others.filter(({ gap }) => gap)).toEqual([]);
    },
  );
});

describe("every sentence", () => {
  const known = RULES.map(({ id }) => id);

  it.each(REQUIREMENTS.map((entry) => [entry.id, entry] as const))(
    "%s is either verified, observed or untestable",
    (_id, entry) => {
      const answers = [
        verifiers(entry).length > 0 || entry.side === "authorization-server",
        entry.observedBy.length > 0,
        entry.untestable !== undefined,
      ];
      expect(answers.filter(Boolean)).toHaveLength(1);
      for (const rule of entry.observedBy) expect(known).toContain(rule);
    },
  );
});

it("docs/coverage.md lists the sentences and their rules", async () => {
  const rows = REQUIREMENTS.map((entry) => {
    const rules = [...verifiers(entry), ...entry.observedBy].map((id) => `\`${id}\``).join(", ");
    const answer =
      entry.untestable ??
      (entry.records !== undefined ? `${rules} (observed: ${entry.records})` : rules);
    const side = entry.side === "receiver" ? "" : "the authorization server";
    return `| ${cell(entry.text)} | ${cell(entry.clause)} | ${entry.level} | ${[cell(answer), side].filter(Boolean).join("; ")} |`;
  });
  const packs = PACKS.flatMap(({ id, title, requirements, rules: own }) => [
    "",
    `## ${title}`,
    "",
    `The pack \`${id}\`: what is published beside the contract, made from \`fixtures/packs/${id}.yaml\`.`,
    "",
    "| Sentence | Where | Level | Verified by |",
    "| --- | --- | --- | --- |",
    ...requirements.map(
      ({ id: one, text, clause, level, records, untestable, observedBy = [] }) => {
        const judging = own
          .filter(({ verifies = [] }) => verifies.some((other) => other === one))
          .map((rule) => rule.id);
        const rules = [...new Set([...judging, ...observedBy])]
          .map((rule) => `\`${rule}\``)
          .join(", ");
        const answer =
          untestable ?? (records === undefined ? rules : `${rules} (observed: ${records})`);
        return `| ${cell(text.trim())} | ${cell(clause)} | ${level} | ${cell(answer.trim())} |`;
      },
    ),
  ]);
  await expect(`${HEAD}${[...rows, ...packs].join("\n")}\n`).toMatchFileSnapshot(
    "../../docs/coverage.md",
  );
});

const HEAD = `# Coverage

Every sentence of the contract, and of the RFCs that define its terms, with the rules that verify it, or why none can.
Made from \`fixtures/requirements.yaml\` and the rules: \`npx vitest run test/suites/coverage.test.ts -u\`.

| Sentence | Where | Level | Verified by |
| --- | --- | --- | --- |
`;

function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`).replaceAll("\n", " ");
}
