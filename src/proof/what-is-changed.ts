import { isDeepStrictEqual } from "node:util";

import { RULES } from "../../suites/index.ts";
import { planRun } from "../engine/plan.ts";
import { isObject } from "../lib/json.ts";
import { maskedFacts } from "../profile/facts.ts";
import type { Target } from "../profile/target.ts";
import {
  describedBy,
  FAULTS,
  isOfDocument,
  isOfServer,
  type ProfileObject,
  SERVER_STEPS,
  stepsOf,
  VARIANTS,
} from "../reference/index.ts";
import { casesOf, type Report } from "../report/report.ts";
import { type Rejudge, type OtherAnswers, rejudging } from "../verify/other-answers.ts";
import type { ReceiverBuild } from "./prove.ts";
import { targetOf } from "./target.ts";

/**
 * What of a run a build changes, as far as its own data tell. `all`: it is not known. `server`: what the steps of its authorization
 * server do otherwise; with a profile of it, all of that. `document`: the rules of the document, and what its answers change. `part`:
 * what its answers change. With a profile: the same, read as that profile says.
 */
export type WhatIsChanged =
  | "all"
  | "server"
  | "document"
  | "part"
  | { readonly profile: ProfileObject }
  | { readonly serverProfile: ProfileObject };

/** Where in its answers an operation has what the suite reads. A case whose requests depend on these runs: the record lacks them. */
const WHERE_TO_READ = ["id", "items", "organization", "paginated", "pagination"];

/**
 * Tells what a build changes from its patches and its profile.
 * @param usual the profile of the conforming receiver
 * @param usualServer the profile of one with an authorization server
 */
export function whatIsChanged(
  { kind, name }: ReceiverBuild,
  usual: ProfileObject,
  usualServer: ProfileObject,
): WhatIsChanged {
  const fault = kind === "fault" ? FAULTS.find((one) => one.name === name) : undefined;
  const names = kind === "variant" ? [name] : (fault?.variants ?? []);
  const variants = VARIANTS.filter((one) => names.includes(one.name));
  const builds = [...(fault ? [fault] : []), ...variants];
  if (builds.length === 0) return "all";
  const isServers = builds.every((one) =>
    stepsOf(one).every((step) => Object.hasOwn(SERVER_STEPS, step)),
  );
  const isAboutServer = (fault && isOfServer(fault)) || variants.some(({ server }) => server);
  const isDescribed = variants.some(({ describe }) => describe);
  if (isAboutServer && !isServers) return "all";
  if (isAboutServer)
    return isDescribed ? { serverProfile: describedBy(variants, usualServer) } : "server";
  if (variants.some(({ served }) => served)) return "all";
  // These are about requests that overlap, and about time.
  if (["receiver.isolation", "receiver.rotation"].includes(fault?.rule ?? "")) return "all";
  if (builds.some((one) => stepsOf(one).includes("offered"))) return "all";
  const isDocumented =
    variants.some(({ documented }) => documented) || (fault && isOfDocument(fault));
  if (!isDescribed) return isDocumented ? "document" : "part";
  // What a document describes beside the profile is known only in a run.
  if (isDocumented) return "all";
  const profile = describedBy(variants, usual);
  // What else a profile describes otherwise changes what is sent.
  return isDeepStrictEqual(sendingPart(profile), sendingPart(usual)) ? { profile } : "all";
}

/** A profile without what only tells how answers are read. */
function sendingPart({ operations, ...rest }: ProfileObject): ProfileObject {
  const sending = Object.entries(isObject(operations) ? operations : {}).map(([id, operation]) => {
    const members = Object.entries(isObject(operation) ? operation : {});
    return [id, Object.fromEntries(members.filter(([name]) => !WHERE_TO_READ.includes(name)))];
  });
  return { ...rest, operations: Object.fromEntries(sending) };
}

/** A run as another profile plans it, of the same requests. */
export interface DescribedOtherwise {
  /** Judges a case again as the profile says that answers are read. */
  readonly rejudge: (answers: OtherAnswers) => Rejudge;
  /** The ids of the cases that only this profile has. */
  readonly added: readonly string[];
  /** The ids of the cases that this profile does not have. */
  readonly without: ReadonlySet<string>;
}

/** The cases of a run by a profile, by their ids. */
export function plannedBy(
  profile: ProfileObject,
  patterns: readonly string[],
): { readonly target: Target; readonly planned: readonly string[] } {
  const target = targetOf(profile);
  return { target, planned: planRun(target, RULES, patterns).cases.map(({ caseId }) => caseId) };
}

/**
 * Plans a run again by another profile.
 * @param report of a run of the same receiver whose exchanges are all recorded
 */
export function describedOtherwise(profile: ProfileObject, report: Report): DescribedOtherwise {
  const { target, planned } = plannedBy(profile, report.plan.patterns);
  const before = casesOf(report).map(({ id }) => id);
  const [known, kept] = [new Set(before), new Set(planned)];
  return {
    rejudge: rejudging({ ...report, plan: { ...report.plan, facts: maskedFacts(target) } }, RULES),
    added: planned.filter((id) => !known.has(id)),
    without: new Set(before.filter((id) => !kept.has(id))),
  };
}
