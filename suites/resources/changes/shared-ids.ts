import type { Finding } from "../../../src/probe/finding.ts";
import { phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import type { UniqueValue } from "../../../src/probe/unique-value.ts";
import { acceptedWrites, shows } from "../../../src/probe/write/unique-marker.ts";
import { type Feed, readFeed } from "../../shared/feed.ts";
import { readChange } from "../../shared/submission.ts";

/** A submission of the run, and the change by which the feed lists it. */
interface Listed {
  readonly one: UniqueValue;
  readonly change: Feed["changes"][number];
  readonly id: string;
}

/**
 * Judges that submissions of the run that the feed lists as separate changes are not listed under one id that shows only one
 * of them. Ids made of the time repeat in the same second. SHOULD unless both were answered 201 Created (RFC 9110 §15.3.2),
 * because a later submission may amend an earlier one.
 */
export async function sharesNoId(probe: Probe): Promise<Finding> {
  const feed = await readFeed(probe);
  const { primary } = await probe.organizations();
  const listed = acceptedWrites(probe, "submitChange")
    .filter(({ organization }) => organization === primary)
    .flatMap((one) => listedAs(feed, one));
  if (listed.length < 2) {
    const reason = phrase`the feed lists fewer than two submissions with an id`;
    return { kind: "not-applicable", reason };
  }
  const { evidence } = feed;
  for (const [at, first] of listed.entries()) {
    const second = listed
      .slice(at + 1)
      .find(({ id, change }) => id === first.id && change !== first.change);
    if (!second) continue;
    const read = await readChange(probe, first.change.ids);
    const [shown, hidden] = [first, second].toSorted(
      (a, b) => Number(shows(read.reply, b.one.value)) - Number(shows(read.reply, a.one.value)),
    ) as [Listed, Listed];
    // A record that shows neither value does not tell which change it is.
    if (!shows(read.reply, shown.one.value) || shows(read.reply, hidden.one.value)) continue;
    const isCreated = first.one.status === 201 && second.one.status === 201;
    return {
      kind: "fail",
      expected: phrase`every change that the feed lists is readable by its id`,
      actual: phrase`the feed lists ${valueFact(shown.one.value)} and ${valueFact(hidden.one.value)} as ${valueFact(first.id)}, which shows the former alone`,
      evidence: { ...read.evidence, probes: [...evidence.probes, ...read.evidence.probes] },
      certainty: "many",
      ...(!isCreated && { atMost: "SHOULD" }),
    };
  }
  return { kind: "pass", evidence };
}

function listedAs({ changes }: Feed, one: UniqueValue): Listed[] {
  const change = changes.find(({ item }) => shows({ body: JSON.stringify(item) }, one.value));
  const [found] = change?.ids ?? [];
  return change && found ? [{ one, change, id: found.id }] : [];
}
