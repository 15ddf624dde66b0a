import type { Mutation } from "../../src/mutations/mutation.ts";
import { expired } from "../../src/mutations/token/expiry.ts";
import { accepts, custom, oneRead, oneReadOneWrite } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { compact } from "../../src/tokens/compact.ts";
import {
  grantTypes,
  greaterS,
  nestedClaim,
  registeredClaims,
  spellings,
} from "../shared/mutations/valid-variations.ts";

const REJECTED_BEFORE = 5;

const sameToken: Mutation = {
  name: "same-token",
  what: "the same token was accepted a moment ago",
  source: "RFC 6750 §1.2; HeliosSoftware/hfs#205",
};
const afterRejected: Mutation = {
  name: "after-rejected",
  what: `${REJECTED_BEFORE} expired tokens were rejected a moment ago`,
  source: "RFC 6750 §3.1; CWE-645",
  signsAsIssuer: true,
};

export const rule: Rule = defineRule({
  id: "receiver.claims-accepted",
  title: "A good token is accepted with any `grant_type` and with unknown members",
  level: "SHOULD",
  verifies: ["claims.grant-type", "rfc7519.unknown-claims", "rfc7515.unknown-header"],
  dependsOn: ["receiver.isolation/side-by-side"],
  cases: (facts) => {
    const [read, write] = [oneRead(facts), oneReadOneWrite(facts).slice(1)];
    const ofES256 = greaterS(facts);
    return [
      ...accepts(read, [...grantTypes, nestedClaim, ...registeredClaims, ...spellings]),
      ...custom(read, [sameToken], acceptsTwice),
      ...custom(read, [afterRejected], acceptsAfterRejected, { sends: REJECTED_BEFORE + 1 }),
      ...(ofES256
        ? custom(read, [ofES256.greater], (probe) => acceptsGreater(probe, ofES256))
        : []),
      // Accepted writes are limited, so one case stands for all.
      ...accepts(write, [nestedClaim]),
    ];
  },
});

async function acceptsTwice(probe: Probe): Promise<Finding> {
  let token: string | undefined;
  const twice: Mutation = {
    ...sameToken,
    token: { ...sameToken.token, text: (segments) => (token ??= compact(segments)) },
  };
  const age = probe.newAge();
  const first = await probe.accepts(twice, { age });
  return first.kind === "pass" ? probe.accepts(twice, { age }) : first;
}

async function acceptsAfterRejected(probe: Probe): Promise<Finding> {
  for (let sent = 0; sent < REJECTED_BEFORE; sent++) await probe.tryAttempt(expired);
  return probe.accepts(afterRejected);
}

/** Another rule judges whether ES256 keys are accepted at all. */
async function acceptsGreater(
  probe: Probe,
  { good, greater }: NonNullable<ReturnType<typeof greaterS>>,
): Promise<Finding> {
  const first = await probe.accepts(good);
  if (first.kind === "pass") return probe.accepts(greater);
  const reason = phrase`no ES256 token is accepted, whatever its \`s\``;
  return first.kind === "fail" ? Finding.inconclusive(reason) : first;
}
