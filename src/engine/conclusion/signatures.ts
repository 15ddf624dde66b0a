import { readFileSync } from "node:fs";

import { sideOfId } from "../../contract/ids.ts";
import { OPERATION_IDS, type OperationId } from "../../contract/operations.ts";
import { groupBy } from "../../lib/group-by.ts";
import { fixturePath } from "../../lib/package-root.ts";
import {
  type KnownFaults,
  type Signature,
  type SignatureFile,
  unpacked,
} from "./signature-file.ts";

export type { KnownFaults, Signature } from "./signature-file.ts";

/** Joins the names of faults that are together in one receiver. */
export const TOGETHER = " + ";

let knownFaults: KnownFaults | undefined;

/** All known faults, from the package, which is read once. */
export function readKnownFaults(): KnownFaults {
  knownFaults ??= unpacked(
    JSON.parse(readFileSync(fixturePath("signatures.json"), "utf8")) as SignatureFile,
  );
  return knownFaults;
}

/** The id of a case without the client that a case of the authorization server is about, because each profile has its own names. */
export function withoutClient(id: string): string {
  return sideOfId(id) === "authorization-server" ? id.replace(/@[^@/]*$/, "") : id;
}

/** Splits a case id into what is tried and the operation. */
export function partsOf(caseId: string): {
  readonly tried: string;
  readonly operation: OperationId | undefined;
} {
  const [, tried = caseId, on = caseId] = /^(.*)@(.*)$/.exec(caseId) ?? [];
  const operation = OPERATION_IDS.find((id) => id === on);
  return { tried: operation === caseId ? "" : tried, operation };
}

/**
 * Libraries, and the known faults of a receiver that uses them with their defaults, named as in `docs/proof.md`. Measured in
 * receivers that follow the libraries' documentation: `docs/stacks/measured.md`.
 */
const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  jsonwebtoken: ["crit-ignored", "b64-false-ignored", "payload-text-accepted"],
};

/**
 * The combined signatures of libraries, one for each rule of which a library has several faults.
 * @param signatures of single faults
 */
export function togetherInLibraries(signatures: KnownFaults["signatures"]): Signature[] {
  return Object.entries(LIBRARIES).flatMap(([library, faults]) => {
    const known = signatures.filter(({ fault }) => faults.includes(fault));
    return [...groupBy(known, ({ rule }) => rule)].flatMap(([rule, members]) =>
      members.length > 1 ? [joined(library, rule, members)] : [],
    );
  });
}

function joined(name: string, rule: string, members: readonly Signature[]): Signature {
  const union = (of: "fail" | "warn" | "open"): string[] => [
    ...new Set(members.flatMap((member) => member[of] ?? [])),
  ];
  const fail = union("fail");
  const warn = union("warn").filter((id) => !fail.includes(id));
  const shown = new Set([...fail, ...warn]);
  return {
    fault: members.map(({ fault }) => fault).join(TOGETHER),
    rule,
    library: name,
    behaves: `uses ${name} with its defaults: ${members.map(({ behaves }) => behaves).join("; ")}`,
    look: `Refuse such tokens before or after the call of ${name}, which accepts them.`,
    fail,
    warn,
    open: union("open").filter((id) => !shown.has(id)),
  };
}
