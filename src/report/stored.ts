import { z } from "zod";

import { OUTCOMES, type Outcome, type TargetNote } from "../engine/events.ts";

/** What `compare` reads of a `report.json`, of this version of the suite or another. */
export interface StoredReport {
  readonly verdict: string;
  readonly interrupted?: boolean | undefined;
  readonly suite: { readonly version: string; readonly requirements: string };
  readonly target: { readonly [Key in keyof TargetNote]?: TargetNote[Key] | undefined } & {
    readonly baseUrl: string;
  };
  readonly seed: number;
  readonly startedAt: string;
  readonly rules: readonly { readonly id: string; readonly cases: readonly StoredCase[] }[];
  readonly observations: readonly {
    readonly id: string;
    readonly title: string;
    readonly value: string;
  }[];
}

export interface StoredCase {
  readonly id: string;
  readonly outcome: Outcome;
  readonly flaky?: boolean | undefined;
  readonly missing?: readonly string[] | undefined;
}

// Minor versions only add members, which are left out here.
const STORED: z.ZodType<StoredReport> = z.object({
  schemaVersion: z.string().regex(/^1\.\d+$/, "must be 1.x"),
  verdict: z.string(),
  interrupted: z.boolean().optional(),
  suite: z.object({ version: z.string(), requirements: z.string() }),
  target: z.object({
    baseUrl: z.string(),
    audience: z.string().optional(),
    issuer: z.string().optional(),
    algorithm: z.string().optional(),
    readOnly: z.boolean().optional(),
  }),
  seed: z.number(),
  startedAt: z.string(),
  rules: z.array(
    z.object({
      id: z.string(),
      cases: z.array(
        z.object({
          id: z.string(),
          outcome: z.enum(OUTCOMES),
          flaky: z.boolean().optional(),
          missing: z.array(z.string()).optional(),
        }),
      ),
    }),
  ),
  observations: z.array(z.object({ id: z.string(), title: z.string(), value: z.string() })),
});

/** A report from its parsed JSON, or in a phrase where it first is none. */
export function storedReport(json: unknown): StoredReport | string {
  const { success, data, error } = STORED.safeParse(json);
  if (success) return data;
  const [issue] = error.issues;
  return `${issue?.path.join(".") || "it"}: ${issue?.message}`;
}
