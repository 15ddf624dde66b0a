import { expect, test } from "vitest";

import { OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import { DENIED } from "../../src/reference/store.ts";
import { type Ran, runAgainstReference, unsettled } from "../support/run-against.ts";

const short = {
  list: "listOrganizations",
  view: "viewOrganization",
  edit: "editOrganization",
  submit: "submitChange",
  change: "readChange",
} as const;

interface Offering {
  /** Whether the profile names an organization on which its own subject may not act, in place of a second subject. */
  readonly ownSubjectDenied?: boolean;
}

/** Runs the suite against a receiver that offers only some operations, and says so in its profile. */
function runOffering(
  names: readonly (keyof typeof short)[],
  { ownSubjectDenied = false }: Offering = {},
): Promise<Ran> {
  const offered: readonly OperationId[] = names.map((name) => short[name]);
  return runAgainstReference(
    { patches: [{ step: "offered", patch: () => () => offered }] },
    {
      profile: (profile) => {
        const operations = profile["operations"] as Record<string, unknown>;
        for (const id of OPERATION_IDS) if (!offered.includes(id)) operations[id] = false;
        if (ownSubjectDenied) profile["denied"] = { organization: DENIED };
      },
    },
  );
}

function unsettledMusts({ results }: Ran): string[] {
  return unsettled(results.filter(({ level }) => level === "MUST"));
}

test.concurrent.each([[["edit"]], [["submit"]], [["submit", "change"]], [["change"]]] as const)(
  "every MUST of a receiver that offers only %j can be judged",
  async (names) => {
    const ran = await runOffering(names, { ownSubjectDenied: true });
    expect(unsettledMusts(ran)).toEqual([]);
    expect(ran.finished.verdict).toBe("partial");
    for (const count of Object.values(ran.finished.writes)) expect(count).toBeLessThan(20);
  },
);

test.concurrent("where good writes reach the limit, the reason blames nobody", async () => {
  const { results } = await runOffering(["edit"], { ownSubjectDenied: true });
  const unsent = results.filter(({ code }) => code === "write-limit");
  expect(unsent.length).toBeGreaterThan(20);
  for (const { level, reason } of unsent) {
    expect(level).not.toBe("MUST");
    expect(reason).toMatch(/good requests .* nothing has to be fixed: `run --rule <id>`/);
  }
});

test.concurrent.each([[["list", "edit"]], [["list", "submit", "change"]]] as const)(
  "the list shows that a denied subject is known: %j",
  async (names) => {
    expect(unsettledMusts(await runOffering(names))).toEqual([]);
  },
);

test.concurrent("where no read shows that a denied subject is known, the remedy is one that helps", async () => {
  const { results, finished } = await runOffering(["submit", "change"]);
  const doubtful = results.filter(({ outcome }) => outcome === "inconclusive");
  expect(new Set(doubtful.map(({ rule }) => rule))).toEqual(new Set(["receiver.local-policy"]));
  for (const { reason } of doubtful) expect(reason).toMatch(/no read is offered .* own subject/);
  expect(finished.verdict).toBe("incomplete");
});

test.concurrent("without a feed, no submission is looked for that nothing could show", async () => {
  const { results } = await runOffering(["view", "submit"]);
  const sideEffects = results.find(
    ({ id }) => id === "receiver.no-side-effects/rejected@submitChange",
  );
  expect([sideEffects?.outcome, sideEffects?.reason]).toEqual([
    "not-applicable",
    "the feed is not offered, and the organization does not show submitted changes",
  ]);
});
