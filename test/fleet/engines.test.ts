import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse, parseDocument } from "yaml";

import { command } from "../cli/io.ts";
import { COMMAND } from "../support/built.ts";
import { folderWith } from "../support/folder.ts";
import { packageText } from "../support/package-text.ts";
import { fleetIn, writeFiles } from "./files.ts";
import { createFleetIo } from "./io.ts";

/** Four profiles whose results are known at once, because nothing listens there. */
const PROFILES = Object.fromEntries(
  Array.from({ length: 4 }, (_, at) => [
    `profiles/p${at}.yaml`,
    { baseUrl: `http://127.0.0.1:1/p${at}` },
  ]),
);
const NAMES = Object.keys(PROFILES).map((file) => file.slice("profiles/".length, -".yaml".length));

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { name: string; value: string }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { name: string; mountPath: string }[];
}
interface Job {
  readonly spec: {
    readonly completions: number;
    readonly template: {
      readonly spec: {
        readonly containers: readonly [Container];
        readonly volumes: readonly { name: string }[];
      };
    };
  };
}

/** The content of a valid YAML file of the pages on fleets. */
function strictly(name: string): unknown {
  const text = packageText(`docs/fleet/${name}`);
  const document = parseDocument(text, { strict: true, uniqueKeys: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
}

/** The arguments of a container as Kubernetes gives them to it, its volumes being below a folder. */
function argumentsOf(
  { args, env, volumeMounts }: Container,
  folder: string,
  more: Record<string, string>,
): string[] {
  const values = { ...Object.fromEntries(env.map(({ name, value }) => [name, value])), ...more };
  return args.map((arg) => {
    const given = arg.replaceAll(/\$\((\w+)\)/g, (whole, name: string) => values[name] ?? whole);
    return volumeMounts.reduce(
      (text, { mountPath }) => text.replace(mountPath, join(folder, mountPath)),
      given,
    );
  });
}

function outOf(args: readonly string[]): string {
  return args.find((arg) => arg.startsWith("--out="))?.slice("--out=".length) ?? "";
}

describe("docs/fleet/kubernetes.yaml and kubernetes-merge.yaml", () => {
  const shards = strictly("kubernetes.yaml") as Job;
  const merge = strictly("kubernetes-merge.yaml") as Job;
  const [fleetContainer] = shards.spec.template.spec.containers;
  const [mergeContainer] = merge.spec.template.spec.containers;

  it("are an Indexed Job that does not retry a shard, and a Job", () => {
    for (const one of [shards, merge]) {
      expect(one).toMatchObject({ apiVersion: "batch/v1", kind: "Job" });
    }
    expect(shards.spec).toMatchObject({ completionMode: "Indexed", backoffLimitPerIndex: 0 });
    // Otherwise Kubernetes has neither an index nor a limit for it.
    expect(shards.spec.template.spec).toMatchObject({ restartPolicy: "Never" });
    expect(merge.spec).toMatchObject({ backoffLimit: 0 });
    const count = fleetContainer.env.find(({ name }) => name === "SHARDS")?.value;
    expect(count).toBe(String(shards.spec.completions));
  });

  it.each([
    ["kubernetes.yaml", shards],
    ["kubernetes-merge.yaml", merge],
  ])("%s runs as an unprivileged user, with a read-only file system", (_name, one) => {
    const { containers, volumes } = one.spec.template.spec;
    const securityContext = { runAsNonRoot: true, runAsUser: 1000 };
    expect(one.spec.template.spec).toMatchObject({ securityContext });
    for (const container of containers) {
      expect(container.securityContext).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      });
      const mounted = container.volumeMounts.map(({ name }) => name);
      expect(mounted).toEqual(volumes.map(({ name }) => name));
    }
  });

  it("give one result with exactly the arguments that they contain", async () => {
    const io = createFleetIo();
    writeFiles(io.cwd, PROFILES);
    const counts: number[] = [];
    // As many pods as a Job with three shards has.
    for (const index of ["0", "1", "2"]) {
      const values = { JOB_COMPLETION_INDEX: index, SHARDS: "3" };
      const args = argumentsOf(fleetContainer, io.cwd, values);
      expect(args.join(" ")).not.toContain("$(");
      expect((await command(args, createFleetIo())).code).toBe(0);
      counts.push(fleetIn(outOf(args)).runs.length);
    }
    expect(counts.toSorted((a, b) => a - b)).toEqual([1, 1, 2]);
    const args = argumentsOf(mergeContainer, io.cwd, {});
    expect((await command(args, createFleetIo())).code).toBe(2);
    expect(fleetIn(outOf(args)).runs.map(({ name }) => name)).toEqual(NAMES);
  });
});

