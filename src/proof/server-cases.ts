import { SERVER } from "../contract/ids.ts";
import { type ReferenceOptions, stepsAskedAgain } from "../reference/index.ts";
import { type RunCase, SERVER_RULES, type ServerRun } from "./clean-run.ts";
import { plannedBy, type WhatIsChanged } from "./what-is-changed.ts";

/** The fault or the variant of a build. */
export type Named = Pick<ReferenceOptions, "faults" | "variants">;

/** Cases of the authorization server. */
export interface ServerCases {
  /** Those of the clean run that a build has too. */
  readonly cases: readonly RunCase[];
  /** The ids of those that must run. */
  readonly toRun: ReadonlySet<string>;
}

/**
 * Finds the cases that must run to know what a build of the authorization server changes. Its steps are asked what those of the
 * conforming server were asked in a run. A case sends the same requests and gets the same answers where no step that its requests
 * met gives something else, nor one that the requests met on which it rests.
 * @returns `undefined` for a build of the receiver
 */
export function serverCases(
  changed: WhatIsChanged,
  named: Named,
  { calls, cases, restingOn }: ServerRun,
): ServerCases | undefined {
  if (typeof changed === "object" && "serverProfile" in changed)
    return { cases: [], toRun: new Set(plannedBy(changed.serverProfile, SERVER_RULES).planned) };
  if (changed !== "server") return undefined;
  const all = new Set(cases.map(({ id }) => id));
  const toRun = new Set<string>();
  for (const mark of stepsAskedAgain(calls, named)) {
    // Whoever asks the server begins with its metadata. What it does at its start, or in the browser of a person, may show anywhere.
    if (mark === undefined || mark === METADATA) return { cases, toRun: all };
    for (const id of restingOn.get(mark) ?? []) toRun.add(id);
    if (all.has(mark)) toRun.add(mark);
  }
  return { cases, toRun };
}

/** The `Conformance-Case` of requests for the metadata that all cases share. */
const METADATA = `${SERVER}/metadata`;
