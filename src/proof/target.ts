import { consentsHere } from "../cli/consents.ts";
import { profileFromObject } from "../profile/load.ts";
import { resolveTarget } from "../profile/resolve.ts";
import type { Target } from "../profile/target.ts";
import type { ProfileObject } from "../reference/index.ts";

/** The target that a reference receiver's profile describes, with the program that consents in the place of a person. */
export function targetOf(profile: ProfileObject): Target {
  return consentsHere(resolveTarget({ profile: profileFromObject(profile) }));
}
