import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from "@actions/workflow-parser";
import {
  type ActionTemplate,
  convertActionTemplate,
  parseAction,
} from "@actions/workflow-parser/actions/index";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { PREDICATE_TYPE } from "../../src/attest/statement.ts";
import { sarif } from "../../src/report/sarif.ts";
import { packageText } from "../support/package-text.ts";
import { problemOf } from "./command-lines.ts";
import { ACTION, lastStep, type Step } from "./last-step.ts";

interface Workflow {
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, { "timeout-minutes": number; steps: readonly Step[] }>;
}

function action(): ActionTemplate {
  const file = { name: "action.yml", content: packageText("action.yml") };
  const { context, value } = parseAction(file, new NoOperationTraceWriter());
  expect(context.errors.getErrors().map(({ message }) => message)).toEqual([]);
  if (!value) throw new Error("no action");
  return convertActionTemplate(context, value);
}

function workflowIn(name: string): Workflow & { readonly steps: readonly Step[] } {
  const workflow = parse(packageText(name)) as Workflow;
  return { ...workflow, steps: Object.values(workflow.jobs).flatMap((job) => job.steps) };
}

const WORKFLOWS = ["docs/ci/github.yml", "docs/ci/github-action.yml"];
const ALL = [...WORKFLOWS, "docs/ci/github-attest.yml", "docs/fleet/github.yml"];

describe.each(WORKFLOWS)("%s", (name) => {
  const { permissions, jobs, steps } = workflowIn(name);

  it("may only read the repository and upload SARIF, and has a time limit", () => {
    expect(permissions).toEqual({ contents: "read", "security-events": "write" });
    expect(Object.values(jobs).map((job) => job["timeout-minutes"])).toEqual([15]);
  });

  it("keeps the reports of a failed run", () => {
    const upload = steps.find(({ uses }) => uses?.startsWith("actions/upload-artifact@"));
    expect(upload).toMatchObject({ if: "always()", with: { path: "reports/" } });
    const scanning = steps.find(({ uses }) => uses?.includes("/upload-sarif@"));
    expect(scanning?.with?.["sarif_file"]).toBe(`reports/${sarif.file}`);
  });
});

it("docs/ci/github-attest.yml attests the report with the predicate that `attest` writes, with only the permissions that this needs", () => {
  const { permissions, steps } = workflowIn("docs/ci/github-attest.yml");
  expect(permissions).toEqual({
    contents: "read",
    "id-token": "write",
    attestations: "write",
  });
  const runs = steps.map(({ run = "" }) => run);
  const [, file] =
    runs.map((run) => / attest reports\/report\.json --predicate (\S+)/.exec(run)).find(Boolean) ??
    [];
  const attest = steps.find(({ uses }) => uses?.startsWith("actions/attest@"));
  expect(attest?.with).toEqual({
    "subject-path": "reports/report.json",
    "predicate-type": PREDICATE_TYPE,
    "predicate-path": file,
  });
});

it.each([
  ...ALL.map((name) => [name, workflowIn(name).steps] as const),
  ["action.yml", ACTION.runs.steps] as const,
])("%s puts no expression into a shell", (_name, steps) => {
  expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
});

it.each(ALL)("GitHub's own parser accepts %s", async (name) => {
  const file = { name, content: packageText(name) };
  const { context, value } = parseWorkflow(file, new NoOperationTraceWriter());
  if (!value) throw new Error("no workflow");
  await convertWorkflowTemplate(context, value);
  expect(context.errors.getErrors().map(({ message }) => message)).toEqual([]);
});

it("every third-party action is pinned by digest, with its version in a comment", () => {
  const files = ["action.yml", ...ALL];
  const used = files.flatMap((file) => packageText(file).match(/(?<=uses: ).*/g) ?? []);
  const pinned = used.filter((one) => /^[\w-]+(\/[\w-]+)+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(one));
  expect(used.filter((one) => !pinned.includes(one))).toEqual(["OWNER/orgsync-conformance@v0"]);
});

it("the workflow that uses the action passes only inputs that the action has", () => {
  const { steps } = workflowIn("docs/ci/github-action.yml");
  const given = steps.find(({ uses }) => uses?.includes("orgsync-conformance"))?.with ?? {};
  const has = action().inputs?.map(({ id }) => id) ?? [];
  expect(Object.keys(given)).not.toEqual([]);
  expect(Object.keys(given).filter((name) => !has.includes(name))).toEqual([]);
});

describe("action.yml", () => {
  it("is an action that GitHub's own parser accepts, and describes every input and output", () => {
    const { inputs = [], outputs = [], runs } = action();
    expect(runs.using).toBe("composite");
    expect(inputs.map(({ id }) => id)).toEqual([
      "base-url",
      "profile",
      "rule",
      "seed",
      "read-only",
      "accept-incomplete",
      "require",
      "fail-on",
      "baseline",
      "reports",
      "report-mode",
      "out",
      "working-directory",
    ]);
    expect(outputs.map(({ id }) => id)).toEqual(["verdict", "report"]);
    for (const { description } of [...inputs, ...outputs]) expect(description).toBeTruthy();
  });

  describe("its last step", () => {
    it("runs the command with the usual inputs, exits with its code, and reports the result", () => {
      expect(lastStep({}, 1)).toEqual({
        status: 1,
        stderr: "",
        args: ["run", "--report=junit", "--out=reports"],
        outputs: "verdict=non-conformant\nreport=/reports/report.json\n",
      });
    });

    it("passes every input on unchanged", () => {
      const { args } = lastStep({
        "base-url": "https://h/$(touch pwned)`id`",
        profile: "a b.yaml",
        rule: "receiver.*\nerrors.*\n",
        seed: "1",
        "read-only": "true",
        "accept-incomplete": "true",
        baseline: "known.yaml",
        reports: "junit\n\n  markdown",
        out: "reports",
      });
      expect(args).toEqual([
        "run",
        "--profile=a b.yaml",
        "--rule=receiver.*",
        "--rule=errors.*",
        "--seed=1",
        "--baseline=known.yaml",
        "--report=junit",
        "--report=markdown",
        "--out=reports",
        "--read-only",
        "--accept-incomplete",
        "--",
        "https://h/$(touch pwned)`id`",
      ]);
      expect(problemOf(args)).toBeUndefined();
    });

    it("has no outputs if the command could not run", () => {
      expect(lastStep({}, 2)).toMatchObject({ status: 2, outputs: "" });
    });

    it("refuses a value other than true and false", () => {
      expect(lastStep({ "read-only": "yes" })).toMatchObject({
        status: 2,
        args: [],
        stderr: 'read-only must be true or false, not "yes"\n',
      });
    });
  });
});
