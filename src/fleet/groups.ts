import { loadProfile, type Surroundings } from "../profile/load.ts";
import { byText } from "./fleet-file.ts";
import type { FleetProfile } from "./profiles.ts";

/** Profiles that write to the same organization, so that none of their runs may be beside another. */
export type Group = readonly [FleetProfile, ...FleetProfile[]];

/** A part of a fleet. */
export interface Shard {
  /** From 1 to `of`. */
  readonly number: number;
  readonly of: number;
}

/** What a profile's run writes to. */
interface Place {
  readonly baseUrl: string;
  /** Absent where the run takes it from the list of organizations. */
  readonly primary: string | undefined;
}

/**
 * Profiles in groups, each group and the profiles in it in the order of names. A group shares base URL and primary
 * organization; a profile without one may have any organization of its base URL.
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
  const groups = new Map<string, [FleetProfile, ...FleetProfile[]]>();
  for (const profile of profiles.toSorted((a, b) => byText(a.name, b.name))) {
    const place = places.get(profile);
    const key = !place
      ? `profile ${profile.name}`
      : open.has(place.baseUrl)
        ? `all of ${place.baseUrl}`
        : `${place.primary} of ${place.baseUrl}`;
    const group = groups.get(key);
    if (group) group.push(profile);
    else groups.set(key, [profile]);
  }
  return [...groups.values()];
}

/** Nothing where the profile cannot be used: its run says why. */
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
 * The groups of a shard, the largest first. Each goes to the shard that has least so far, so that the same groups are
 * always parted the same way, in about equal parts.
 * @param groups of the whole fleet, as `groupProfiles` gives them
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
