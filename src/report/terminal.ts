import { LEVELS } from "../contract/levels.ts";
import type { Outcome, Verdict } from "../engine/events.ts";
import { UNJUDGED } from "../engine/judge.ts";
import { counted } from "../lib/words.ts";
import { baselineText } from "./baseline.ts";
import { type Blocker, blockersOf, keysOfAll } from "./blockers.ts";
import { foldCommand } from "./curl.ts";
import { diagnosis, failures } from "./failures.ts";
import {
  countsOf,
  isMeasured,
  inapplicableGroups,
  namesOf,
  observationRows,
  ruleCounts,
  sumOf,
  tally,
  totals,
  warningGroups,
} from "./groups.ts";
import {
  atMost,
  createPage,
  field,
  fields,
  heading,
  LABEL_COLUMNS,
  labelled,
  type Page,
  paragraph,
  sectionsText,
  table,
  toned,
  took,
} from "./layout.ts";
import { casesOf, type Report, type ReportCase, withPacks } from "./report.ts";
import { blockerWords } from "./text/blockers.ts";
import { explorationText } from "./text/exploration.ts";
import { printable, printableReport } from "./untrusted.ts";

export interface SummaryOptions {
  readonly columns: number;
  readonly color: boolean;
  /** The paths of the written files, as the user would name them. Default: none was written. */
  readonly reportFiles?: readonly string[] | undefined;
  /** Also shows observations, the table of rules, and all facts of each failure. Default: false. */
  readonly verbose?: boolean | undefined;
}

/**
 * A run's report for a terminal. The most important parts come last, next to the prompt: cases not judged,
 * warnings, failures with their diagnoses, then the verdict. Everything from a target is escaped.
 */
export function summary(report: Report, options: SummaryOptions): string {
  const [own = report, ...packs] = withPacks(report);
  const ofPacks = packs.map((pack) => {
    const title = printable(pack.plan.pack ?? "");
    return `${title}\n${"=".repeat(title.length)}\n\n${ownSummary(pack, { ...options, reportFiles: [] })}\n`;
  });
  return [...ofPacks, ownSummary(own, options)].join("");
}

/** The summary of the contract, or of one pack. */
function ownSummary(report: Report, options: SummaryOptions): string {
  const page = createPage(options.columns, options.color);
  const shown = printableReport(report);
  const verbose = options.verbose ?? false;
  const findings = (): string[][] => [
    ...(verbose ? [observations(page, shown), rules(page, shown), notApplicable(page, shown)] : []),
    ...(shown.verdict === "incomplete"
      ? [warnings(page, shown, verbose), blocked(page, shown, verbose)]
      : [
          blocked(page, shown, verbose),
          warnings(page, shown, verbose),
          failures(page, shown, verbose),
        ]),
  ];
  const sections = [
    baseline(page, shown),
    setup(page, shown, isSetupAlone(report) ? blockersOf(shown)[0]?.said : undefined),
    suiteErrors(page, shown),
    // If no token was accepted, a long list of unjudged cases would hide the reason.
    ...(isSetupAlone(report) ? [] : findings()),
    closing(page, shown, { ...options, verbose }),
  ];
  return sectionsText(sections);
}

/** Whether set-up problems kept every case from being judged and are all there is to report. */
function isSetupAlone({ setup: problems, suiteErrors: faults, rules: all }: Report): boolean {
  const allOpen = casesOf({ rules: all }).every(({ outcome }) => UNJUDGED.has(outcome));
  return problems.length > 0 && faults.length === 0 && allOpen;
}

/** Number of new failures that are named here; the failures section lists all of them. */
const NEW_SHOWN = 10;

/** The comparison with a baseline. The first line says whether it is acceptable. */
function baseline(page: Page, { baseline: note }: Report): string[] {
  if (!note) return [];
  return [
    ...paragraph(page, 0, baselineText(note)).map(page.colors.bold),
    ...note.unknown.slice(0, NEW_SHOWN).map((id) => page.colors.red(`  new   ${id}`)),
    ...note.stale.flatMap(({ case: id, why }) => ["", ...paragraph(page, 2, `${id} ${why}`)]),
  ];
}

