import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { stringify } from "yaml";
import { z } from "zod";

import { wholeId } from "../../../engine/short-ids.ts";
import { counted } from "../../../lib/words.ts";
import { writeNamed } from "../../../lib/write-whole.ts";
import { type Mapping, problemsOf } from "../../../profile/problems.ts";
import type { Target } from "../../../profile/target.ts";
import { type Problem, readTextFile, unusable } from "../../../profile/text-file.ts";
import { parseText } from "../../../profile/yaml.ts";
import {
  type BaselineEntry,
  compareWithBaseline,
  inEntries,
  type KnownFailure,
  mayFail,
  unfinishedPart,
  updatedBaseline,
} from "../../../report/baseline.ts";
import {
  type BaselineNote,
  casesOf,
  type PackReport,
  type Report,
  reportOfPack,
} from "../../../report/report.ts";
import type { CommandIo } from "../../io.ts";
import type { RunFlags } from "./flags.ts";

const USUAL_FILE = "known.yaml";

/** The effect of the flags `--baseline` and `--write-baseline`. */
interface KnownFailures {
  /** Whether `--baseline` allows a case to fail today; absent without that flag. */
  readonly isKnown?: ((caseId: string) => boolean) | undefined;
  /** The report with its comparison with `--baseline`, and that of each pack; unchanged without that flag. */
  noted(report: Report, target: Target): Promise<Report>;
  /**
   * Writes the file of `--write-baseline`, and prints a note about it.
   * @throws SuiteError when the file cannot be written
   */
  update(report: Report, target: Target): Promise<void>;
}

/**
 * Reads the known failures before a run.
 * @throws SuiteError when a file cannot be used
 */
export function knownFailures(
  { baseline, writeBaseline: write }: Pick<RunFlags, "baseline" | "writeBaseline">,
  { cwd, stderr }: Pick<CommandIo, "cwd" | "stderr">,
): KnownFailures {
  const toWrite = write === true ? (baseline ?? USUAL_FILE) : write;
  const unwritten = toWrite !== undefined;
  const read = (file: string, optional = false): readonly KnownFailure[] =>
    readBaseline(file, cwd, { unwritten, optional });
  const entries = baseline === undefined ? [] : read(baseline, baseline === toWrite);
  const former = toWrite === undefined ? [] : read(toWrite, true);
  const today = new Date().toISOString().slice(0, "YYYY-MM-DD".length);
  return {
    ...(baseline !== undefined && { isKnown: (id) => mayFail(id, entries, today) }),
    async noted(report, target) {
      if (baseline === undefined) return report;
      const { packs = [] } = report;
      const note = (
        of: Report,
        own: readonly KnownFailure[],
        ids: readonly string[],
      ): BaselineNote => compareWithBaseline(baseline, own, of, ids);
      const others = entries.filter((entry) => !packs.some(({ id }) => isOf(id)(entry)));
      return {
        ...report,
        baseline: note(report, others, await caseIdsOf(target)),
        ...(packs.length > 0 && {
          packs: packs.map((pack) => {
            const own = entries.filter(isOf(pack.id));
            return { ...pack, baseline: note(reportOfPack(report, pack), own, idsIn(pack, own)) };
          }),
        }),
      };
    },
    async update(report, target) {
      // A partial run does not show which failures are known.
      if (toWrite === undefined || report.interrupted || report.suiteErrors.length > 0) return;
      const { packs = [] } = report;
      const rules = [...report.rules, ...packs.flatMap((pack) => pack.rules)];
      const ids = [...(await caseIdsOf(target)), ...packs.flatMap((pack) => idsIn(pack, former))];
      const known = updatedBaseline(former, { rules }, ids);
      const grouped = inEntries(known);
      await writeBaseline(resolve(cwd, toWrite), toWrite, grouped);
      const open = grouped.filter(({ reason }) => unfinishedPart(reason) !== undefined).length;
      const wanted = open > 0 ? `; write the reason of ${open === 1 ? "one" : open}` : "";
      stderr.write(`${toWrite} holds ${counted(grouped.length, "entry", "entries")}${wanted}.\n`);
    },
  };
}

/** Whether an entry is about a case of a pack. */
function isOf(id: string): (entry: KnownFailure) => boolean {
  return (entry) => entry.case.startsWith(`${id}.`);
}

/** The cases that a pack has as far as its report tells: where only a part of it ran, what is known of it may exist. */
function idsIn(pack: PackReport, known: readonly KnownFailure[]): string[] {
  const ids = casesOf(pack).map(({ id }) => id);
  const own = known.map((one) => one.case).filter((id) => id.startsWith(`${pack.id}.`));
  return pack.partialBecause.length === 0 ? ids : [...ids, ...own];
}

