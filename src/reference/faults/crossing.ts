import { setTimeout } from "node:timers/promises";

import type { OperationId } from "../../contract/operations.ts";
import type { Call, Check, CheckName } from "../model.ts";
import type { Patch } from "../steps.ts";
import { onlyOn, type Fault } from "./fault.ts";

/** Faults that show only where requests are served side by side: one is given what belongs to another. */

const how =
  "The handler was written with one request at a time in mind, and what it awaits lets others in between.";
const shared =
  "Requests for the same thing are to share one look-up, and their key lacks what tells them apart.";

export const CROSSING_FAULTS: readonly Fault[] = [
  {
    name: "claims-kept-in-a-variable",
    title: "Keeps the claims of the request at hand in a variable of the module",
    rule: "receiver.isolation",
    how,
    ...keeping("viewOrganization", "verifySignature", ["claims"]),
  },
  {
    name: "claims-kept-in-a-variable-for-the-list",
    title: "Keeps the claims of the request at hand in a variable, where it lists organizations",
    rule: "receiver.isolation",
    how,
    ...keeping("listOrganizations", "verifySignature", ["claims"]),
  },
  {
    name: "list-shared-while-under-way",
    title: "Gives the list that is being made to whoever else asks for one meanwhile",
    rule: "receiver.isolation",
    how: shared,
    ...sharing("listOrganizations", ["claims"]),
  },
  {
    name: "subject-kept-in-a-variable",
    title: "Keeps the subject of the request at hand in a variable of the module",
    rule: "receiver.isolation",
    how,
    ...keeping("viewOrganization", "checkBinding", ["claims"], (call, { claims }) => {
      call.claims = { ...call.claims, sub: claims?.["sub"] };
    }),
  },
  {
    name: "feed-organization-kept-in-a-variable",
    title: "Keeps the organization whose feed is read in a variable of the module",
    rule: "receiver.isolation",
    how,
    ...keeping("readChangesFeed", "findOrganization", ["organization"]),
  },
  {
    name: "feed-shared-while-under-way",
    title: "Gives the feed that is being read to whoever else asks for one meanwhile",
    rule: "receiver.isolation",
    how: shared,
    ...sharing("readChangesFeed", ["organization"]),
  },
  {
    name: "change-organization-kept-in-a-variable",
    title: "Keeps the organization whose change is read in a variable of the module",
    rule: "receiver.isolation",
    how,
    ...keeping("readChange", "findOrganization", ["organization"]),
  },
  {
    name: "change-shared-while-under-way",
    title: "Gives the change that is being read to whoever else asks for one meanwhile",
    rule: "receiver.isolation",
    how: shared,
    ...sharing("readChange", ["organization", "changeId"]),
  },
];

/** How long a look-up takes. */
const LOOKUP_MS = 20;

type CheckPatch = Extract<Patch, { readonly step: CheckName }>;
type Kept = "claims" | "organization" | "changeId";

/**
 * What a step has found out goes into a variable, and is read from there after a look-up: the last to come decides.
 * @param give puts what the variable holds into a call. Default: all of it
 */
function keeping(
  operation: OperationId,
  step: CheckName,
  names: readonly Kept[],
  give: (call: Call, current: Partial<Call>) => void = Object.assign,
): CheckPatch {
  const patch = (original: Check): Check => {
    let current: Partial<Call> = {};
    return async (call) => {
      await original(call);
      current = picked(call, names);
      await setTimeout(LOOKUP_MS);
      give(call, current);
    };
  };
  return { step, patch: onlyOn(operation, patch) };
}

/** Who comes while somebody is served, and has passed the checks, is given the same: the first to come decides. */
function sharing(operation: OperationId, names: readonly Kept[]): CheckPatch {
  const patch = (original: Check): Check => {
    let underWay: Promise<Partial<Call>> | undefined;
    return async (call) => {
      await original(call);
      underWay ??= setTimeout(LOOKUP_MS, picked(call, names)).finally(() => {
        underWay = undefined;
      });
      Object.assign(call, await underWay);
    };
  };
  return { step: "findOrganization", patch: onlyOn(operation, patch) };
}

function picked(call: Call, names: readonly Kept[]): Partial<Call> {
  return Object.fromEntries(names.map((name) => [name, call[name]]));
}
