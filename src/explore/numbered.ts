import { OPERATIONS } from "../contract/operations.ts";
import { seededUuid } from "../probe/request.ts";
import type { Facts } from "../profile/facts.ts";
import type { TokenForm } from "../tokens/draft.ts";
import { applies, slotOf } from "./change.ts";
import type { Place } from "./contract-says.ts";
import type { Draw } from "./draws.ts";
import type { Arbitrary, Fc } from "./values.ts";

/** Draws by seed and number, which with the steps of shrinking is fast-check's path. */

/** What is drawn: a request, or a walk through pages. */
export type Drawn = "request" | "walk";

/** What an id says of an explored case. */
export interface NamedDraw {
  readonly caseId: string;
  readonly rule: string;
  readonly drawn: Drawn;
  /** The id within the rule. */
  readonly id: string;
  readonly seed: number;
  readonly path: string;
}

/** The id of a case within its rule. A path of fast-check has colons, which no id has. */
export function explorationId(seed: number, path: string, drawn: Drawn = "request"): string {
  return `explored-${drawn === "walk" ? "walk-" : ""}${seed}-${path.replaceAll(":", ".")}`;
}

/** Reads the full id of an explored case; `undefined` for any other. */
export function parseId(caseId: string): NamedDraw | undefined {
  const found = /^([\w.-]+)\/(explored-(walk-)?(\d{1,10})-(\d{1,9}(?:\.\d{1,9}){0,99}))$/.exec(
    caseId,
  );
  const [, rule = "", id = "", walk, seed = "", path = ""] = found ?? [];
  const drawn = walk === undefined ? "request" : "walk";
  return found
    ? { caseId, rule, id, drawn, seed: Number(seed), path: path.replaceAll(".", ":") }
    : undefined;
}

/** Draws of a seed from a number on. */
export function drawsFrom<T>(
  fc: Fc,
  draws: Arbitrary<T>,
  seed: number,
  from: number,
  count: number,
): T[] {
  return fc.sample(draws, { seed, path: String(from), numRuns: count, unbiased: true });
}

/** The draw at a path; `undefined` where there is none. */
export function drawAt<T>(fc: Fc, draws: Arbitrary<T>, seed: number, path: string): T | undefined {
  return fc.sample(draws, { seed, path, numRuns: 1, unbiased: true })[0];
}

/** Whether all changes of a draw can be made together on its operation. */
export function isSensible({ operation, judged, open }: Draw): boolean {
  const changes = [judged, ...open];
  const slots = new Set(changes.map(slotOf));
  return slots.size === changes.length && changes.every((one) => applies(one, operation));
}

function uuid(label: string): string {
  return seededUuid(0, label);
}

/** Where a draw is made as far as a profile says it, for what the contract says to it. */
export function likelyPlace(
  target: Facts,
  { operation: id, bound }: Draw,
  othersDenied: boolean,
): Place {
  const operation = OPERATIONS[id];
  const { primary = uuid("primary"), other = uuid("other") } = target.organizations;
  const typ = target.testIssuer.header["typ"] === undefined ? "JWT" : undefined;
  const form: TokenForm = { typ, bound, scopes: "required", clockOffsetSeconds: 0 };
  return {
    context: {
      target,
      operation,
      form,
      organization: primary,
      otherOrganization: other,
      uuid,
    },
    path: {
      ...(operation.organization && { organization: primary }),
      ...(operation.change && {
        changeId: target.operations.readChange?.changeId ?? uuid("change"),
      }),
    },
    othersDenied,
  };
}
