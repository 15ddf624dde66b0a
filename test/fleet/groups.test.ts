import { join } from "node:path";

import { assert, integer, property, shuffledSubarray } from "fast-check";
import { expect, it } from "vitest";

import { groupProfiles, groupsOf, type FleetProfile } from "../../src/fleet/profiles.ts";
import { folderWith } from "../support/folder.ts";
import { writeFiles } from "./files.ts";

const id = (digit: number): string => `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;

/** A profile with a path below one host, and a primary organization if any. */
function at(path: string, primary?: string): object {
  return {
    baseUrl: `https://sync.example.com${path}`,
    ...(primary !== undefined && { organizations: { primary } }),
  };
}

/** Profiles in a folder, as files. */
function profilesOf(contents: Readonly<Record<string, object>>): FleetProfile[] {
  const folder = folderWith();
  const names = Object.keys(contents);
  for (const name of names) writeFiles(folder, { [`${name}.yaml`]: contents[name] });
  return names.map((name) => ({ name, file: join(folder, `${name}.yaml`) }));
}

function namesIn(groups: readonly (readonly FleetProfile[])[]): string[][] {
  return groups.map((group) => group.map(({ name }) => name));
}

it("groups profiles with the same base URL and primary organization, and those that may use any organization there", () => {
  const profiles = profilesOf({
    a: at("/x", id(1)),
    b: at("/x/", id(2)),
    c: at("/x", id(1).toUpperCase()),
    d: at("/y", id(1)),
    e: at("/y"),
    f: at("/y", id(2)),
    g: at("/z"),
    h: { baseUrl: "none" },
    i: { baseUrl: "none" },
    j: { baseUrl: "https://SYNC.example.com:443/z" },
  });
  expect(namesIn(groupProfiles(profiles, { cwd: "/", env: {} }))).toEqual([
    ["a", "c"],
    ["b"],
    ["d", "e", "f"],
    ["g", "j"],
    ["h"],
    ["i"],
  ]);
});

it("shards a fleet independently of the order of its files: whole groups, each once, in about equal shards", () => {
  const profiles = profilesOf(
    Object.fromEntries(
      Array.from({ length: 23 }, (_, index) => [
        `p${index}`,
        {
          baseUrl: "https://sync.example.com/x",
          organizations: { primary: id(index % 9) },
        },
      ]),
    ),
  );
  const surroundings = { cwd: "/", env: {} };
  const groups = groupProfiles(profiles, surroundings);
  assert(
    property(
      shuffledSubarray(profiles, { minLength: 23 }),
      integer({ min: 1, max: 12 }),
      (shuffled, of) => {
        const shards = Array.from({ length: of }, (_, index) => ({ number: index + 1, of }));
        const parts = shards.map((shard) => groupsOf(shard, groupProfiles(shuffled, surroundings)));
        expect(parts).toEqual(shards.map((shard) => groupsOf(shard, groups)));
        const all = parts.flat().map((group) => group.map(({ name }) => name).join());
        expect(all.toSorted()).toEqual(
          namesIn(groups)
            .map((names) => names.join())
            .toSorted(),
        );
        const sizes = parts.map((part) => part.flat().length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(3);
      },
    ),
    { numRuns: 30 },
  );
});
