import { endCase, optional } from "../../src/probe/case-end.ts";
import { defineFixture, type Fixture } from "../../src/probe/probe.ts";
import { type Feed, readFeed, tooFewChanges } from "./feed.ts";
import { submission } from "./submission.ts";

/**
 * The feed of the primary organization with at least one change. If it is empty and the profile
 * consents to writes, submits a change first. A feed without a recognisable list stays as it is.
 * Where the feed stays empty, cases end inconclusive with a remedy.
 */
export const filledFeed: Fixture<Feed> = defineFixture({
  name: "feed",
  scope: "run",
  async setup(probe): Promise<Feed> {
    const feed = await readFeed(probe);
    if (!isEmpty(feed)) return kept(feed);
    const { target } = probe;
    if (target.writes && target.operations.submitChange) {
      await optional(probe.use(submission));
      const filled = await probe.eventually(
        () => readFeed(probe),
        (next) => !isEmpty(next),
      );
      if (!isEmpty(filled)) return kept(filled);
    }
    return endCase(tooFewChanges(target, 0, 1));
  },
});

function kept(feed: Feed): Feed {
  for (const page of feed.pages) page.keep();
  return feed;
}

function isEmpty({ items }: Feed): boolean {
  return items?.length === 0;
}
