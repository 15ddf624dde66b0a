import { optional } from "../../../src/probe/case-end.ts";
import { defineFixture, type Fixture } from "../../../src/probe/probe.ts";
import { listedChanges } from "../../../src/probe/read/change-ids.ts";
import { reception } from "../../../src/probe/reception.ts";
import { reading } from "../../../src/probe/write/unique-marker.ts";

/** The id of a change in the feed of the other organization; `undefined` if the feed shows none. */
export const otherChange: Fixture<string | undefined> = defineFixture({
  name: "a change of the other organization",
  scope: "run",
  async setup(probe): Promise<string | undefined> {
    const operation = "readChangesFeed";
    const { other } = await probe.organizations();
    const profile = probe.target.operations[operation];
    if (other === undefined || !profile) return undefined;
    const feed = await optional(probe.attempt(reading, { operation, organization: other }));
    if (!feed || reception(feed.reply) !== "accepted") return undefined;
    return listedChanges(feed.reply, profile, other)?.[0]?.ids[0]?.id;
  },
});
