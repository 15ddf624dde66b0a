import { setImmediate } from "node:timers/promises";

import { expect, test } from "vitest";

import { OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import { type Answer, refusal, refusing, runTiny, type TinyRun } from "./tiny.ts";

test("after a control is refused, a later phase finds a new control", async () => {
  const early = refusing();
  const late = refusing(["viewOrganization"], { id: "tiny.late", phase: "quiet" });
  const { outcomes } = await runTiny([early, late], {
    // Once the control has been sent again, another `typ` is wanted.
    behaviour: ({ number, header, isControl }) => {
      const changed = number > 2 && (isControl || header?.["typ"] !== "JWT");
      return changed && header?.["typ"] === "JWT" ? refusal(401) : undefined;
    },
  });
  expect(outcomes).toEqual({
    // It is tried once more at the end.
    "tiny.refusing/bad@viewOrganization": "pass",
    "tiny.late/bad@viewOrganization": "pass",
  });
});

test("a control that is refused leaves those of other operations as they are", async () => {
  const early = refusing(["viewOrganization"]);
  const late = refusing(["editOrganization"], { id: "tiny.late", phase: "quiet" });
  let probed = false;
  const { outcomes, calls } = await runTiny([early, late], {
    behaviour: ({ operation, isBad, isControl }) => {
      if (operation !== "viewOrganization") return undefined;
      probed ||= isBad;
      return probed && isControl ? refusal(401) : undefined;
    },
  });
  expect(outcomes).toEqual({
    "tiny.refusing/bad@viewOrganization": "inconclusive",
    "tiny.late/bad@editOrganization": "pass",
  });
  // Found once and sent again after each try, and not found anew in between: each is a write.
  const edits = calls.filter(({ operation }) => operation === "editOrganization");
  expect(edits.filter(({ isControl }) => isControl)).toHaveLength(3);
});

test("the feed is read before a change is submitted", async () => {
  let answered = false;
  const tooEarly: (OperationId | undefined)[] = [];
  await runTiny([refusing(OPERATION_IDS)], {
    behaviour: async ({ operation, method }) => {
      if (method !== "GET" && !answered) tooEarly.push(operation);
      if (operation !== "readChangesFeed") return undefined;
      // A write that does not wait for this answer arrives in the meantime.
      for (let turn = 0; turn < 200; turn++) await setImmediate();
      answered = true;
      return undefined;
    },
  });
  expect(tooEarly).toEqual([]);
  expect(answered).toBe(true);
});

test("reads go on beside the search for the other controls", async () => {
  let arrive: () => void;
  const arrived = new Promise<undefined>((resolve) => (arrive = () => resolve(undefined)));
  const { outcomes } = await runTiny([refusing(["viewOrganization", "readChangesFeed"])], {
    behaviour: ({ operation, isBad }) => {
      if (operation === "viewOrganization" && isBad) arrive();
      // A run that looked for all controls first would never send that read.
      return operation === "readChangesFeed" && !isBad ? arrived : undefined;
    },
  });
  expect(outcomes).toEqual({
    "tiny.refusing/bad@viewOrganization": "pass",
    "tiny.refusing/bad@readChangesFeed": "pass",
  });
});

test("a change that cannot be found anywhere makes its cases not provisioned", async () => {
  const { results } = await runTiny([refusing(["readChange"])], {
    behaviour: ({ operation }) => {
      if (operation === "readChangesFeed") return { status: 200, body: { items: [] } };
      return operation === "readChange" ? refusal(404) : undefined;
    },
    patienceMs: 0,
  });
  expect(results[0]).toMatchObject({
    outcome: "not-provisioned",
    missing: ["operations.readChange.changeId"],
  });
});

test("the run waits until a change that it just submitted can be read", async () => {
  let asked = 0;
  const { results } = await runTiny([refusing(["readChange"])], {
    behaviour: ({ operation, isBad }) => {
      if (operation === "readChangesFeed") return { status: 200, body: { items: [] } };
      if (operation !== "readChange" || isBad) return undefined;
      asked += 1;
      return asked === 1 ? refusal(404) : undefined;
    },
  });
  expect(results[0]?.outcome).toBe("pass");
});

test("without consent to writes, the control of a write is not provisioned", async () => {
  const rule = refusing(["viewOrganization"], {
    judge: async (probe) => {
      const found = await probe.tryControl("editOrganization");
      return "refusal" in found ? found.refusal.finding : { kind: "pass" };
    },
  });
  const { results } = await runTiny([rule], { readOnly: true });
  expect(results[0]).toMatchObject({ outcome: "not-provisioned", missing: ["writes"] });
});

test("an unbound token is tried first on the list, and a bound one on an organization", async () => {
  const { calls } = await runTiny([refusing(["listOrganizations", "viewOrganization"])]);
  const boundFirst = (operation: string): boolean | undefined => {
    const first = calls.find((call) => call.isControl && call.operation === operation);
    return first && Object.hasOwn(first.claims ?? {}, "https://example.com/org_id");
  };
  expect([boundFirst("listOrganizations"), boundFirst("viewOrganization")]).toEqual([false, true]);
});

test("a control is sent again after an answer that shows nothing", async () => {
  const { outcomes, calls } = await runTiny([refusing()], {
    behaviour: ({ isControl, ofCase }) => (isControl && ofCase === 1 ? { status: 408 } : undefined),
  });
  expect(outcomes).toEqual({ "tiny.refusing/bad@viewOrganization": "pass" });
  // Once more before the probe, and once after it.
  expect(calls.filter(({ isControl }) => isControl)).toHaveLength(3);
});

/** Runs a case on an operation whose control fails this many times after the probe. */
async function troubledAfter(
  operation: OperationId,
  trouble: Answer,
  times: number,
): Promise<{ outcomes: TinyRun["outcomes"]; after: number }> {
  let probed = false;
  let after = 0;
  const { outcomes } = await runTiny([refusing([operation])], {
    behaviour: (call) => {
      if (call.operation !== operation) return undefined;
      probed ||= call.isBad;
      if (!probed || !call.isControl) return undefined;
      after += 1;
      return after <= times ? trouble : undefined;
    },
  });
  return { outcomes, after };
}

test.each<[what: string, trouble: Answer]>([
  ["503", { status: 503 }],
  ["502", { status: 502 }],
  ["no answer", { status: 0 }],
])("a control that gets %s four times is sent until it is accepted", async (_, trouble) => {
  const { outcomes, after } = await troubledAfter("editOrganization", trouble, 4);
  expect(outcomes).toEqual({ "tiny.refusing/bad@editOrganization": "pass" });
  expect(after).toBe(5);
});

test("a control that never gets a usable answer is given up, and its cases are inconclusive", async () => {
  const { outcomes, after } = await troubledAfter("editOrganization", { status: 503 }, Infinity);
  expect(outcomes).toEqual({ "tiny.refusing/bad@editOrganization": "inconclusive" });
  // At the end, the case and the control are tried once more.
  expect(after).toBe(18);
});

test("a control with a truncated body is accepted by its status and not sent again", async () => {
  const cut = { status: 200, body: {}, headers: { "content-length": "10" }, cut: true };
  const { outcomes, after } = await troubledAfter("editOrganization", cut, 1);
  expect(outcomes).toEqual({ "tiny.refusing/bad@editOrganization": "pass" });
  expect(after).toBe(1);
});
