import { type OperationId, OPERATION_IDS, OPERATIONS } from "../contract/operations.ts";
import { type CheckName, CHECK_NAMES, CHECKS, PART_OF } from "./checks.ts";
import type { Known } from "./known.ts";
import type { Outcome, Part } from "./outcome.ts";
import type { Reading } from "./route.ts";
import type { AskedToken } from "./token.ts";

/** What a check says of a token by itself. */
export interface Examined {
  readonly check: CheckName;
  readonly part: Part;
  readonly outcome: Outcome;
  /** Where the outcome depends on it. */
  readonly operation?: OperationId;
  readonly organization?: string;
}

const EVERYWHERE: Known = {
  basePath: "",
  audience: undefined,
  issuers: undefined,
  bindingClaim: undefined,
  typs: [],
  operations: Object.fromEntries(OPERATION_IDS.map((id) => [id, {}])),
  ownClaims: [],
  ownFields: [],
  policy: { allowed: [], denied: [] },
  organizations: { existing: [], complete: false },
  changes: { existing: [], complete: false },
  now: { earliest: 0, latest: 0 },
};

/** What is known of a deployment without a profile: only the time. */
export function knownWithoutProfile(now: Known["now"]): Known {
  return { ...EVERYWHERE, now };
}

/**
 * What each check says of a token that is not part of a request: `scope` of each operation, binding and policy of each known
 * organization, and the others once.
 */
export function examineToken(known: Known, token: AskedToken): Examined[] {
  const operations = OPERATION_IDS.filter((id) => known.operations[id]);
  const { existing } = known.organizations;
  const organizations = existing.length > 0 ? existing : [NOWHERE];
  return CHECK_NAMES.flatMap((check) => {
    const part = PART_OF[check];
    if (part === "request" || check === "credentials") return [];
    const readings =
      check === "scope"
        ? operations.map((id) => readingOf(id))
        : part === "binding" || part === "policy"
          ? organizations.map((id) => readingOf("viewOrganization", id))
          : [readingOf("viewOrganization")];
    return readings.flatMap((reading) => {
      const outcome = CHECKS[check]({ known, request: NONE, reading, token });
      return outcome ? [{ check, part, outcome, ...whereOf(check, reading) }] : [];
    });
  });
}

/** Where no organization is known: one that no token names. */
const NOWHERE = "00000000-0000-0000-0000-000000000000";
const NONE = { method: "GET", target: "", authorization: [], fields: [] };

function readingOf(id: OperationId, organization?: string): Reading {
  const operation = OPERATIONS[id];
  return { operation, organization, changeId: undefined, matches: "exactly" };
}

function whereOf(
  check: CheckName,
  { operation, organization }: Reading,
): Pick<Examined, "operation" | "organization"> {
  if (check === "scope") return { operation: operation.id };
  return organization === undefined ? {} : { organization };
}
