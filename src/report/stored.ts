import { z } from "zod";

import { OUTCOMES, type Outcome, type TargetNote } from "../engine/events.ts";
import { firstIssue, issueText } from "../lib/zod-issue.ts";
import type { JudgedNote } from "./baseline.ts";
import type { Report } from "./report.ts";
import { printableAll } from "./untrusted.ts";

/** The members that are read of a `report.json`, of this version of the suite or another. */
export interface StoredReport extends StoredPart, Pick<Report, "seed" | "carried" | "remaining"> {
  readonly suite: { readonly version: string; readonly requirements: string };
  readonly target: StoredTarget;
  readonly packs?: readonly StoredPack[] | undefined;
}

/** What is read of a pack in a report. */
export interface StoredPack extends StoredPart {
  readonly id: string;
  readonly version: string;
  readonly title: string;
}

/** What a report says of the contract, and likewise of each pack. */
interface StoredPart
  extends
    Pick<Report, "startedAt">,
    Lacking<Pick<Report, "partial" | "partialBecause" | "interrupted" | "suiteErrors">> {
  readonly verdict: string;
  readonly baseline?: JudgedNote | undefined;
  /** What was chosen to run. Absent from reports of older versions. */
  readonly plan?:
    | {
        readonly patterns: readonly string[];
        readonly only?: string | undefined;
        readonly facts?: { readonly readOnly?: boolean | undefined } | undefined;
      }
    | undefined;
  readonly rules: readonly { readonly id: string; readonly cases: readonly StoredCase[] }[];
  readonly observations: readonly {
    readonly id: string;
    readonly title: string;
    readonly value: string;
    readonly facts?: readonly StoredFact[] | undefined;
  }[];
  /** The case that sent each exchange of the evidence, by exchange id. */
  readonly exchanges?: Readonly<Record<string, { readonly caseId: string }>> | undefined;
}

/** The members that are read of a target. All but the base URL may be absent, as in a report of another version. */
type StoredTarget = Pick<TargetNote, "baseUrl"> &
  Lacking<
    Pick<
      TargetNote,
      "deployment" | "audience" | "issuer" | "algorithm" | "readOnly" | "profile" | "embedded"
    >
  >;

/** Members that a report of another version may lack. */
type Lacking<Members> = { readonly [Key in keyof Members]?: Members[Key] | undefined };

/** The members that are read of a fact: its kind, and the values of a tally. */
export interface StoredFact {
  readonly kind: string;
  readonly counts?: readonly (readonly [value: string, times: number])[] | undefined;
}

export interface StoredCase {
  readonly id: string;
  readonly level?: string | undefined;
  readonly operation?: string | undefined;
  readonly client?: string | undefined;
  readonly blamedOn?: string | undefined;
  readonly outcome: Outcome;
  readonly reason?: string | undefined;
  readonly code?: string | undefined;
  readonly actual?: string | undefined;
  readonly evidence?: { readonly probes: readonly string[] } | undefined;
  readonly flaky?: boolean | undefined;
  readonly missing?: readonly string[] | undefined;
}

/** No version has had ids with blanks or controls, which could forge a line of output. */
const id = z.string().regex(/^[!-~]+$/, "is not an id");

/**
 * A list whose check ends at its first wrong item. A hostile report may have millions, and collecting a problem takes longer
 * than reading an item.
 */
function listOf<Item>(item: z.ZodType<Item>): z.ZodType<Item[]> {
  return z
    .array(z.unknown())
    .transform((all, context) => valid(Object.entries(all), item, context).map(([, one]) => one));
}

/** An object with any names, whose check ends at its first wrong member. */
function recordOf<Item>(item: z.ZodType<Item>): z.ZodType<Record<string, Item>> {
  return z
    .record(z.string(), z.unknown())
    .transform((all, context) => Object.fromEntries(valid(Object.entries(all), item, context)));
}

