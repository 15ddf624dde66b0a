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
