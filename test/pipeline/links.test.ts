import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

import { expect, it } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { packageText } from "../support/package-text.ts";

const NO_FILE = /^(?:[a-z][a-z\d+.-]*:|#)/i;

function lines(command: string, ...args: string[]): string[] {
  const text = execFileSync(command, args, { cwd: packageRoot, encoding: "utf8" });
  return text.split("\n").filter((line) => line !== "");
}

/** Every Markdown file of the repository. */
const pages = lines("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md");

function packed(): Set<string> {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const [tarball] = JSON.parse(lines("npm", ...args).join("\n")) as { files: { path: string }[] }[];
  return new Set(tarball?.files.map(({ path }) => path));
}

/** The files that a page links to, from the root of the repository. Links in code do not count. */
function linkedFrom(page: string): string[] {
  const text = packageText(page);
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !NO_FILE.test(link))
    .map((link) => normalize(join(dirname(page), link.split("#", 1)[0] ?? "")));
}

it("every link of a page leads to an existing target", () => {
  const links = pages.flatMap((page) => linkedFrom(page).map((file) => ({ page, file })));
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter(({ file }) => !existsSync(join(packageRoot, file)))).toEqual([]);
});

it("every link of a packed page leads to a packed target", () => {
  const files = packed();
  expect(files).toContain("README.md");
  const links = pages
    .filter((page) => files.has(page))
    .flatMap((page) => linkedFrom(page).map((file) => ({ page, file })));
  const isPacked = (file: string): boolean =>
    files.has(file) || [...files].some((one) => one.startsWith(join(file, "/")));
  expect(links.filter(({ file }) => !isPacked(file))).toEqual([]);
});

it("no page tells users to call the built files", () => {
  const texts = lines(
    "git",
    "ls-files",
    "--cached",
    "--others",
    "--exclude-standard",
    "*.md",
    "src",
    "docs",
    "bin",
  );
  const built = ["node dist", "src"].join("/");
  expect(texts.filter((file) => packageText(file).includes(built))).toEqual([]);
});