/** @param said what the deployment says to the requests that it refused */
function setup(page: Page, { setup: problems }: Report, said: string | undefined): string[] {
  if (problems.length === 0) return [];
  return [
    heading(page, "Set-up"),
    ...problems.flatMap(({ problem, remedy }) => [
      "",
      ...paragraph(page, 2, problem).map(page.colors.yellow),
      ...paragraph(page, 2, remedy),
    ]),
    ...(said === undefined ? [] : ["", ...paragraph(page, 2, `It says: "${printable(said)}"`)]),
    "",
    ...paragraph(page, 2, "`orgsync-conformance doctor` checks the set-up step by step."),
  ];
}

const SUITE_ERRORS_SHOWN = 5;

function suiteErrors(page: Page, { suiteErrors: errors }: Report): string[] {
  if (errors.length === 0) return [];
  const more = errors.length - SUITE_ERRORS_SHOWN;
  return [
    heading(page, "Faults of the suite itself"),
    "",
    ...errors.slice(0, SUITE_ERRORS_SHOWN).flatMap((error) => paragraph(page, 2, error)),
    ...(more > 0 ? paragraph(page, 2, `and ${more} more`) : []),
    "",
    ...paragraph(page, 2, "Because of these, the verdict is worth nothing. Please report them."),
  ];
}

/** Number of rules with warnings, and of blockers, without `--verbose`. */
const WARNINGS_SHOWN = 3;
const BLOCKERS_SHOWN = 3;
const NAME_LINES = 2;

function warnings(page: Page, report: Report, verbose: boolean): string[] {
  const groups = warningGroups(report);
  if (groups.length === 0) return [];
  // The warnings of a rule that failed add little, and so do further ones of the same rule.
  const named = new Set(report.rules.filter(({ outcome }) => outcome === "fail"));
  const first = groups.filter(({ rule }) => !named.has(rule) && named.add(rule));
  const told = verbose ? groups : first.slice(0, WARNINGS_SHOWN);
  if (told.length === 0) return further(page, groups.length, "warning").slice(1);
  return [
    heading(page, "Warnings"),
    ...told.flatMap(({ rule, cases }, index) => {
      const [{ expected = "", actual = "" }] = cases;
      const isFirst = told[index - 1]?.rule !== rule;
      return [
        "",
        `  ${toned(page, "warn", "WARN")} ${rule.id}`,
        ...(rule.outcome === "warn" && isFirst ? diagnosis(page, 4, report, rule.id) : []),
        ...fields(page, 4, { expected, actual }),
        ...atMost(field(page, 4, "cases", namesOf(cases)), verbose ? Infinity : NAME_LINES),
      ];
    }),
    ...further(page, groups.length - told.length, "more warning"),
  ];
}

/** What keeps cases from being judged, the blocker first that frees most; for an incomplete run that is the result. */
function blocked(page: Page, report: Report, verbose: boolean): string[] {
  const blockers = blockersOf(report);
  // After failures show fewer, because many unjudged cases follow from the failures.
  const most = report.verdict === "non-conformant" ? 1 : BLOCKERS_SHOWN;
  const told = verbose ? blockers : blockers.slice(0, most);
  if (told.length === 0) return [];
  const keys = keysOfAll(blockers);
  return [
    heading(page, report.verdict === "incomplete" ? "What blocks the verdict" : "Not judged"),
    ...told.flatMap((one) => blockerLines(page, report, one, verbose)),
    ...further(page, blockers.length - told.length, "more reason"),
    ...(keys.length > 0
      ? ["", ...paragraph(page, 2, `For all of them, the profile needs: ${keys.join(", ")}`)]
      : []),
  ];
}

function blockerLines(page: Page, report: Report, blocker: Blocker, verbose: boolean): string[] {
  const { what, said, waiting, advice, next } = blockerWords(report, blocker);
  const room = page.width - 4 - LABEL_COLUMNS;
  const waitingRules = field(page, 4, "rules", ruleCounts(blocker.cases));
  return [
    "",
    ...paragraph(page, 2, what),
    ...fields(page, 4, { "it says": said && `"${said}"`, cases: waiting, advice }),
    ...labelled(page, 4, "next", foldCommand(next, room)),
    ...atMost(waitingRules, verbose ? Infinity : NAME_LINES).map(page.colors.dim),
  ];
}

