import type { Mutation } from "../../../src/mutations/mutation.ts";
import { deniedSubject } from "../../../src/mutations/token/policy.ts";
import { endCase, Finding, optional } from "../../../src/probe/finding.ts";
import { ask, counted, describePage, isReadable } from "../../../src/probe/pagination/page.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { type Collection, type CollectionJudge, onSettled } from "../../shared/collection.ts";
import { steadyWalk, type Walk } from "./walk.ts";

/** The list is asked for, and not an organization, so the subject need not be refused. */
const { refused: _, ...denied } = deniedSubject;
const ofDeniedSubject: Mutation = {
  ...denied,
  what: "the token is of a subject that may not act on an organization",
};

/** A case about the list as the denied subject sees it, which several rules judge by one walk. */
export function onListOfDenied(
  cases: readonly (Omit<CollectionJudge, "judge" | "needs" | "control"> & {
    /** Without so many items, nothing can be concluded. */
    readonly needed: number;
    readonly judge: (
      walk: Walk,
      probe: Probe,
      collection: Collection,
    ) => Promise<Finding> | Finding;
  })[],
): ReturnType<typeof onSettled> {
  const asDenied = cases.map(({ judge, needed, ...one }): CollectionJudge => ({
    ...one,
    needs: ["denied"],
    control: { bound: false },
    judge: async (probe, collection) => {
      const own = await listOfDenied(probe, collection, needed);
      return judge(await steadyWalk(probe, own, needed), probe, own);
    },
  }));
  return onSettled(asDenied, ["listOrganizations"]);
}

/**
 * The list as the denied subject sees it.
 * @throws CaseEnd (not applicable) where it is shown none, or fewer items than are needed: what it may see is left to local policy
 */
async function listOfDenied(
  probe: Probe,
  collection: Collection,
  needed: number,
): Promise<Collection> {
  if (probe.target.denied?.subject === probe.target.subject) {
    endCase(Finding.notApplicable(phrase`the subject that is denied is the profile's own`));
  }
  if ("refusal" in (await probe.tryControl(collection.operation, { bound: false }))) {
    endCase(Finding.notApplicable(phrase`the list accepts no unbound token`));
  }
  const own: Collection = { ...collection, as: ofDeniedSubject };
  const plain = await optional(ask(probe, own, ""));
  const items = plain && isReadable(plain) ? plain.items?.length : undefined;
  if (plain && items !== undefined && items >= needed) return { ...own, plain, shown: items };
  const shown = items === undefined ? plain && describePage(plain) : phrase`${counted(items)}`;
  return endCase(
    Finding.notApplicable(phrase`what the list shows the denied subject: ${shown ?? "nothing"}`),
  );
}
