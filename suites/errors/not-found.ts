import type { OperationId } from "../../src/contract/operations.ts";
import { casesOn, oneReadOneWrite } from "../../src/probe/cases.ts";
import type { Finding } from "../../src/probe/finding.ts";
import type { AttemptOptions, Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import {
  extendedChange,
  malformedChange,
  malformedOrganization,
  unknownChange,
  unknownOrganization,
} from "../../src/tokens/breakages/requests.ts";
import type { Change } from "../../src/tokens/change.ts";

const READS: readonly OperationId[] = ["viewOrganization", "readChangesFeed", "readChange"];
const WRITES: readonly OperationId[] = ["editOrganization", "submitChange"];

export const rule: Rule = defineRule({
  id: "errors.not-found",
  title: "What does not exist is answered with a 4xx, best a 404",
  level: "SHOULD",
  verifies: [
    "errors.kind.not-found",
    "endpoints.org-id",
    "endpoints.change-id",
    "rfc9110.status-classes",
    "rfc9110.not-found",
  ],
  cases(target) {
    const cases = [
      ...casesOn([...READS, ...oneReadOneWrite(target, WRITES)], [unknownOrganization]),
      ...casesOn(["viewOrganization", "readChangesFeed"], [malformedOrganization]),
      ...casesOn(["readChange"], [unknownChange, malformedChange, extendedChange]),
    ];
    // That it is not served is definite; how it is refused is advice.
    return cases.map((testCase) => ({ ...testCase, level: "MUST" as const }));
  },
  async probe(probe, { operation, change }): Promise<Finding> {
    const { reply, evidence } = await probe.attempt(
      change,
      await placeOf(probe, operation, change),
    );
    const actual = describeReply(reply);
    switch (reception(reply)) {
      case "rejected":
        return { kind: "holds", reason: actual, evidence };
      case "unclear":
        return { kind: "undecided", reason: actual, evidence };
      case "accepted":
        return { kind: "violated", expected: "a 4xx, best 404", actual, evidence };
      case "redirected":
      case "broken":
        return {
          kind: "violated",
          expected: "a 4xx, best 404",
          actual,
          evidence,
          atMost: "SHOULD",
        };
    }
  },
});

async function placeOf(
  probe: Probe,
  operation: OperationId,
  change: Change,
): Promise<AttemptOptions> {
  switch (change) {
    case unknownChange:
      return { changeId: probe.uuid("change") };
    case malformedChange:
      return { changeId: "conformance" };
    case extendedChange: {
      const { place } = await probe.control(operation);
      return { changeId: `${place.changeId ?? ""}x` };
    }
    default: {
      // A bound token goes along with the path, since it would fail check 6 otherwise.
      const unbound = await probe.tryControl(operation, { bound: false });
      const organization =
        change === unknownOrganization ? probe.uuid("organization") : "conformance";
      return { organization, bound: "control" in unbound ? false : undefined };
    }
  }
}
