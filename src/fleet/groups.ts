import { groupBy } from "../lib/group-by.ts";
import { loadProfile, type Surroundings } from "../profile/load.ts";
import { byText } from "./fleet-file.ts";
import type { FleetProfile } from "./profiles.ts";

/** Profiles that write to the same organization, so that their runs must not overlap. */
export type Group = readonly [FleetProfile, ...FleetProfile[]];

/** A part of a fleet. */
export interface Shard {
  /** From 1 to `of`. */
  readonly number: number;
  readonly of: number;
}

/** The place that a profile's run writes to. */
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
 * The same groups are therefore always divided in the same way, into roughly equal parts.
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
