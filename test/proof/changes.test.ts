import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { changesIn, commitOf } from "../../src/proof/changes.ts";
import { outdatedIn } from "../../src/proof/table.ts";
import { folderWith } from "../support/folder.ts";

const FAULT = "src/reference/faults/issuer.ts";

describe("a row of the proof is outdated", () => {
  let root: string;
  let commit: string;
  const changeIn = (file: string, line = "export const CHANGED = 1;\n"): void =>
    appendFileSync(join(root, file), line);

  beforeAll(() => {
    root = folderWith({
      [FAULT]: 'export const FAULTS = { "issuer-by-prefix": {}, ...on("issuer-unchecked") };\n',
      "src/reference/faults/audience.ts": 'export const FAULTS = { "audience-by-prefix": {} };\n',
      "src/reference/variants/shape.ts":
        'export const VARIANTS = { "items-by-id": {}, edges: {} };\n',
      "suites/receiver/issuer.ts": "\n",
      "suites/receiver/audience.ts": "\n",
    });
    const git = (...args: readonly string[]): void =>
      void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
        cwd: root,
      });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "a proof was made here");
    commit = commitOf(root);
  });

  it("if it names a commit that git does not know", () => {
    const changes = changesIn(root);
    expect(changes.since("0123abcd", "issuer-by-prefix", "receiver.issuer")).toBe(true);
    expect(changes.since("", "issuer-by-prefix", "receiver.issuer")).toBe(false);
    expect(changes.since("--all", "issuer-by-prefix", "receiver.issuer")).toBe(true);
  });

  it("not if the history is missing: a copy without git, or a shallow clone", () => {
    const files = [FAULT, "src/reference/variants/shape.ts"];
    const copy = folderWith(Object.fromEntries(files.map((file) => [file, "\n"])));
    const shallow = join(folderWith(), "clone");
    execFileSync("git", ["clone", "-q", "--depth", "1", `file://${root}`, shallow]);
    for (const folder of [copy, shallow])
      expect(changesIn(folder).since("0123abcd", "issuer-by-prefix", "receiver.issuer")).toBe(
        false,
      );
  });

  it("if its fault, its variant or its rule has changed since, and not otherwise", () => {
    const all = [
      ["issuer-by-prefix", "receiver.issuer"],
      ["issuer-unchecked-on-submitChange", "receiver.issuer"],
      ["audience-by-prefix", "receiver.audience"],
      ["items-by-id"],
      ["edges"],
    ] as const;
    const outdated = (): string[] => {
      const changes = changesIn(root);
      return all.flatMap(([name, rule]) => (changes.since(commit, name, rule) ? name : []));
    };
    expect(outdated()).toEqual([]);
    changeIn(FAULT, "/** Words alone. */\n");
    expect(outdated()).toEqual([]);
    changeIn(FAULT);
    expect(outdated()).toEqual(["issuer-by-prefix", "issuer-unchecked-on-submitChange"]);
    changeIn("suites/receiver/audience.ts");
    expect(outdated()).toContain("audience-by-prefix");
    changeIn("src/reference/variants/shape.ts");
    expect(outdated()).toEqual(all.map(([name]) => name));
  });
});

it("names the rows that are of another commit", () => {
  const page = "| `issuer-by-prefix` | what | how | fail: x | 0123abcd |\n";
  expect(outdatedIn(page, { since: (commit) => commit === "0123abcd" })).toContain(
    "issuer-by-prefix",
  );
});
