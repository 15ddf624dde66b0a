import type { OperationId } from "../../contract/operations.ts";
import type { Organizations, Target } from "../../profile/target.ts";
import { likelyChangeIds, listedChanges, submittedChangeIds } from "../read/change-ids.ts";
import { findItems, listedOrganizations } from "../read/items.ts";
import { exactJson } from "../read/shapes.ts";
import type { ControlResult } from "./control.ts";

/** What the answers to good requests show where the profile is silent. */
export interface Discovery {
  /** The organizations of the profile, completed with those that the list shows. */
  organizations(): Promise<Organizations>;
  /** Ids that may name a change of the primary organization, the most certain first. */
  changeIds(primary: string): Promise<readonly string[]>;
  /** Ids of the change that the control of `submitChange` made. */
  submittedIds(primary: string | undefined): Promise<readonly string[]>;
  /** Whether all known change ids are of submitted changes, which need not be readable yet. */
  readonly onlySubmitted: boolean;
  /** Whether all known change ids are guesses, which may be none. */
  readonly onlyGuessed: boolean;
}

const CHANGE_CANDIDATES = 3;

/** @param get finds the control of an operation; `fresh`: even if it is known */
export function createDiscovery(
  target: Target,
  get: (id: OperationId, fresh?: boolean) => Promise<ControlResult>,
): Discovery {
  let organizations: Promise<Organizations> | undefined;
  let onlySubmitted = false;
  let onlyGuessed = false;

  async function findOrganizations(): Promise<Organizations> {
    const { primary, other } = target.organizations;
    if ((primary && other) || !target.operations.listOrganizations) return { primary, other };
    const list = await get("listOrganizations");
    if ("refusal" in list) return { primary, other };
    const listed = listedOrganizations(
      list.control.reply.json(),
      target.operations.listOrganizations,
    );
    // An organization that is denied to another subject is usable.
    const denied = target.denied?.subject === target.subject ? target.denied : undefined;
    const usable = (listed ?? []).filter((id) => id !== denied?.organization.toLowerCase());
    const first = primary ?? usable.find((id) => id !== other?.toLowerCase());
    return { primary: first, other: other ?? usable.find((id) => id !== first?.toLowerCase()) };
  }

  async function submittedIds(primary: string | undefined): Promise<readonly string[]> {
    const { submitChange } = target.operations;
    const submitted = submitChange && target.writes && (await get("submitChange"));
    if (!submitted || "refusal" in submitted) return [];
    const found = submittedChangeIds(submitted.control.reply, submitChange, primary);
    return fewOf(found.map(({ id }) => id));
  }

  /** Ids of the changes that the feed lists; `undefined` where it lists no change, with or without an id. */
  async function listedIds(primary: string, fresh = false): Promise<readonly string[] | undefined> {
    const { readChangesFeed } = target.operations;
    const feed = readChangesFeed && (await get("readChangesFeed", fresh));
    if (!feed || "refusal" in feed) return [];
    const { reply } = feed.control;
    const listed = listedChanges(reply, readChangesFeed, primary) ?? [];
    const isEmpty = findItems(exactJson(reply), readChangesFeed)?.length === 0;
    return isEmpty ? undefined : listed.flatMap(({ ids }) => ids.map(({ id }) => id));
  }

  /** The feed may name a change that the answer to its submission does not name. */
  async function listedSince(primary: string): Promise<readonly string[]> {
    const { submitChange } = target.operations;
    if (!submitChange || !target.writes || "refusal" in (await get("submitChange"))) return [];
    return (await listedIds(primary, true)) ?? [];
  }

  /** What may be the id of the first change that the feed lists, or else of the one that was submitted. */
  async function guessedIds(primary: string): Promise<readonly string[]> {
    const { readChangesFeed, submitChange } = target.operations;
    const feed = readChangesFeed && (await get("readChangesFeed"));
    const items =
      feed && "control" in feed ? findItems(exactJson(feed.control.reply), readChangesFeed) : [];
    const listed = likelyChangeIds(items?.[0], primary);
    if (listed.length > 0 || !submitChange || !target.writes) return listed;
    const submitted = await get("submitChange");
    return "control" in submitted
      ? likelyChangeIds(exactJson(submitted.control.reply), primary)
      : [];
  }

  return {
    organizations() {
      organizations ??= findOrganizations();
      return organizations;
    },
    async changeIds(primary) {
      const { readChange } = target.operations;
      const ids: string[] = [];
      if (readChange?.changeId !== undefined) ids.push(readChange.changeId);
      const listed = await listedIds(primary);
      if (listed) ids.push(...listed);
      if (ids.length === 0) {
        ids.push(...(await submittedIds(primary)));
        onlySubmitted = ids.length > 0;
      }
      if (ids.length === 0 && !listed) ids.push(...(await listedSince(primary)));
      if (ids.length === 0) {
        ids.push(...(await guessedIds(primary)));
        onlyGuessed = ids.length > 0;
      }
      return fewOf(ids);
    },
    submittedIds,
    get onlySubmitted() {
      return onlySubmitted;
    },
    get onlyGuessed() {
      return onlyGuessed;
    },
  };
}

function fewOf(ids: readonly string[]): string[] {
  return [...new Set(ids)].slice(0, CHANGE_CANDIDATES);
}
