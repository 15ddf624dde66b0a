import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { stringify } from "yaml";
import { z } from "zod";

import { wholeId } from "../../../engine/short-ids.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { writeWhole } from "../../../lib/write-whole.ts";
import type { Problem } from "../../../profile/problem.ts";
import { type Mapping, problemsOf } from "../../../profile/problems.ts";
import { readTextFile, unusable } from "../../../profile/text-file.ts";
import { parseText } from "../../../profile/yaml.ts";
import { isUnwritten, type KnownFailure } from "../../../report/baseline.ts";

const CASE_ID = /^[\w.-]+\/[\w@.-]+(?:@\*)?$/;

const baselineSchema: z.ZodType<readonly KnownFailure[]> = z.array(
  z.strictObject({
    case: z
      .string()
      .regex(CASE_ID, "must be the id of a case, such as receiver.expiry/hour-ago@viewOrganization")
      .meta({
        description:
          "The id of the case that may fail, with or without `receiver.`; @* at its end: on every operation.",
      }),
    reason: z
      .string()
      .regex(/\S/, "must not be empty")
      .meta({ description: "Why it may fail for now." }),
    expires: z.iso
      .date("must be a day such as 2031-01-31")
      .optional()
      .meta({ description: "The last day on which it may." }),
    flaky: z
      .boolean()
      .optional()
      .meta({ description: "Whether it may pass as well as fail; default: false." }),
  }),
);

/** A receiver that fails everything has more than a thousand failures. */
const LONGEST_KIB = 1024;
const HINT =
  "A baseline is a list of entries such as `- case: <id>` with a `reason:`; `run --write-baseline` writes one.";

/**
 * Reads the known failures from YAML or JSON.
 * @param file relative to `cwd`; messages show it as given
 * @param cwd an absolute path
 * @param unwritten whether entries without a written reason are allowed
 * @param optional whether a missing file counts as an empty baseline
 * @throws SuiteError when it cannot be read, or with every problem in it, each with line and column
 */
export function readBaseline(
  file: string,
  cwd: string,
  { unwritten, optional }: { readonly unwritten: boolean; readonly optional: boolean },
): readonly KnownFailure[] {
  if (optional && !existsSync(resolve(cwd, file))) return [];
  const text = readTextFile(file, "baseline", HINT, { cwd, longestKib: LONGEST_KIB });
  const { value, problems: syntax, positionOf } = parseText(text);
  const { data: written = [], error } = baselineSchema.safeParse(value ?? []);
  const data = written.map((entry) => ({ ...entry, case: wholeId(entry.case) }));
  const found = syntax.length > 0 ? [] : [...unfit(error, value), ...inEntries(data, unwritten)];
  if (syntax.length + found.length === 0) return data;
  const placed = found.map((one) => ({
    ...positionOf(one.path, one.at),
    text: `${subjectOf(one)} ${one.text}`,
  }));
  const lines = [...syntax, ...placed]
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .map((problem) => `${file}:${problem.line}:${problem.column}: ${problem.text}`);
  throw unusable(file, "baseline", lines, { hint: HINT });
}

function subjectOf({ path }: Problem): string {
  const key = path.findLast((step) => typeof step === "string");
  return key ?? (path.length > 0 ? "the entry" : "the baseline");
}

function unfit(error: z.ZodError | undefined, value: unknown): Problem[] {
  return error ? problemsOf(error.issues, value, z.toJSONSchema(baselineSchema) as Mapping) : [];
}

/** Problems that concern several entries, or that the schema cannot express. */
function inEntries(entries: readonly KnownFailure[], unwritten: boolean): Problem[] {
  const first = new Map<string, number>();
  return entries.flatMap(({ case: id, reason }, index): Problem[] => {
    if (first.has(id)) {
      return [
        { path: [index, "case"], at: "value", text: `${id} is listed twice; keep one of them` },
      ];
    }
    first.set(id, index);
    if (unwritten || !isUnwritten(reason)) return [];
    const text = "is still to be written: why may this fail for now?";
    return [{ path: [index, "reason"], at: "value", text }];
  });
}

/**
 * Writes a baseline as YAML.
 * @throws SuiteError when the file cannot be written
 */
export async function writeBaseline(
  file: string,
  shown: string,
  entries: readonly KnownFailure[],
): Promise<void> {
  const head = "# Cases that may fail for now. `run --baseline` says when one of them must go.\n";
  try {
    await writeWhole(file, head + stringify(entries, { lineWidth: 100 }));
  } catch (cause) {
    throw new SuiteError(
      "ERR_BASELINE",
      `The baseline ${shown} cannot be written: ${(cause as Error).message}`,
      {
        cause,
      },
    );
  }
}
