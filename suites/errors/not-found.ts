import { type Operation, type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { besideOthers, custom, type MutationCase } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Attempt, AttemptOptions, Probe } from "../../src/probe/probe.ts";
import { describeReply, hungUp, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import {
  extendedChange,
  extendedOrganization,
  injectedIds,
  malformedChange,
  malformedOrganization,
  patternChange,
  patternOrganization,
  unknownChange,
  unknownOrganization,
} from "../shared/mutations/requests.ts";

const READS: readonly OperationId[] = ["viewOrganization", "readChangesFeed", "readChange"];
/** A text that does not look like an id. */
const MALFORMED = "conformance";
const WRITES: readonly OperationId[] = ["editOrganization", "submitChange"];

export const rule: Rule = defineRule({
  id: "errors.not-found",
  title: "A request for something that does not exist is answered with a 4xx, preferably 404",
  level: "SHOULD",
  verifies: [
    "errors.kind.not-found",
    "endpoints.org-id",
    "endpoints.change-id",
    "rfc9110.status-classes",
    "rfc9110.not-found",
  ],
  cases() {
    return [
      ...notFound([...READS, ...WRITES], unknownOrganization, (probe, operation) =>
        inOrganization(probe, operation, probe.uuid("organization")),
      ),
      ...notFound(
        ["viewOrganization", "readChangesFeed"],
        malformedOrganization,
        (probe, operation) => inOrganization(probe, operation, MALFORMED),
      ),
      ...notFound(["readChange"], unknownChange, (probe) => ({ changeId: probe.uuid("change") })),
      ...notFound(["readChange"], malformedChange, () => ({ changeId: MALFORMED })),
      ...notFound(["viewOrganization"], extendedOrganization, async (probe, operation) =>
        inOrganization(probe, operation, `${await primaryOf(probe)}0`),
      ),
      ...notFound(["viewOrganization"], patternOrganization, async (probe, operation) =>
        inOrganization(probe, operation, asPattern(await primaryOf(probe))),
      ),
      ...notFound(["readChange"], extendedChange, async (probe, operation) => ({
        changeId: `${await changeOf(probe, operation)}x`,
      })),
      ...notFound(["readChange"], patternChange, async (probe, operation) => ({
        changeId: asPattern(await changeOf(probe, operation)),
      })),
      ...injectedIds.flatMap(({ id, of }, at) => [
        // The feed of every organization would be in one answer.
        ...notFound(
          at === 0 ? ["viewOrganization", "readChangesFeed"] : ["viewOrganization"],
          of("organization"),
          (probe, operation) => inOrganization(probe, operation, id),
        ),
        ...notFound(["readChange"], of("change"), () => ({ changeId: id })),
      ]),
    ];
  },
});

type Place = (probe: Probe, operation: OperationId) => AttemptOptions | Promise<AttemptOptions>;

/** A case on each operation for something that does not exist. */
function notFound(
  operations: readonly OperationId[],
  mutation: Mutation,
  place: Place,
): (MutationCase & RuleCase)[] {
  const judgeOn = async (probe: Probe, { operation }: MutationCase): Promise<Finding> =>
    judge(await probe.attempt(mutation, await place(probe, operation)), OPERATIONS[operation]);
  return custom(operations, [mutation], judgeOn, {
    // The rejection itself is a MUST; the status is advice.
    level: "MUST",
    grounds: { source: mutation.source ?? "contract, Errors; RFC 9110 §15.5.5" },
  }).map(besideOthers);
}

/** A bound token is bound to the organization in the path, so that the binding is no reason. */
async function inOrganization(
  probe: Probe,
  operation: OperationId,
  organization: string,
): Promise<AttemptOptions> {
  const unbound = await probe.tryControl(operation, { bound: false });
  return { organization, bound: "control" in unbound ? false : undefined };
}

async function primaryOf(probe: Probe): Promise<string> {
  const { primary = "" } = await probe.organizations();
  return primary;
}

async function changeOf(probe: Probe, operation: OperationId): Promise<string> {
  const { place } = await probe.control(operation);
  return place.changeId ?? "";
}

/** An id with an underscore in place of the last character that is not one. */
function asPattern(id: string): string {
  return id.replace(/[^_](?=_*$)/, "_");
}

function judge({ reply, evidence, onContractRoute }: Attempt, { writes }: Operation): Finding {
  const actual = describeReply(reply);
  if (hungUp(reply) && !onContractRoute) return Finding.pass(evidence, actual);
  const expected = phrase`a 4xx, preferably 404`;
  switch (reception(reply)) {
    case "rejected":
      return Finding.pass(evidence, actual);
    case "unclear":
      return Finding.inconclusive(actual, evidence);
    case "accepted":
      // A write that is accepted may have created what it names, so a second one may be refused for another reason.
      return { kind: "fail", expected, actual, evidence, ...(writes && { certainty: "proof" }) };
    case "redirected":
    case "broken":
      return { kind: "fail", expected, actual, evidence, atMost: "SHOULD" };
  }
}
