import { describe, expect, test } from "vitest";

import type { Patch } from "../../../src/reference/steps.ts";
import { runAgainstReference } from "../../support/run-against.ts";
import { runCases } from "../support.ts";
import { observation } from "./support.ts";

describe("a submission that nothing names", () => {
  const LISTED = "the feed lists it without an id";
  test.for(
    Object.entries<[string | undefined, unknown, string]>({
      "no body": [
        undefined,
        undefined,
        `202 Accepted names no change: it has no Location of one, and no JSON in which an id could be; ${LISTED}; to have this judged, let the answer or the feed name the change`,
      ],
      "a body without an id": [
        undefined,
        { state: "received" },
        `no id of the change was recognised in the answer; ${LISTED}; if the answer has one, set \`operations.submitChange.id\` to its JSON Pointer`,
      ],
      "a body without what the profile points to": [
        "/change/id",
        { state: "received" },
        `\`operations.submitChange.id\`, /change/id, points to no id in the answer; ${LISTED}; if the answer has one, set \`operations.submitChange.id\` to its JSON Pointer`,
      ],
    }),
  )("has a remedy that fits an answer with %s", async ([, [id, body, reason]]) => {
    const { results } = await runCases("resources.submit/readable*", {
      variants: ["feed-without-ids"],
      patches: [
        {
          submitChange: (original) => (call) => {
            original(call);
            return { status: 202, body };
          },
        },
      ],
      patienceMs: 200,
      profile: { operations: { submitChange: { id } } },
    });
    expect(results.map((one) => one.reason)).toEqual([reason]);
  });
});

test("what the contract leaves open is observed", async () => {
  const options = { patterns: ["resources.*"] };
  const queue = await runAgainstReference({ variants: ["review-queue"] }, options);
  expect(observation(queue, "resources.submit/in-feed@submitChange")).toBe("not in the feed");
  expect(observation(queue, "resources.submit/applied@submitChange")).toBe("not applied yet");
  const atOnce = await runAgainstReference({ variants: ["submissions-applied"] }, options);
  expect(observation(atOnce, "resources.submit/applied@submitChange")).toBe("applied at once");
  const relative = await runAgainstReference({ variants: ["location-relative"] }, options);
  expect(observation(relative, "resources.submit/id@submitChange")).toBe("Location, relative");
  expect(observation(relative, "shape.submitChange")).toBe("no body (3 times)");
  expect(observation(relative, "shape.viewOrganization")).toContain('"format":"uuid"');
});

test("whether a submission that is refused is in the feed is recorded", async () => {
  const first: Patch = {
    submitChange: (original) => (call) => {
      try {
        return original(call);
      } catch (error) {
        const { mission } = call.body as { mission?: unknown };
        original({ ...call, body: { mission } });
        throw error;
      }
    },
  };
  const options = { patterns: ["resources.submit/refused-in-part@submitChange"] };
  const seen = async (patches: readonly Patch[]): Promise<string | undefined> =>
    observation(
      await runAgainstReference({ patches }, options),
      "resources.submit/refused-in-part@submitChange",
    );
  expect(await seen([first])).toContain("the feed shows a part of it");
  expect(await seen([])).toContain("the feed does not show it");
});
