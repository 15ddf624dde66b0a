import type { Probe } from "../../../src/probe/probe.ts";
import { acceptedWrites, shows } from "../../../src/probe/write/unique-marker.ts";
import type { Feed } from "../../shared/feed.ts";
import type { KnownChange } from "../../shared/submission.ts";

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
