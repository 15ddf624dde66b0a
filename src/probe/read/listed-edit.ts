import type { Probe } from "../probe.ts";
import type { KnownChange } from "../write/submission.ts";
import { acceptedWrites, shows } from "../write/unique-marker.ts";
import type { Feed } from "./feed.ts";

/** The first change of a feed that shows an accepted edit of this run. A deployment may treat edits differently from submissions. */
export function listedEdit({ changes }: Feed, probe: Probe): KnownChange | undefined {
  const edited = acceptedWrites(probe, "editOrganization");
  for (const { item, ids } of changes) {
    const body = JSON.stringify(item);
    const edit = edited.find(({ value }) => shows({ body }, value));
    if (edit) return { ids, value: edit.value };
  }
  return undefined;
}