/** Why cases do not apply, which changes no verdict. */
function notApplicable(page: Page, report: Report): string[] {
  const groups = inapplicableGroups(report);
  if (groups.length === 0) return [];
  return [
    heading(page, "Not applicable"),
    ...groups.flatMap(({ reason, cases }) => [
      "",
      ...paragraph(page, 2, `${counted(cases.length, "case")}: ${reason}`),
      ...paragraph(page, 4, ruleCounts(cases)).map(page.colors.dim),
    ]),
  ];
}

function further(page: Page, count: number, noun: string): string[] {
  if (count <= 0) return [];
  return ["", `  ${page.colors.dim(`${counted(count, noun)}, with --verbose or in the report`)}`];
}

function observations(page: Page, report: Report): string[] {
  // Those of single requests are only in the report.
  const told = report.observations.filter(isMeasured);
  const more = report.observations.length - told.length;
  if (report.observations.length === 0) return [];
  return [
    heading(page, "Observed, never judged"),
    "",
    ...table(page, 2, observationRows({ observations: told })),
    ...(more > 0 ? paragraph(page, 2, `and ${more} of single requests, in the report`) : []),
  ];
}

const OUTCOME_COLUMN = 2;

function rules(page: Page, report: Report): string[] {
  if (report.rules.length === 0) return [];
  const rows = report.rules.map(({ id, level, outcome, cases }) => [
    id,
    level,
    cases.length === 0 ? "not-run" : outcome === "fail" ? "FAIL" : outcome,
    outcomeCounts(cases),
  ]);
  const paint = (cell: string, row: number, column: number): string =>
    column === OUTCOME_COLUMN
      ? toned(page, report.rules[row]?.outcome ?? "not-applicable", cell)
      : cell;
  return [heading(page, "Rules"), "", ...table(page, 2, rows, paint)];
}

const LIKE: Readonly<Record<Verdict, Outcome>> = {
  conformant: "pass",
  "non-conformant": "fail",
  incomplete: "warn",
  partial: "warn",
};

function closing(
  page: Page,
  report: Report,
  { reportFiles = [], verbose }: SummaryOptions,
): string[] {
  const { requests, seed, writes, verdict } = report;
  const notes = [
    `${counted(requests, "request")} in ${took(report)}, ${counted(sumOf(writes), "accepted write")}, seed ${seed}`,
    ...explorationText(report),
    ...(reportFiles.length === 0 ? [] : [`Report: ${reportFiles.join(", ")}`]),
    ...(verbose || report.rules.length === 0 ? [] : [`--verbose adds: ${addedText(report)}.`]),
  ];
  return [
    ...table(page, 0, countRows(report)),
    "",
    ...notes.flatMap((note) => paragraph(page, 0, note)).map(page.colors.dim),
    "",
    ...(report.baseline ? paragraph(page, 0, baselineText(report.baseline)) : []),
    ...paragraph(page, 0, report.verdictText).map((line) => toned(page, LIKE[verdict], line)),
    ...(report.packs ?? []).flatMap((pack) =>
      paragraph(page, 0, pack.verdictText).map((line) => toned(page, LIKE[pack.verdict], line)),
    ),
  ];
}

/** The number of cases by level and outcome, and of all levels together if there are several. */
function countRows(report: Report): string[][] {
  const levels = LEVELS.map((level) => [level, report.counts[level]] as const).filter(
    ([, counts]) => sumOf(counts) > 0,
  );
  const all = ["all", totals(report)] as const;
  return [...levels, ...(levels.length > 1 ? [all] : [])].map(([name, counts]) => [
    name,
    counted(sumOf(counts), "case"),
    countsOf(counts),
  ]);
}

function addedText(report: Report): string {
  const inapplicable = totals(report)["not-applicable"];
  const observed = report.observations.length;
  return [
    "the table of rules",
    ...(inapplicable > 0 ? [`why ${counted(inapplicable, "case")} did not apply`] : []),
    ...(observed > 0 ? [counted(observed, "observation")] : []),
  ].join(", ");
}

/** `12 cases` when all have the same outcome, else the number of each outcome. */
function outcomeCounts(cases: readonly ReportCase[]): string {
  if (new Set(cases.map(({ outcome }) => outcome)).size < 2) return counted(cases.length, "case");
  return tally(cases);
}
