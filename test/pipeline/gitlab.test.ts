import { expect, it } from "vitest";
import { parseDocument } from "yaml";

import { junit } from "../../src/report/junit.ts";
import { packageText } from "../support/package-text.ts";

/** https://docs.gitlab.com/ci/yaml/: what a job may say. */
const KEYWORDS =
  "after_script allow_failure artifacts before_script cache coverage dast_configuration dependencies environment extends hooks id_tokens identity image inherit interruptible manual_confirmation needs pages parallel release resource_group retry rules run script secrets services stage tags timeout trigger variables when";

interface Job {
  readonly extends?: string;
  readonly artifacts?: { when: string; paths: readonly string[]; reports: { junit: string } };
  readonly allow_failure?: { exit_codes: number };
}

it("docs/ci/gitlab.yml is two jobs that always keep their reports", () => {
  const text = packageText("docs/ci/gitlab.yml");
  const document = parseDocument(text, { strict: true, uniqueKeys: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
  const jobs = document.toJS() as Record<string, Job>;
  expect(Object.keys(jobs)).toEqual([".conformance", "conformance", "release-gate"]);
  const keys = Object.values(jobs).flatMap((job) => Object.keys(job));
  expect(keys.filter((key) => !KEYWORDS.split(" ").includes(key))).toEqual([]);
  const { ".conformance": template, conformance: nightly, "release-gate": gate } = jobs;
  expect(template?.artifacts).toMatchObject({
    when: "always",
    paths: ["reports/"],
    reports: { junit: `reports/${junit.file}` },
  });
  for (const job of [nightly, gate]) expect(job?.extends).toBe(".conformance");
  expect(nightly?.allow_failure).toEqual({ exit_codes: 3 });
  expect(gate?.allow_failure).toBeUndefined();
});