/** Runs lines as a shell of a runner does, with an npx that has the package installed. */
function shell(cwd: string, script: string, env: Record<string, string>): number | null {
  const bin = folderWith();
  writeFiles(bin, {
    npx: `#!/bin/sh\n[ "$1 $2" = "--no-install orgsync-conformance" ] || exit 99\nshift 2\nexec "${process.execPath}" "${COMMAND}" "$@"\n`,
  });
  chmodSync(join(bin, "npx"), 0o755);
  const path = [bin, process.env["PATH"]].join(delimiter);
  return spawnSync("bash", ["-e", "-c", script], { cwd, env: { PATH: path, ...env } }).status;
}

const CALL = /orgsync-conformance/;

/**
 * Runs the command of a shard with the variables of each, then the merge.
 * @param merge exits 2, because the runs have no verdict
 * @returns the names of the runs in the result
 */
function mergedOf(
  shards: readonly Record<string, string>[],
  shard: string,
  merge: string,
): string[] {
  const { cwd } = createFleetIo();
  writeFiles(cwd, PROFILES);
  for (const env of shards) expect(shell(cwd, shard, env)).toBe(0);
  expect(shell(cwd, merge, {})).toBe(2);
  return fleetIn(cwd, "fleet").runs.map(({ name }) => name);
}

interface Workflow {
  readonly permissions: object;
  readonly jobs: Record<
    "shard" | "merge",
    {
      readonly strategy: { readonly matrix: { readonly shard: readonly number[] } };
      readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
    }
  >;
}

describe("docs/fleet/github.yml", () => {
  const { jobs, permissions } = parse(packageText("docs/fleet/github.yml")) as Workflow;
  const calls = (name: "shard" | "merge"): string =>
    jobs[name].steps.flatMap(({ run }) => (run && CALL.test(run) ? [run] : [])).join("\n");

  it("has only read permission", () => {
    expect(permissions).toEqual({ contents: "read" });
  });

  it("gives one result with exactly the commands that it contains", () => {
    const { shard: numbers } = jobs.shard.strategy.matrix;
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    const shards = numbers.map((at) => ({ SHARD: String(at), SHARDS: String(numbers.length) }));
    // As upload and download leave them.
    const moved = "mkdir shards && mv shard-* shards/";
    const merge = `${moved}\n${calls("merge")}`;
    expect(mergedOf(shards, calls("shard"), merge)).toEqual(NAMES);
  });
});

describe("docs/fleet/gitlab.yml", () => {
  it("gives one result with exactly the commands that it contains", () => {
    const { fleet, merge } = strictly("gitlab.yml") as Record<
      "fleet" | "merge",
      { readonly parallel: number; readonly script: readonly string[] }
    >;
    const calls = ({ script }: typeof fleet): string =>
      script.filter((line) => CALL.test(line)).join("\n");
    const shards = Array.from({ length: fleet.parallel }, (_, at) => ({
      CI_NODE_INDEX: String(at + 1),
      CI_NODE_TOTAL: String(fleet.parallel),
    }));
    expect(mergedOf(shards, calls(fleet), calls(merge))).toEqual(NAMES);
  });
});
