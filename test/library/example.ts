import { writeFile } from "node:fs/promises";

import {
  certify,
  defineRule,
  inWords,
  phrase,
  render,
  type Report,
  rules,
  valueFact,
} from "../../src/index.ts";

/** A rule of one's own: answers must not name the version of the server software. */
const noServerVersion = defineRule({
  id: "acme.no-server-version",
  title: "The Server header names no version",
  level: "SHOULD",
  cases: () => [
    {
      id: "header@viewOrganization",
      operation: "viewOrganization",
      async judge(probe) {
        const { reply } = await probe.control("viewOrganization");
        const { server = "" } = reply.headers;
        if (!/\d/.test(server)) return { kind: "pass" };
        return {
          kind: "fail",
          expected: phrase`no version`,
          actual: phrase`Server: ${valueFact(server)}`,
        };
      },
    },
  ],
});

/** Certifies a deployment, and writes the report as an HTML page. */
export async function certifyStaging(profile: string, page: string): Promise<Report> {
  const report = await certify({
    profile,
    rules: [...rules, noServerVersion],
    patterns: ["receiver.audience", "acme.*"],
    seed: 1,
    signal: AbortSignal.timeout(600_000),
    onEvent(event) {
      if (event.type !== "case-judged" || event.result.outcome !== "fail") return;
      console.log(event.result.id, event.result.actual && inWords(event.result.actual));
    },
  });
  await writeFile(page, render(report, "html"));
  return report;
}
