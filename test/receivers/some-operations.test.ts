import { expect, test } from "vitest";

import { OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import { DENIED } from "../../src/reference/store.ts";
import { drawnOneIn } from "../proof/selection.ts";
import { type Ran, rulesWith, runAgainstReference, unsettled } from "../support/run-against.ts";

const short = {
  list: "listOrganizations",
  view: "viewOrganization",
  edit: "editOrganization",
  submit: "submitChange",
  change: "readChange",
} as const;

/** The rules with requests of a denied subject. */
const DENYING = ["receiver.{local-policy*,isolation,no-side-effects,order,binding*}"];

interface Offering {
  /** Whether the profile names an organization on which its own subject may not act, in place of a second subject. */
  readonly ownSubjectDenied?: boolean;
  /** Globs over rule ids; default: every rule. */
  readonly patterns?: readonly string[];
}

/** Runs the suite against a receiver that offers only some operations, and says so in its profile. */
function runOffering(
  names: readonly (keyof typeof short)[],
  { ownSubjectDenied = false, patterns = [] }: Offering = {},
): Promise<Ran> {
  const offered: readonly OperationId[] = names.map((name) => short[name]);
  return runAgainstReference(
    { patches: [{ offered: () => () => offered }] },
    {
      patterns,
      profile: {
        operations: Object.fromEntries(
          OPERATION_IDS.flatMap((id) => (offered.includes(id) ? [] : [[id, false]])),
        ),
        ...(ownSubjectDenied && { denied: { subject: null, organization: DENIED } }),
      },
    },
  );
}

let editing: Promise<Ran> | undefined;

/** The one run of several tests: only direct edits are offered, and its own subject is denied. */
function runEditing(): Promise<Ran> {
  editing ??= runOffering(["edit"], { ownSubjectDenied: true });
  return editing;
}

function unsettledMusts({ results }: Ran): string[] {
  return unsettled(results.filter(({ level }) => level === "MUST"));
}

const OTHERS = [[["submit"]], [["submit", "change"]], [["change"]]] as const;

// Each is a whole run.
test.concurrent.each([[["edit"]] as const, ...drawnOneIn(3, OTHERS)])(
  "every MUST of a receiver that offers only %j can be judged",
  async (names) => {
    const ran = await (names[0] === "edit"
      ? runEditing()
      : runOffering(names, { ownSubjectDenied: true }));
    expect(unsettledMusts(ran)).toEqual([]);
    expect(ran.finished.verdict).toBe("partial");
    for (const count of Object.values(ran.finished.writes)) expect(count).toBeLessThan(20);
  },
);

test.concurrent("where good writes reach the limit, the reason blames nobody", async () => {
  const { results } = await runEditing();
  const unsent = results.filter(({ code }) => code === "write-limit");
  expect(unsent.length).toBeGreaterThan(20);
  for (const { level, reason } of unsent) {
    expect(level).not.toBe("MUST");
    expect(reason).toMatch(/good requests .* Nothing has to be fixed\. .*`run --rule <id>`/);
  }
});

test.concurrent.each([[["list", "edit"]], [["list", "submit", "change"]]] as const)(
  "the list shows that a denied subject is known: %j",
  async (names) => {
    const ran = await runOffering(names, { patterns: DENYING });
    expect(unsettledMusts(ran)).toEqual([]);
    expect(rulesWith(ran.results, "pass")).toContain("receiver.local-policy");
  },
);

test.concurrent("where no read shows that a denied subject is known, the remedy is one that helps", async () => {
  const { results, finished } = await runOffering(["submit", "change"], { patterns: DENYING });
  const doubtful = results.filter(({ outcome }) => outcome === "inconclusive");
  expect(new Set(doubtful.map(({ rule }) => rule))).toEqual(
    new Set(["receiver.local-policy", "receiver.order"]),
  );
  for (const { reason } of doubtful) expect(reason).toMatch(/no read is offered .* own subject/);
  expect(finished.verdict).toBe("incomplete");
});

test.concurrent("without a feed, no submission is looked for that nothing could show", async () => {
  const { results } = await runOffering(["view", "submit"], {
    patterns: ["receiver.no-side-effects"],
  });
  const sideEffects = results.find(
    ({ id }) => id === "receiver.no-side-effects/rejected@submitChange",
  );
  expect([sideEffects?.outcome, sideEffects?.reason]).toEqual([
    "not-applicable",
    "the feed is not offered, and the organization does not show submitted changes",
  ]);
});
