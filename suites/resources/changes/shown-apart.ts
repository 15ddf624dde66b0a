import { Finding, optional } from "../../../src/probe/finding.ts";
import { phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { sameId } from "../../../src/probe/read/change-ids.ts";
import { reception } from "../../../src/probe/reception.ts";
import { reading, shows } from "../../../src/probe/write/unique-marker.ts";
import { idsShowing, readFeed } from "../../shared/feed.ts";
import { type KnownChange, readChange, submission } from "../../shared/submission.ts";

const operation = "readChange";

/**
 * Judges that two submitted changes, each read by its id, do not get one and the same answer, which shows both. A change may
 * show what was before it or is beside it, so only equal answers count, for changes that the feed lists as two.
 */
export async function shownApart(probe: Probe): Promise<Finding> {
  const submitted = await optional(probe.use(submission));
  const pair = submitted ? [submitted.earlier, submitted] : [];
  const [first, second] = pair.flatMap(({ ids: [id], value }) =>
    id === undefined || value === undefined ? [] : [{ id: id.id, value }],
  );
  if (!first || !second || sameId(first.id, second.id)) {
    return Finding.notApplicable(phrase`no two submitted changes with ids of their own are known`);
  }
  const values = [first.value, second.value];
  const reads = [];
  for (const { ids } of pair as readonly KnownChange[]) reads.push(await readChange(probe, ids));
  const evidence = { probes: reads.flatMap((read) => read.evidence.probes) };
  if (reads.some(({ reply }) => reception(reply) !== "accepted")) {
    return Finding.notApplicable(phrase`not both can be read`);
  }
  if (!reads.every(({ reply }, index) => shows(reply, values[index] ?? ""))) {
    return Finding.notApplicable(phrase`not both show what was submitted`);
  }
  if (!reads.every(({ reply }) => values.every((value) => shows(reply, value)))) {
    return Finding.pass(evidence);
  }
  const feed = await optional(readFeed(probe));
  const [one, other] = values.map((value) => (feed ? idsShowing(feed, value)[0]?.id : undefined));
  if (one === undefined || other === undefined || sameId(one, other)) {
    return Finding.notApplicable(
      phrase`each shows both, and the feed does not list them as two changes`,
    );
  }
  // The first readings may be older than other writes.
  const again = [];
  for (const { id } of reads) {
    again.push(await probe.attempt(reading, { operation, changeId: id.id }));
  }
  const isSame = new Set(again.map(({ reply: { body } }) => body)).size === 1;
  if (!isSame) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`the change ${second.id}, and not the change ${first.id} as well`,
    actual: phrase`both ids get the same answer, which shows ${valueFact(first.value)} and ${valueFact(second.value)}`,
    evidence: {
      ...again[0]?.evidence,
      probes: again.map(({ reply }) => reply.exchange.id),
    },
    certainty: "many",
  };
}
