import { basename, dirname, extname, relative, resolve, sep } from "node:path";

import picomatch from "picomatch";
import { glob } from "tinyglobby";

import { SuiteError } from "../lib/errors.ts";
import { groupBy } from "../lib/group-by.ts";
import { displayPath, statsOf } from "../lib/paths.ts";
import { loadProfile, type Surroundings } from "../profile/load.ts";
import { byText, isRunName } from "./fleet-file.ts";

export interface FleetProfile {
  /** The name of its run; see `FleetRun`. Unique in the fleet, also without regard to case. */
  readonly name: string;
  readonly file: string;
}

/**
 * The profiles that patterns match, sorted by name.
 * @param patterns files or globs; relative ones start at `cwd`
 * @throws SuiteError when a pattern matches nothing, or two profiles would have the same name
 */
export async function findProfiles(
  patterns: readonly string[],
  cwd: string,
): Promise<readonly FleetProfile[]> {
  const named = new Map<string, FleetProfile>();
  for (const pattern of patterns) {
    const { base, files } = await matched(pattern, cwd);
    if (files.length === 0) {
      throw new SuiteError("ERR_NO_MATCH", `No profile matches ${pattern}`, {
        hint: "Name profiles, or a pattern in quotes such as 'profiles/*.yaml'.",
      });
    }
    for (const file of files)
      if (!named.has(file)) named.set(file, { name: nameOf(file, base), file });
  }
  const profiles = [...named.values()].toSorted((a, b) => byText(a.name, b.name));
  refuseUnfit(profiles, cwd);
  return profiles;
}

/** The files of a pattern as absolute paths, and the folder that their names start at. */
async function matched(
  pattern: string,
  cwd: string,
): Promise<{ readonly base: string; readonly files: readonly string[] }> {
  const file = resolve(cwd, pattern);
  if (statsOf(file)?.isFile()) return { base: dirname(file), files: [file] };
  const { base, glob: rest } = picomatch.scan(pattern);
  const folder = resolve(cwd, base);
  const files =
    rest === "" ? [] : await glob(rest, { cwd: folder, absolute: true, expandDirectories: false });
  return { base: folder, files: files.map((one) => resolve(one)) };
}

function nameOf(file: string, base: string): string {
  const below = relative(base, file);
  const name = below.slice(0, below.length - extname(below).length);
  return (name === "" ? basename(file) : name).split(sep).join("/");
}

function refuseUnfit(profiles: readonly FleetProfile[], cwd: string): void {
  const seen = new Map<string, FleetProfile>();
  for (const profile of profiles) {
    const { name, file } = profile;
    if (!isRunName(name)) {
      throw new SuiteError(
        "ERR_FLAG",
        `${displayPath(file, cwd)} cannot name a folder of results`,
        {
          hint: "Rename it: at most 200 characters, none of them a control character, a colon or a backslash.",
        },
      );
    }
    // Some file systems do not distinguish upper and lower case.
    const key = name.toLowerCase();
    const other = seen.get(key);
    if (other) {
      const both = `${displayPath(other.file, cwd)} and ${displayPath(file, cwd)}`;
      throw new SuiteError("ERR_FLAG", `Two profiles would be called ${name}: ${both}`, {
        hint: "Name them by one pattern in quotes, for example 'vendors/*/orgsync.yaml'. Their names then include the folders.",
      });
    }
    seen.set(key, profile);
  }
}

/** Profiles that write to the same organization, so that their runs must not overlap. */
export type Group = readonly [FleetProfile, ...FleetProfile[]];

/** A part of a fleet. */
export interface Shard {
  /** From 1 to `of`. */
  readonly number: number;
  readonly of: number;
}

interface Place {
  readonly baseUrl: string;
  /** Absent when the run takes it from the list of organizations. */
  readonly primary: string | undefined;
}

/**
 * Puts profiles into groups. Groups, and the profiles in a group, are sorted by name. A group shares base
 * URL and primary organization; a profile without an organization may use any of its base URL.
 */
export function groupProfiles(
  profiles: readonly FleetProfile[],
  surroundings: Surroundings,
): readonly Group[] {
  const places = new Map(profiles.map((profile) => [profile, placeOf(profile, surroundings)]));
  const open = new Set(
    [...places.values()].flatMap((place) =>
      place && place.primary === undefined ? [place.baseUrl] : [],
    ),
  );
  const sorted = profiles.toSorted((a, b) => byText(a.name, b.name));
  const groups = groupBy(sorted, (profile) => {
    const place = places.get(profile);
    if (!place) return `profile ${profile.name}`;
    return open.has(place.baseUrl)
      ? `all of ${place.baseUrl}`
      : `${place.primary} of ${place.baseUrl}`;
  });
  return [...groups.values()];
}

/** `undefined` when the profile cannot be used; its run reports why. */
function placeOf({ file }: FleetProfile, surroundings: Surroundings): Place | undefined {
  try {
    const { profile } = loadProfile(file, surroundings);
    const { origin, pathname } = new URL(profile.baseUrl ?? "");
    return {
      baseUrl: origin + pathname.replace(/\/+$/, ""),
      primary: profile.organizations?.primary?.toLowerCase(),
    };
  } catch {
    return undefined;
  }
}

/**
 * The groups of a shard, the largest first. Each group goes to the shard with the fewest profiles so far.
 * So equal groups are always divided in one way, into roughly equal parts.
 * @param groups of the whole fleet, as `groupProfiles` returns them
 */
export function groupsOf({ number, of }: Shard, groups: readonly Group[]): readonly Group[] {
  const shards = Array.from({ length: of }, (): { size: number; groups: Group[] } => ({
    size: 0,
    groups: [],
  }));
  for (const group of groups.toSorted((a, b) => b.length - a.length)) {
    const least = shards.reduce((one, other) => (other.size < one.size ? other : one));
    least.groups.push(group);
    least.size += group.length;
  }
  return shards[number - 1]?.groups ?? [];
}
