import { isObject } from "../../src/lib/json.ts";
import { judgedBy } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { unnamedOrganization } from "../../src/probe/read/listing.ts";
import { organizationIds, organizationOf, showsOrganization } from "../../src/probe/read/shapes.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { type CaseData, defineRule, type Rule } from "../../src/probe/rule.ts";
import { reading } from "../../src/probe/write/unique-marker.ts";

const operation = "viewOrganization";
const ANY = { name: "", what: "a good token", bound: undefined };
const UNBOUND = { name: "-unbound", what: "an unbound token", bound: false };

interface ViewCase extends CaseData {
  /** Default: one that only the list names. */
  readonly place?: "primary" | "other";
  readonly token: typeof ANY | typeof UNBOUND;
}

const cases: readonly ViewCase[] = [
  ...(["primary", "other"] as const).flatMap((place) =>
    [ANY, UNBOUND].map((token): ViewCase => ({
      id: `${place}${token.name}@${operation}`,
      title: `the ${place} organization, viewed with ${token.what}`,
      operation,
      needs: [`organizations.${place}` as const],
      place,
      token,
    })),
  ),
  {
    id: `listed@${operation}`,
    title: "an organization that is listed and that the profile does not name",
    operation,
    sends: 2,
    token: ANY,
  },
];

export const rule: Rule = defineRule({
  id: "resources.view",
  title: "The view shows the organization that was requested, with its UUID id",
  level: "MUST",
  verifies: [
    "endpoints.view-organization",
    "service.list-and-view",
    "organization.id",
    "organization.id-in-paths",
    "endpoints.org-id",
    "rfc9562.text-form",
  ],
  dependsOn: ["receiver.isolation"],
  phase: "state",
  cases: () => judgedBy(cases, judge),
});

async function judge(probe: Probe, { place, token: { bound } }: ViewCase): Promise<Finding> {
  if (!place) await probe.control(operation);
  const organization = place ? await probe.organization(place) : await unnamedOrganization(probe);
  if (organization === undefined)
    return Finding.notApplicable(phrase`no other organization is listed`);
  if (bound === false && "refusal" in (await probe.tryControl(operation, { bound }))) {
    await probe.control(operation);
    return Finding.notApplicable(phrase`the view refuses unbound tokens`);
  }
  const { reply, evidence } = await probe.attempt(reading, { organization, bound });
  const received = reception(reply);
  if (bound === false && received === "rejected") {
    return Finding.observed(phrase`${describeReply(reply)}: policy refuses the unbound token`);
  }
  if (place === undefined && received === "rejected") {
    // The list may show more than may be viewed.
    return Finding.observed(phrase`${describeReply(reply)}, although it is listed`);
  }
  if (received !== "accepted") return Finding.inconclusive(describeReply(reply), evidence);
  const shown = organizationOf(reply.json(), probe.target.operations[operation], organization);
  if (!isObject(shown))
    return Finding.inconclusive(phrase`the answer is not a JSON object`, evidence);
  if (showsOrganization(shown, organization)) return Finding.pass(evidence);
  const ids = organizationIds(shown);
  return {
    kind: "fail",
    expected: phrase`the organization with the id ${organization}`,
    actual:
      ids[0] === undefined
        ? phrase`no id that is a UUID${otherId(shown)}`
        : phrase`it shows ${valueFact(ids[0])}`,
    evidence,
  };
}

function otherId({ id }: Readonly<Record<string, unknown>>): string {
  return id === undefined ? "" : `: id is ${JSON.stringify(id).slice(0, 60)}`;
}
