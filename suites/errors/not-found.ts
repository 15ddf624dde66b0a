import type { OperationId } from "../../src/contract/operations.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import {
  extendedChange,
  malformedChange,
  malformedOrganization,
  unknownChange,
  unknownOrganization,
} from "../../src/mutations/request/requests.ts";
import { casesOn, oneReadOneWrite } from "../../src/probe/cases.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { AttemptOptions, Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";

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
  async probe(probe, { operation, mutation }): Promise<Finding> {
    const { reply, evidence } = await probe.attempt(
      mutation,
      await placeOf(probe, operation, mutation),
    );
    const actual = describeReply(reply);
    switch (reception(reply)) {
      case "rejected":
        return { kind: "pass", reason: actual, evidence };
      case "unclear":
        return { kind: "inconclusive", reason: actual, evidence };
      case "accepted":
        return { kind: "fail", expected: phrase`a 4xx, best 404`, actual, evidence };
      case "redirected":
      case "broken":
        return {
          kind: "fail",
          expected: phrase`a 4xx, best 404`,
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
  mutation: Mutation,
): Promise<AttemptOptions> {
  switch (mutation) {
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
        mutation === unknownOrganization ? probe.uuid("organization") : "conformance";
      return { organization, bound: "control" in unbound ? false : undefined };
    }
  }
}
