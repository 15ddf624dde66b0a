import type { Mutation } from "../../src/mutations/mutation.ts";
import { expired } from "../../src/mutations/token/expiry.ts";
import {
  grantTypes,
  greaterS,
  nestedClaim,
  registeredClaims,
  spellings,
} from "../../src/mutations/valid-variations.ts";
import { casesOn, oneRead, oneReadOneWrite } from "../../src/probe/cases.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";

const REJECTED_BEFORE = 5;

const sameToken: Mutation = {
  name: "same-token",
  what: "the very same token was accepted a moment ago",
};
const afterRejected: Mutation = {
  name: "after-rejected",
  what: `${REJECTED_BEFORE} expired tokens were rejected a moment ago`,
};

export const rule: Rule = defineRule({
  id: "receiver.claims-accepted",
  title: "Whatever its `grant_type`, and with members that nobody knows, a good token is accepted",
  level: "SHOULD",
  verifies: ["claims.grant-type", "rfc7519.unknown-claims", "rfc7515.unknown-header"],
  dependsOn: ["receiver.isolation"],
  cases: (target) => {
    const [read, write] = [oneRead(target), oneReadOneWrite(target).slice(1)];
    const greater = greaterS(target)?.greater;
    return [
      ...casesOn(read, [...grantTypes, nestedClaim, ...registeredClaims, ...spellings]),
      ...casesOn(read, [sameToken, afterRejected, ...(greater ? [greater] : [])]),
      // Accepted writes are few: one stands for all.
      ...casesOn(write, [nestedClaim]),
    ];
  },
  async probe(probe, { mutation }) {
    switch (mutation.name) {
      case sameToken.name: {
        let token: string | undefined;
        const twice: Mutation = {
          ...sameToken,
          text: ({ header, payload, signature }) => (token ??= `${header}.${payload}.${signature}`),
        };
        const first = await probe.accepts(twice);
        return first.kind === "pass" ? probe.accepts(twice) : first;
      }
      case afterRejected.name:
        for (let sent = 0; sent < REJECTED_BEFORE; sent++) await probe.tryAttempt(expired);
        return probe.accepts(afterRejected);
      case "es256-greater-s": {
        // Whether keys for ES256 are taken at all is another rule's business.
        const good = greaterS(probe.target)?.good;
        const first = await probe.accepts(good ?? mutation);
        if (first.kind === "pass") return probe.accepts(mutation);
        const reason = phrase`no ES256 token is accepted, whatever its \`s\``;
        return first.kind === "fail" ? { kind: "inconclusive", reason } : first;
      }
      default:
        return probe.accepts(mutation);
    }
  },
});