/** Members as their schema reads them, up to the first wrong one, whose problem is put into the context. */
function valid<Item>(
  members: readonly (readonly [name: string, value: unknown])[],
  item: z.ZodType<Item>,
  context: z.RefinementCtx,
): (readonly [name: string, value: Item])[] {
  const read: (readonly [name: string, value: Item])[] = [];
  for (const [name, value] of members) {
    const { success, data, error } = item.safeParse(value);
    if (!success) {
      const [issue] = error.issues;
      const path = [name, ...(issue?.path ?? [])];
      const message = issue && issueText(issue, value);
      context.addIssue({ code: "custom", message, path });
      break;
    }
    read.push([name, data]);
  }
  return read;
}

// Minor versions only add members, which are ignored here. Members that 2.0 changed are not read.
const PART = z.object({
  verdict: z.string(),
  partial: z.boolean().optional(),
  partialBecause: listOf(z.string()).optional(),
  interrupted: z.boolean().optional(),
  suiteErrors: listOf(z.string()).optional(),
  baseline: z
    .object({
      known: listOf(z.object({ case: z.string() })),
      unknown: listOf(z.string()),
      stale: listOf(z.object({ case: z.string() })),
    })
    .optional(),
  plan: z
    .object({
      patterns: listOf(z.string()),
      only: z.string().optional(),
      facts: z.object({ readOnly: z.boolean().optional() }).optional(),
    })
    .optional(),
  startedAt: z.string(),
  rules: listOf(
    z.object({
      id,
      cases: listOf(
        z.object({
          id,
          level: z.string().optional(),
          operation: z.string().optional(),
          client: z.string().optional(),
          blamedOn: z.string().optional(),
          outcome: z.enum(OUTCOMES),
          reason: z.string().optional(),
          code: z.string().optional(),
          actual: z.string().optional(),
          evidence: z.object({ probes: listOf(z.string()) }).optional(),
          flaky: z.boolean().optional(),
          missing: listOf(z.string()).optional(),
        }),
      ),
    }),
  ),
  observations: listOf(
    z.object({
      id,
      title: z.string(),
      value: z.string(),
      facts: listOf(
        z.object({
          kind: z.string(),
          counts: listOf(z.tuple([z.string(), z.number()])).optional(),
        }),
      ).optional(),
    }),
  ),
  exchanges: recordOf(z.object({ caseId: z.string() })).optional(),
});

const STORED: z.ZodType<StoredReport> = z.object({
  schemaVersion: z.string().regex(/^[12]\.\d+$/, "must be 1.x or 2.x"),
  ...PART.shape,
  carried: listOf(z.string()).optional(),
  remaining: listOf(z.object({ case: id, after: listOf(id).optional() })).optional(),
  suite: z.object({ version: z.string(), requirements: z.string() }),
  target: z.object({
    baseUrl: z.string(),
    deployment: z
      .object({ name: z.string().optional(), version: z.string().optional() })
      .optional(),
    audience: z.string().optional(),
    issuer: z.string().optional(),
    algorithm: z.string().optional(),
    readOnly: z.boolean().optional(),
    profile: z.string().optional(),
    embedded: z.boolean().optional(),
  }),
  seed: z.number(),
  packs: listOf(z.object({ id, version: z.string(), title: z.string(), ...PART.shape })).optional(),
});

/** The stored report, and those of its packs as reports of their own. */
export function storedWithPacks(report: StoredReport): readonly StoredReport[] {
  const { packs = [], ...own } = report;
  return [
    own,
    ...packs.map(({ id: _id, version: _version, title: _title, ...part }) => ({
      ...own,
      baseline: undefined,
      remaining: undefined,
      carried: undefined,
      ...part,
    })),
  ];
}

/** A report from parsed JSON, or a phrase that names the first problem. */
export function storedReport(json: unknown): StoredReport | string {
  const { success, data, error } = STORED.safeParse(json);
  if (success) return printableAll(data, Infinity);
  return firstIssue(error.issues, json);
}
