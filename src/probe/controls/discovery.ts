import { type OperationId, OPERATIONS } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
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

  /** The accepted answer of an operation that is offered and may be sent. */
  async function answerOf(id: OperationId, fresh?: boolean): Promise<Reply | undefined> {
    if (!target.operations[id] || (OPERATIONS[id].writes && !target.writes)) return undefined;
    const found = await get(id, fresh);
    return "control" in found ? found.control.reply : undefined;
  }

  async function findOrganizations(): Promise<Organizations> {
    const { primary, other } = target.organizations;
    const list = primary && other ? undefined : await answerOf("listOrganizations");
    if (!list) return { primary, other };
    const listed = listedOrganizations(list.json(), target.operations.listOrganizations);
    // An organization that is denied to another subject is usable.
    const denied = target.denied?.subject === target.subject ? target.denied : undefined;
    const usable = (listed ?? []).filter((id) => id !== denied?.organization.toLowerCase());
    const first = primary ?? usable.find((id) => id !== other?.toLowerCase());
    return { primary: first, other: other ?? usable.find((id) => id !== first?.toLowerCase()) };
  }

  async function submittedIds(primary: string | undefined): Promise<readonly string[]> {
    const submitted = await answerOf("submitChange");
    if (!submitted) return [];
    const found = submittedChangeIds(submitted, target.operations.submitChange, primary);
    return fewOf(found.map(({ id }) => id));
  }

  /** Ids of the changes that the feed lists; `undefined` where it lists no change, with or without an id. */
  async function listedIds(primary: string, fresh = false): Promise<readonly string[] | undefined> {
    const { readChangesFeed } = target.operations;
    const feed = await answerOf("readChangesFeed", fresh);
    if (!feed) return [];
    const listed = listedChanges(feed, readChangesFeed, primary) ?? [];
    const isEmpty = findItems(exactJson(feed), readChangesFeed)?.length === 0;
    return isEmpty ? undefined : listed.flatMap(({ ids }) => ids.map(({ id }) => id));
  }

  /** The feed may name a change that the answer to its submission does not name. */
  async function listedSince(primary: string): Promise<readonly string[]> {
    if (!(await answerOf("submitChange"))) return [];
    return (await listedIds(primary, true)) ?? [];
  }

  /** What may be the id of the first change that the feed lists, or else of the one that was submitted. */
  async function guessedIds(primary: string): Promise<readonly string[]> {
    const feed = await answerOf("readChangesFeed");
    const items = feed && findItems(exactJson(feed), target.operations.readChangesFeed);
    const listed = likelyChangeIds(items?.[0], primary);
    if (listed.length > 0) return listed;
    const submitted = await answerOf("submitChange");
    return submitted ? likelyChangeIds(exactJson(submitted), primary) : [];
  }

  return {
    organizations: () => (organizations ??= findOrganizations()),
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
