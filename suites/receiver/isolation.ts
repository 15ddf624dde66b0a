import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import { type Mutation, signedAnew } from "../../src/mutations/mutation.ts";
import { boundTo } from "../../src/mutations/token/binding.ts";
import { deniedSubject } from "../../src/mutations/token/policy.ts";
import { type Evidence, Finding, optional } from "../../src/probe/finding.ts";
import { countFact, type Phrase, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { otherChange } from "../shared/feed.ts";
import { noCredentials } from "../shared/mutations/credentials.ts";
import { otherScopes } from "../shared/mutations/scope.ts";
import { afterRefusal } from "./isolation/after-a-refusal.ts";
import { afterAnother, boundToOrganization } from "./isolation/after-another.ts";
import { type Crossing, crossingsOf, ownerOf, provenOf } from "./isolation/crossing.ts";
import { onOneConnection } from "./isolation/one-connection.ts";
import { type Alone, askAlone, type Kind } from "./isolation/side-by-side.ts";

/** The most exchanges that the evidence names. */
const MOST_SHOWN = 4;

/** Signed anew each time, as the others are. Otherwise it would be ready sooner and always arrive first. */
const good: Mutation = { ...signedAnew, name: "own" };

const byItsOwnToken = {
  grounds: {
    why: "what one request may do follows from the token that it carries, and from no other",
    source: "contract, Model",
  },
};

export const rule: Rule = defineRule({
  id: "receiver.isolation",
  title: "Each of several parallel requests is judged by its own token",
  level: "MUST",
  crossing: true,
  // First it has to be known what each token may do alone.
  phase: "quiet",
  verifies: [
    "authentication.scopes-and-binding-from-token",
    "checks.scope",
    "checks.binding",
    "checks.local-policy",
    "binding.present",
    "binding.absent",
  ],
  dependsOn: ["receiver.token-required/missing"],
  // This takes many requests, and a run may make only few writes.
  cases: () => [
    ...OPERATION_IDS.filter((id) => !OPERATIONS[id].writes).map((operation): RuleCase => ({
      ...byItsOwnToken,
      id: `side-by-side@${operation}`,
      title: "tokens of different scopes and organizations, side by side",
      operation,
      mutation: [otherScopes],
      sends: OPERATIONS[operation].organization ? 36 : 45,
      judge: (probe) => sideBySide(probe, operation),
    })),
    {
      ...byItsOwnToken,
      id: "after-another@viewOrganization",
      title:
        "an unbound token, right after tokens that are bound to one organization and to another",
      operation: "viewOrganization",
      needs: ["claimsNamespace", "organizations.other"],
      sends: 2,
      judge: afterAnother,
    },
    {
      ...byItsOwnToken,
      id: "same-connection@viewOrganization",
      title: "requests that must be rejected, on the connection of one that was accepted",
      operation: "viewOrganization",
      mutation: [noCredentials, otherScopes],
      sends: 3,
      judge: onOneConnection,
    },
    {
      ...byItsOwnToken,
      id: "after-a-refusal",
      title:
        "a good request right after a refused one with the same URL, where a good token was refused though nothing was wrong",
      phase: "trouble",
      control: { bracket: "before" },
      sends: 0,
      judge: afterRefusal,
    },
  ],
});

async function sideBySide(probe: Probe, operation: OperationId): Promise<Finding> {
  const alone = new Map<Kind, Alone>();
  for (const kind of await kindsFor(probe, operation)) {
    const asked = askAlone(probe, operation, kind);
    const found = kind.optional ? await optional(asked) : await asked;
    if (found && !(kind.optional && found.received === "unclear")) alone.set(kind, found);
  }
  const before = [...alone.values()].flatMap(({ exchanges }) => exchanges);
  if ([...alone.values()].some(({ received }) => received === "unclear")) {
    const reason = phrase`sent one after another, not all got a clear answer`;
    return Finding.inconclusive(reason, { probes: before });
  }
  if (new Set([...alone.values()].map(inShort)).size === 1) {
    const reason = phrase`one after another, tokens of different scopes all get the same answer`;
    return Finding.inconclusive(reason, { probes: before });
  }
  const { crossings, asked, overlapping, deferred, unclear, last } = await crossingsOf(
    probe,
    operation,
    alone,
  );
  if (!overlapping && deferred) {
    const reason = phrase`the deployment answers one request at a time, and tells all others to try again`;
    return Finding.notApplicable(reason);
  }
  if (!overlapping) {
    const reason = phrase`requests must overlap to judge this, and none did. Raise --concurrency and \`request.maxRequestsPerSecond\``;
    return Finding.inconclusive(reason, { probes: last.slice(-2) });
  }
  if (crossings.length === 0 && unclear.some(({ optional: isOptional }) => !isOptional)) {
    return Finding.inconclusive(phrase`side by side, not all were answered clearly`, {
      probes: last,
    });
  }
  if (crossings.length === 0) return Finding.pass({ probes: last.slice(-alone.size) });
  const foreign = crossings.filter(({ what }) => what !== "less");
  if (foreign.length === 0) {
    const reason = phrase`side by side, ${countFact(crossings.length, "request")} got a refusal or less than alone, one after another. Either tokens crossed, or the deployment limits how much is asked at once`;
    return Finding.inconclusive(reason, evidenceOf(crossings));
  }
  // The order of the evidence must not depend on which request arrived first.
  const proven = (await provenOf(probe, operation, foreign)).toSorted(
    (a, b) => Number(b.what === "foreign") - Number(a.what === "foreign"),
  );
  const musts = proven.filter(({ kind }) => kind.denied === undefined);
  const [first, ...more] = musts.length > 0 ? musts : proven;
  if (!first) {
    const reason = phrase`requests side by side, and later one alone, got what only another organization had shown before. The suite cannot tell whose it is`;
    return Finding.inconclusive(reason, evidenceOf(foreign));
  }
  return {
    kind: "fail",
    expected: phrase`${expectedOf(first, alone)}, as one after another`,
    actual: phrase`${actualOf(first, operation, alone)}; answered otherwise in ${crossings.length} of ${asked} requests side by side`,
    evidence: evidenceOf([first, ...more]),
    // Alone the request was refused or showed its own data, so one crossing is proof.
    certainty: more.length > 0 ? "many" : "proof",
    // Local policy decides what a list may show.
    ...(musts.length === 0 && { atMost: "SHOULD" as const }),
  };
}

/**
 * Requests that must be answered differently. Each is first sent alone. If a receiver does not distinguish them then, other
 * rules report that, and a record that two of them show belongs to neither.
 */
async function kindsFor(probe: Probe, operation: OperationId): Promise<Kind[]> {
  const { bindingClaim, denied } = probe.target;
  const { primary, other } = await probe.organizations();
  const scopeless: Kind = { mutation: otherScopes, options: {}, refused: true };
  if (!OPERATIONS[operation].organization) {
    const bound =
      bindingClaim === undefined ? [] : [primary, other].filter((id) => id !== undefined);
    return [
      { mutation: good, options: {} },
      scopeless,
      ...bound.map((organization): Kind => ({
        mutation: boundTo(organization),
        options: {},
        organization,
        optional: true,
      })),
      ...(denied?.operations.includes("viewOrganization")
        ? [{ ...ofDeniedSubject, options: { bound: false }, denied: denied.organization }]
        : []),
    ];
  }
  const { form } = await probe.control(operation);
  const elsewhere = {
    mutation: form.bound ? boundToOrganization : good,
    options: { organization: other },
    organization: other,
    optional: true,
  };
  // Only `readChange` uses it, but it is read now so that the request does not disturb the case of the feed.
  const isOfChanges = OPERATIONS[operation].scope === "org.changes:read";
  const change = isOfChanges ? await probe.use(otherChange) : undefined;
  return [
    { mutation: good, options: {}, organization: primary },
    { ...scopeless, organization: primary },
    ...(other === undefined ? [] : [elsewhere]),
    ...(change !== undefined && OPERATIONS[operation].change
      ? [{ ...elsewhere, options: { organization: other, changeId: change } }]
      : []),
    ...(denied?.operations.includes(operation) && !OPERATIONS[operation].change
      ? [
          {
            ...ofDeniedSubject,
            options: { organization: denied.organization },
            organization: denied.organization,
            refused: true,
          },
        ]
      : []),
  ];
}

const ofDeniedSubject = { mutation: deniedSubject, optional: true } as const;

function expectedOf({ kind }: Crossing, alone: ReadonlyMap<Kind, Alone>): Phrase {
  return alone.get(kind)?.received === "refused"
    ? phrase`refused`
    : phrase`accepted, and shown its own`;
}

function actualOf(
  { kind, record }: Crossing,
  operation: OperationId,
  alone: ReadonlyMap<Kind, Alone>,
): Phrase {
  if (record === undefined) return phrase`accepted`;
  if (operation === "viewOrganization" || operation === "listOrganizations") {
    return phrase`accepted, and shown the organization ${valueFact(record)}`;
  }
  const { organization } = ownerOf(kind, record, alone) ?? {};
  return phrase`accepted, and shown a change of the organization ${valueFact(organization)}`;
}

/** The answers to a kind alone, as a text that can be compared. */
function inShort({ received, own }: Alone): string {
  return [received, ...[...own].toSorted()].join(" ");
}

function evidenceOf(crossings: readonly Crossing[]): Evidence {
  return { probes: crossings.slice(0, MOST_SHOWN).map(({ exchange }) => exchange) };
}
