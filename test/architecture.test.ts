import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

import { expect, test } from "vitest";

import { packageRoot } from "../src/lib/package-root.ts";

/** `src/probe/read/items.ts` is of the room `probe`, any file in `suites/` of `suites`, `src/certify.ts` of none. */
function roomOf(file: string): string {
  const [top = "", ...path] = file.split("/");
  if (top === "suites") return top;
  return path.length > 1 ? (path[0] ?? "") : file;
}

function typescript(folder: string): string[] {
  return readdirSync(join(packageRoot, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file).split(sep).join("/"));
}

/** Imports of every form: static, of types, dynamic, and exports from elsewhere. */
const IMPORT = /(?:\bfrom\s|\bimport\(\s*)"(\.{1,2}\/[^"]+\.ts)"/g;

function importsOf(file: string): string[] {
  const text = readFileSync(join(packageRoot, file), "utf8");
  return [...text.matchAll(IMPORT)].map(([, path = ""]) =>
    relative(packageRoot, join(packageRoot, file, "..", path))
      .split(sep)
      .join("/"),
  );
}

/** The files that lead back to themselves, each with the files on the way. */
function cycles(): string[] {
  const files = [...typescript("src"), ...typescript("suites")];
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, way: readonly string[]): void => {
    const back = way.indexOf(file);
    if (back >= 0) found.push([...way.slice(back), file].join(" -> "));
    if (back >= 0 || done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return found;
}

/** The rows of the table in ARCHITECTURE.md, in its order: a room, and what it may import from. */
function table(): Map<string, string[]> {
  const page = readFileSync(join(packageRoot, "ARCHITECTURE.md"), "utf8");
  const rows = page.matchAll(/^\| `(?:src\/)?([\w-]+)\/` +\|[^|]*\|([^|]*)\|$/gm);
  return new Map(
    [...rows].map(([, room = "", doors = ""]) => [
      room,
      doors.trim().split(/,\s*/).filter(Boolean),
    ]),
  );
}

/** What each room imports from, by what its files say. */
function used(): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const file of [...typescript("src"), ...typescript("suites")]) {
    const room = roomOf(file);
    if (room.endsWith(".ts")) continue;
    const doors = rooms.get(room) ?? new Set();
    rooms.set(room, doors);
    for (const target of importsOf(file)) if (roomOf(target) !== room) doors.add(roomOf(target));
  }
  return rooms;
}

/** As an object whose lists are sorted, for comparing. */
function sorted(rooms: ReadonlyMap<string, Iterable<string>>): Record<string, string[]> {
  return Object.fromEntries([...rooms].map(([room, doors]) => [room, [...doors].toSorted()]));
}

test("each folder imports from exactly the folders that ARCHITECTURE.md names for it", () => {
  expect(sorted(used())).toEqual(sorted(table()));
});

test("each folder imports only from folders above it in the table", () => {
  const rooms = [...table().keys()];
  for (const [room, doors] of table()) {
    const below = doors.filter((door) => rooms.indexOf(door) >= rooms.indexOf(room));
    expect([room, below]).toEqual([room, []]);
  }
});

test("no file imports itself through others, by a type or a dynamic import either", () => {
  expect(cycles()).toEqual([]);
});

test("only the command, the proof and the tests import the reference receiver", () => {
  const knows = [...table()].filter(([, doors]) => doors.includes("reference"));
  expect(knows.map(([room]) => room)).toEqual(["cli", "proof"]);
});

/** Folders that speak to the others through one file, as ARCHITECTURE.md says. */
const DOORS = [
  { room: "reference", door: "src/reference/index.ts" },
  // Its rules are a part of it, and `verify` composes its requests again.
  {
    room: "authorization-server",
    door: "src/authorization-server/index.ts",
    inside: /^(suites\/authorization-server|src\/verify)\//,
  },
];

test.each(DOORS)("$room is behind one door, $door", ({ room, door, inside }) => {
  const files = [...typescript("src"), ...typescript("suites")];
  const past = files
    .filter((file) => roomOf(file) !== room && !inside?.test(file))
    .flatMap((file) => importsOf(file).map((target) => [file, target] as const))
    .filter(([, target]) => roomOf(target) === room && target !== door);
  expect(past).toEqual([]);
});

test("no rule knows the budget of writes", () => {
  const knows = typescript("suites").filter((file) =>
    importsOf(file).includes("src/probe/write/budget.ts"),
  );
  expect(knows).toEqual([]);
});
