import { readFileSync } from "node:fs";

import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import { fixturePath } from "../lib/package-root.ts";
import type { Diagnosis } from "./events.ts";

/** What a known fault of the reference receiver shows in a run, as `npm run proof` has seen it. */
export interface Signature extends Diagnosis {
  /** Cases of the rule that failed, as `<case id>`. */
  readonly fail?: readonly string[];
  /** Cases of the rule that warned. */
  readonly warn?: readonly string[];
  /** Cases that came to nothing, and which other faults show; all others hold. */
  readonly open?: readonly string[];
  /** The gists of what they saw, where the cases alone do not tell the fault from all others. */
  readonly saw?: readonly string[];
}

/** `fixtures/signatures.json`. */
export interface KnownFaults {
  readonly signatures: readonly Signature[];
  /**
   * By rule, as `<case id>`: what no fault shows, though the same tried on another operation does.
   * Any other case that no signature has is one that the reference receiver's runs do not have.
   */
  readonly held: Readonly<Partial<Record<string, readonly string[]>>>;
}

/** All known faults; read from the package when it is called. */
export function readKnownFaults(): KnownFaults {
  return JSON.parse(readFileSync(fixturePath("signatures.json"), "utf8")) as KnownFaults;
}

/** A case id as what is tried and the operation that it is tried on. */
export function partsOf(caseId: string): {
  readonly tried: string;
  readonly operation: OperationId | undefined;
} {
  const [, tried = caseId, on = caseId] = /^(.*)@(.*)$/.exec(caseId) ?? [];
  const operation = OPERATION_IDS.find((id) => id === on);
  return { tried: operation === caseId ? "" : tried, operation };
}

/**
 * What a case saw, without what differs from deployment to deployment and from seed to seed: counts,
 * ids, which 2xx it was. Of the parameters of pages the order of magnitude is kept.
 */
export function gistOf(actual: string): string {
  const gist = actual
    .replace(/^\d+ of \d+ error answers?: /, "")
    .replaceAll(/ \([1-5]\d\d(?: × \d+)?(?:, [1-5]\d\d(?: × \d+)?)*\)/g, "")
    .replaceAll(/\b2\d\d(?: [A-Z][\w-]*)+/g, "2xx")
    .replaceAll(/\b([1345]\d\d)(?: [A-Z][\w-]*)+/g, "HTTP-$1")
    .replaceAll(/conformance-[\da-f]+/g, "a unique value")
    .replaceAll(/; charset=[\w-]+/gi, "")
    .replaceAll(
      /\b(page|pageSize)=(-?\d+)/g,
      (_, name, value) => `${name}=${sizeOf(Number(value))}`,
    )
    .replaceAll(/(?<![\w<>=/-])(?:[1-9]\d*|0(?= items?,)|(?<=total(?:Items|Pages) )0)\b/g, "n")
    .replaceAll(/\bitems\b/g, "item");
  return [...new Set(gist.split("; "))].join("; ");
}

function sizeOf(value: number): string {
  if (value < 1) return value < 0 ? "<0" : "0";
  const passed = [100, 2 ** 15 - 1, 2 ** 31 - 1, 2 ** 32 - 1].findLast((bound) => value > bound);
  return passed === undefined ? "n" : `>${passed}`;
}
