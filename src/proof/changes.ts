import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { areaOf, nameInArea } from "../contract/ids.ts";

const FOLDERS = ["src/reference/faults", "src/reference/variants"];

/** What has changed since proofs were made. */
export interface Changes {
  /**
   * Whether a fault or variant, or the rule that it is about, has changed since a commit. Nothing is known of a row that names none.
   * @param rule default: a variant, which is about all rules but outdated by none
   */
  since(commit: string, name: string, rule?: string): boolean;
}

/** The short name of the commit that is checked out. */
export function commitOf(root: string): string {
  return git(root, "rev-parse", "--short=8", "HEAD").trim();
}

/**
 * What git knows of changes, those that are not committed included. A commit that git does not know counts as changed.
 * @param root the folder of the repository
 */
export function changesIn(root: string): Changes {
  const changed = new Map<string, ReadonlySet<string> | undefined>();
  const changedSince = (commit: string): ReadonlySet<string> | undefined => {
    if (!changed.has(commit)) changed.set(commit, filesChanged(root, commit));
    return changed.get(commit);
  };
  const texts = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => {
        const path = `${folder}/${file.replaceAll("\\", "/")}`;
        return { path, text: readFileSync(join(root, path), "utf8") };
      }),
  );
  return {
    since(commit, name, rule) {
      if (commit === "") return false;
      const files = changedSince(commit);
      if (!files) return true;
      if (rule !== undefined && files.has(`suites/${areaOf(rule)}/${nameInArea(rule)}.ts`))
        return true;
      return filesOf(name, texts).some((file) => files.has(file));
    },
  };
}

/** The files in which a fault or variant stands: some names are put together from a beginning and an operation. */
function filesOf(
  name: string,
  texts: readonly { readonly path: string; readonly text: string }[],
): readonly string[] {
  const words = name.split("-");
  for (let length = words.length; length > 0; length -= 1) {
    const beginning = words.slice(0, length).join("-");
    const isWhole = length === words.length;
    const quoted = new RegExp(
      isWhole
        ? `(?<![\\w-])["'\`]?${beginning}["'\`]?:|["'\`]${beginning}["'\`]`
        : `["'\`]${beginning}(?:-|["'\`])|\\b${beginning}:`,
    );
    const found = texts.filter(({ text }) => quoted.test(text));
    if (found.length > 0) return found.map(({ path }) => path);
  }
  return texts.map(({ path }) => path);
}

function filesChanged(root: string, commit: string): ReadonlySet<string> | undefined {
  if (!/^[0-9a-f]{7,40}$/.test(commit)) return undefined;
  try {
    const tracked = git(root, "diff", "--name-only", commit, "--", "src/reference", "suites");
    const files = tracked.split("\n").filter(Boolean);
    return new Set(files.filter((file) => saysOtherwise(root, commit, file)));
  } catch {
    // Without its history nobody can tell, and nothing is called outdated.
    return hasHistory(root) ? undefined : new Set();
  }
}

/** Whether a file differs in more than comments, quotation marks and line breaks, which change no request and no judgement. */
function saysOtherwise(root: string, commit: string, file: string): boolean {
  try {
    const before = git(root, "show", `${commit}:${file}`);
    const now = readFileSync(join(root, file), "utf8");
    return unmarked(before) !== unmarked(now);
  } catch {
    // A file that is new, or gone.
    return true;
  }
}

/** A comment that has its lines to itself. */
const COMMENT_LINE = /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)).*$/gm;

function unmarked(source: string): string {
  return source.replaceAll(COMMENT_LINE, "").replaceAll(/[\s"`\\,()]/g, "");
}

/** Whether git knows all commits before the one that is checked out. */
function hasHistory(root: string): boolean {
  try {
    return git(root, "rev-parse", "--is-shallow-repository").trim() === "false";
  } catch {
    return false;
  }
}

function git(root: string, ...args: readonly string[]): string {
  return execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}