/** Imports the rules when they are needed, because a run reads its files before they are loaded; see `certify` in `run.ts`. */
async function caseIdsOf(target: Target): Promise<string[]> {
  const { RULES } = await import("../../../../suites/index.ts");
  return RULES.flatMap((rule) => rule.cases(target).map(({ id }) => `${rule.id}/${id}`));
}

const CASE_ID = /^[\w.-]+\/[\w@.-]+(?:@\*)?$/;

const caseId = z
  .string()
  .regex(CASE_ID, "must be the id of a case, such as receiver.expiry/hour-ago@viewOrganization");

const baselineSchema: z.ZodType<readonly BaselineEntry[]> = z.array(
  z.strictObject({
    case: z
      .preprocess(
        (value) => (typeof value === "string" || typeof value === "number" ? [`${value}`] : value),
        z.array(caseId).min(1, "must not be empty"),
      )
      .describe(
        "The id of the case that may fail, or a list of such ids, with or without `receiver.`; @* at the end of one: on every operation.",
      ),
    reason: z.string().regex(/\S/, "must not be empty").describe("Why it may fail for now."),
    expires: z.iso
      .date("must be a day such as 2031-01-31")
      .optional()
      .describe("The last day on which it may."),
    flaky: z.boolean().optional().describe("Whether it may pass as well as fail; default: false."),
  }),
);

/** A receiver that fails everything has more than a thousand failures. */
const LONGEST_KIB = 1024;
const HINT =
  "A baseline is a list of entries such as `- case: <id>` with a `reason:`; `orgsync-conformance run --write-baseline <file>` writes one.";

/** Reads the known failures from YAML or JSON. Throws a SuiteError with every problem, each with line and column. */
function readBaseline(
  file: string,
  cwd: string,
  { unwritten, optional }: { readonly unwritten: boolean; readonly optional: boolean },
): readonly KnownFailure[] {
  if (optional && !existsSync(resolve(cwd, file))) return [];
  const text = readTextFile(file, "baseline", HINT, { cwd, longestKib: LONGEST_KIB });
  const { value, problems: syntax, positionOf } = parseText(text);
  const { data: written = [], error } = baselineSchema.safeParse(value ?? []);
  const data = written.map((entry) => ({ ...entry, case: entry.case.map(wholeId) }));
  const schema = (): Mapping => z.toJSONSchema(baselineSchema) as Mapping;
  const unfit = error ? problemsOf(error.issues, value, schema()) : [];
  const found = syntax.length > 0 ? [] : [...unfit, ...betweenEntries(data, unwritten)];
  if (syntax.length + found.length === 0) {
    return data.flatMap((entry) => entry.case.map((id) => ({ ...entry, case: id })));
  }
  const placed = found.map((one) => ({
    ...positionOf(one.path, one.at),
    text: `${subjectOf(one)} ${one.text}`,
  }));
  const lines = [...syntax, ...placed]
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .map((problem) => `${file}:${problem.line}:${problem.column}: ${problem.text}`);
  throw unusable(file, "baseline", lines, HINT);
}

function subjectOf({ path }: Problem): string {
  const key = path.findLast((step) => typeof step === "string");
  return key ?? (path.length > 0 ? "the entry" : "the baseline");
}

/** Problems that concern several entries, or that the schema cannot express. */
function betweenEntries(entries: readonly BaselineEntry[], unwritten: boolean): Problem[] {
  const seen = new Set<string>();
  return entries.flatMap(({ case: ids, reason }, index): Problem[] => {
    const twice = ids.filter((id) => seen.has(id) || !seen.add(id));
    const problems = twice.map((id): Problem => {
      const text = `${id} is listed twice; keep one of them`;
      return { path: [index, "case"], at: "value", text };
    });
    const open = unwritten ? undefined : unfinishedPart(reason);
    if (open === undefined) return problems;
    const text = `is ${reason.trim().startsWith(open) ? "still to be" : "only half"} written: it says "${open}"; write why the case may fail for now, such as: tokens of the old client, ticket 1234`;
    return [...problems, { path: [index, "reason"], at: "value", text }];
  });
}

async function writeBaseline(
  file: string,
  shown: string,
  entries: readonly BaselineEntry[],
): Promise<void> {
  const head = "# Cases that may fail for now. `run --baseline` says when one of them must go.\n";
  const written = entries.map(({ case: [first, ...others], ...rest }) => ({
    case: first !== undefined && others.length > 0 ? [first, ...others] : first,
    ...rest,
  }));
  const text = head + stringify(written, { lineWidth: 100 });
  await writeNamed(file, `The baseline ${shown}`, text, "ERR_BASELINE");
}
