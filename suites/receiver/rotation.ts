import type { OperationId } from "../../src/contract/operations.ts";
import type { Reply } from "../../src/http/exchange.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { oneRead } from "../../src/probe/cases.ts";
import { endCase, type Evidence, Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import type { Facts } from "../../src/profile/facts.ts";
import type { IssuerKey } from "../../src/profile/target.ts";

export const rule: Rule = defineRule({
  id: "receiver.rotation",
  title: "Keys that are added to the issuer's JWK Set are accepted, and removed ones are refused",
  level: "OBSERVE",
  verifies: ["authentication.public-keys", "rfc7517.key-set"],
  dependsOn: ["receiver.keys", "receiver.isolation/side-by-side"],
  cases: (facts) => oneRead(facts).flatMap((operation) => casesOf(facts, operation)),
});

/** Only where the run serves the keys itself can it change them. */
function casesOf({ testIssuer }: Facts, operation: OperationId): RuleCase[] {
  const inapplicable =
    testIssuer.serve === undefined
      ? "the run does not publish the test issuer's keys: `testIssuer.serve`"
      : undefined;
  return [
    {
      id: `appears@${operation}`,
      title: "how long until a key that is added to the JWK Set is accepted",
      operation,
      inapplicable,
      judge: async (probe) =>
        observed((await probe.use(rotation)).appeared, "accepted", "not accepted"),
    },
    {
      id: `withdrawn@${operation}`,
      title: "how long until a key that is removed from the JWK Set is refused",
      operation,
      inapplicable,
      judge: async (probe) => {
        const { withdrawn } = await probe.use(rotation);
        return withdrawn
          ? observed(withdrawn, "refused", "still accepted")
          : Finding.notApplicable(phrase`the key was not accepted before it was withdrawn`);
      },
    },
  ];
}

/** A multiple of the run's patience: a minute by default. */
const PATIENCES = 12;

/** How long a deployment took to follow a change of the JWK Set. */
interface Followed {
  /** Whether the deployment followed the change while it was watched. */
  readonly hasFollowed: boolean;
  /** Seconds from the change until the deployment followed it, or until watching ended. */
  readonly seconds: number;
  readonly reply: Reply;
  readonly evidence: Evidence;
}

/** Adds one key to the JWK Set and removes it again, while other cases run. */
const rotation: Fixture<{
  readonly appeared: Followed;
  /** Absent where the key was never accepted. */
  readonly withdrawn?: Followed;
}> = {
  name: "rotation",
  scope: "rule",
  async setup(probe) {
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
};

async function follow(
  probe: Probe,
  key: IssuerKey,
  hoped: "accepted" | "rejected",
): Promise<Followed> {
  const fresh: Mutation = {
    name: "rotated-key",
    what: `signed with a key that was just ${hoped === "accepted" ? "added to" : "removed from"} the JWK Set`,
    token: { key: () => key },
  };
  const began = performance.now();
  const { reply, evidence } = await probe.eventually(
    () => probe.attempt(fresh),
    (seen) => reception(seen.reply) === hoped,
    PATIENCES,
  );
  const seconds = Math.round((performance.now() - began) / 1000);
  return { hasFollowed: reception(reply) === hoped, seconds, reply, evidence };
}

/** @param followed what a deployment does that has followed; @param not what it does if it has not */
function observed(
  { hasFollowed, seconds, reply, evidence }: Followed,
  followed: string,
  not: string,
): Finding {
  const value = hasFollowed
    ? phrase`${followed} after ${seconds} s`
    : phrase`${not} within ${seconds} s: ${describeReply(reply)}`;
  return Finding.observed(value, evidence);
}
