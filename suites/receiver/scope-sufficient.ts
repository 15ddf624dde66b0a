import { OPERATION_IDS, type Scope, SCOPES } from "../../src/contract/operations.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { accepts, custom, type MutationCase, oneRead } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import {
  afterAcceptance,
  afterOtherOperation,
  onceAcceptedThere,
  onceRefusedElsewhere,
} from "./ways/reused.ts";

function among(
  name: string,
  place: (required: Scope, others: readonly Scope[]) => Scope[],
): Mutation {
  return {
    name,
    what: `the required scope is ${name} in \`scope\``,
    token: {
      claims: (_draft, { operation: { scope } }) => ({
        scope: place(
          scope,
          SCOPES.filter((other) => other !== scope),
        ).join(" "),
      }),
    },
  };
}

const alone: Mutation = {
  ...among("alone", (required) => [required]),
  asks: ({ operation }) => ({ scopes: [operation.scope] }),
};
const amongOthers = [
  among("first", (required, others) => [required, ...others]),
  among("middle", (required, [head, ...tail]) => [head as Scope, required, ...tail]),
  among("last", (required, others) => [...others, required]),
];
const amongForeign: Mutation & { level: "SHOULD" } = {
  name: "among-foreign",
  what: "the required scope is among scopes of other services",
  level: "SHOULD",
  token: {
    claims: (_draft, { operation }) => ({ scope: `openid ${operation.scope} offline_access` }),
  },
};

/** A scope of another service, of this many characters; RFC 6749 section 3.3 sets no limit. */
function foreignScope(at: number, length: number): string {
  return `service-${at}:`.padEnd(length, "x");
}

/** @param before the number of scopes of other services before the required one, and the characters of each */
function behind(
  name: string,
  what: string,
  before: { readonly scopes: number; readonly length: number },
): Mutation & { level: "SHOULD" } {
  const others = Array.from({ length: before.scopes }, (_, at) => foreignScope(at, before.length));
  return {
    name,
    what: `the required scope is ${what} in \`scope\``,
    source: "RFC 6749 §3.3",
    level: "SHOULD",
    token: {
      claims: (_draft, { operation }) => ({ scope: [...others, operation.scope].join(" ") }),
    },
  };
}

/** A receiver may have a limit for the number of scopes, or for the characters of all: that of a column, a cookie or an array. */
const manyScopes = [
  behind("ninth", "the ninth", { scopes: 8, length: 10 }),
  behind("thirtieth", "the thirtieth", { scopes: 29, length: 11 }),
  behind("after-255", "after 255 characters of others", { scopes: 4, length: 63 }),
  behind("after-1000", "after 1,000 characters of others", { scopes: 7, length: 142 }),
];

export const rule: Rule = defineRule({
  id: "receiver.scope-sufficient",
  title: "The required scope is enough, alone or at any position among others",
  level: "MUST",
  verifies: [
    "checks.scope",
    "endpoints.list-organizations.scope",
    "endpoints.view-organization.scope",
    "endpoints.edit-organization.scope",
    "endpoints.submit-change.scope",
    "endpoints.read-changes-feed.scope",
    "endpoints.read-change.scope",
    "scopes.no-organization",
    "scopes.org-read",
    "scopes.org-write",
    "scopes.org-changes-read",
    "scopes.org-changes-write",
    "scopes.independent",
    "claims.scope",
    "rfc6749.scope",
  ],
  // Where another scope is required, this one does not suffice either.
  dependsOn: ["receiver.isolation/side-by-side", "receiver.scope/all-others"],
  cases: (facts) => [
    ...OPERATION_IDS.flatMap((operation) => [
      ...custom([operation], [alone], acceptsAlone),
      ...accepts([operation], amongOthers),
    ]),
    ...accepts(oneRead(facts), [amongForeign, ...manyScopes]),
    ...custom(oneRead(facts), [onceRefusedElsewhere], afterOtherOperation),
    ...custom(oneRead(facts), [onceAcceptedThere], afterAcceptance, { sends: 2 }),
  ],
});

/** The control may have shown this already, with a token that the suite signed for one scope. */
async function acceptsAlone(probe: Probe, { mutation, operation }: MutationCase): Promise<Finding> {
  const { form, exchange } = await probe.control(operation);
  return form.scopes === "required" && !probe.target.issued
    ? Finding.pass({ probes: [exchange], controls: [exchange] })
    : probe.accepts(mutation);
}
