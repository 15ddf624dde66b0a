import type { OperationId } from "../contract/operations.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { Answer, Call } from "./model.ts";
import { changingAnswers } from "./patches.ts";
import type { Patch } from "./steps.ts";

/** Patches of the receiver by what the published protocol says of its answers. */

/** The operations whose answers have revisions. */
export const SHOWING_REVISIONS: readonly OperationId[] = [
  "editOrganization",
  "submitChange",
  "readChangesFeed",
  "readChange",
];

/** Changes the good answers of some operations. */
export function goodAnswers(
  operations: readonly OperationId[],
  change: (answer: Answer, call: Call) => Answer,
): Pick<Patch, "finish"> {
  return changingAnswers((answer, call) =>
    call && answer.status < 300 && operations.includes(call.operation)
      ? change(answer, call)
      : answer,
  );
}

/** Changes the bodies of the good answers of some operations. */
export function bodies(
  operations: readonly OperationId[],
  change: (body: JsonObject, call: Call) => unknown,
): Pick<Patch, "finish"> {
  return goodAnswers(operations, (answer, call) =>
    isObject(answer.body) ? { ...answer, body: change(answer.body, call) } : answer,
  );
}

/** Changes each resource in the good answers of some operations: under `data`, or of `items`. */
function resources(
  operations: readonly OperationId[],
  change: (resource: JsonObject, call: Call, at: number) => unknown,
): Pick<Patch, "finish"> {
  return bodies(operations, (body, call) => {
    const { data, items } = body;
    if (isObject(data)) return { ...body, data: change(data, call, 0) };
    if (!Array.isArray(items)) return body;
    return {
      ...body,
      items: items.map((item: unknown, at) => (isObject(item) ? change(item, call, at) : item)),
    };
  });
}

/** Changes each revision that the receiver shows. */
export function revisions(
  change: (revision: JsonObject, call: Call, at: number) => unknown,
  operations: readonly OperationId[] = SHOWING_REVISIONS,
): Pick<Patch, "finish"> {
  return resources(operations, change);
}

/** Changes each profile that the receiver shows, but for those in snapshots. */
export function profiles(
  change: (profile: JsonObject, call: Call) => unknown,
): Pick<Patch, "finish"> {
  return resources(["viewOrganization", "listOrganizations"], change);
}

/** A resource without some members. */
export function lacking(...names: readonly string[]): (resource: JsonObject) => JsonObject {
  return (resource) =>
    Object.fromEntries(Object.entries(resource).filter(([name]) => !names.includes(name)));
}
