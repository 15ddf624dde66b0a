import type { Reply } from "../http/exchange.ts";
import type { Mutation } from "../mutations/mutation.ts";
import type { IssuerKey } from "../profile/target.ts";
import { endCase } from "./case-end.ts";
import type { Evidence, Finding } from "./finding.ts";
import { defineFixture } from "./fixture.ts";
import { phrase } from "./phrase.ts";
import type { Attempt, Fixture, Probe } from "./probe.ts";
import { describeReply, reception } from "./reception.ts";

/** So many times as long as an accepted write may take to show: a minute. */
const PATIENCES = 12;

/** How long a deployment took to follow a change of the JWK Set. */
interface Followed {
  /** Whether it did at all while it was watched. */
  readonly hasFollowed: boolean;
  /** From the change until it was seen to have followed, or until it was no longer watched. */
  readonly seconds: number;
  readonly reply: Reply;
  readonly evidence: Evidence;
}

/** What became of a key that was published, and of one that was published no longer. */
export interface Rotation {
  readonly appeared: Followed;
  /** Absent where the key was never accepted. */
  readonly withdrawn?: Followed;
}

/** One key that appears in the JWK Set and goes again, while other cases are under way. */
export const rotation: Fixture<Rotation> = defineFixture({
  name: "rotation",
  scope: "rule",
  async setup(probe): Promise<Rotation> {
    const { publishedKeys, target } = probe;
    if (!publishedKeys) return endCase({ kind: "not-provisioned", keys: ["testIssuer.serve"] });
    const key = await publishedKeys.add(target.testIssuer.key.alg);
    try {
      const appeared = await follow(probe, key, "accepted");
      if (!appeared.hasFollowed) return { appeared };
      publishedKeys.withdraw(key.kid);
      return { appeared, withdrawn: await follow(probe, key, "rejected") };
    } finally {
      publishedKeys.withdraw(key.kid);
    }
  },
});

async function follow(
  probe: Probe,
  key: IssuerKey,
  hoped: "accepted" | "rejected",
): Promise<Followed> {
  const fresh: Mutation = {
    name: "rotated-key",
    what: `signed with a key that ${hoped === "accepted" ? "has just appeared in" : "has just gone from"} the JWK Set`,
    key: () => key,
  };
  const began = performance.now();
  const { reply, evidence }: Attempt = await probe.eventually(
    () => probe.attempt(fresh),
    (seen) => reception(seen.reply) === hoped,
    PATIENCES,
  );
  const seconds = Math.round((performance.now() - began) / 1000);
  return { hasFollowed: reception(reply) === hoped, seconds, reply, evidence };
}

/** What was seen, as the observation that a report has. */
export function observedRotation(
  { hasFollowed, seconds, reply, evidence }: Followed,
  followed: string,
  not: string,
): Finding {
  const value = hasFollowed
    ? phrase`${followed} after ${seconds} s`
    : phrase`${not} within ${seconds} s: ${describeReply(reply)}`;
  return { kind: "observed", value, evidence };
}
