import { requirement } from "../contract/requirements.ts";
import type { Outcome } from "../engine/events.ts";
import type { Exchange } from "../http/exchange.ts";
import { groupBy } from "../lib/group-by.ts";
import { capitalized, counted } from "../lib/words.ts";
import { blockersOf } from "./blockers.ts";
import { answersInOrder, byHand } from "./commands.ts";
import { controlFor, differencesOf } from "./evidence.ts";
import {
  byteRows,
  type Pair,
  requestRows,
  responseRows,
  statusLine,
  tokenRows,
} from "./exchange-rows.ts";
import {
  field,
  fields,
  heading,
  type Page,
  paragraph,
  toned,
  columnHeads,
  type Row,
  sectionsText,
  sideBySide,
} from "./layout.ts";
import type { Report, ReportCase, ReportRule } from "./report.ts";
import type { StoredCase } from "./stored.ts";
import { blockerWords } from "./text/blockers.ts";
import { differenceTexts } from "./text/differences.ts";
import { printable, printableReport } from "./untrusted.ts";

export interface Then {
  readonly one: StoredCase;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly seed: number;
}

const MOST_REQUIREMENTS = 3;
const MOST_PROBES = 12;

const WORDS: Readonly<Record<Outcome, readonly [then: string, now: string]>> = {
  fail: ["failed", "fails"],
  inconclusive: ["was inconclusive", "is inconclusive"],
  "not-provisioned": ["was not provisioned", "is not provisioned"],
  warn: ["warned", "warns"],
  pass: ["passed", "passes"],
  observed: ["was observed", "is observed"],
  "not-applicable": ["did not apply", "does not apply"],
};

/**
 * One case that was run again, as text: each probe beside its control, the requirement, what was expected
 * and seen, and the outcomes of then and now.
 * @param report of the run that ran the case again
 * @throws Error when the report lacks the case
 */
export function replayPage(page: Page, report: Report, id: string, then: Then): string {
  const shown = printableReport(report);
  const rule = shown.rules.find(({ cases }) => cases.some((one) => one.id === id));
  const one = rule?.cases.find((candidate) => candidate.id === id);
  if (!rule || !one) throw new Error(`the run lacks the case ${id}`);
  return sectionsText([
    setup(page, shown),
    ...probes(page, report, one),
    demands(page, rule, one),
    sending(page, report, one),
    outcome(page, report, one, then),
  ]);
}

/** The commands that send the probe by hand, and the answers that it takes to show the failure. */
function sending(page: Page, report: Report, one: ReportCase): string[] {
  const commands = byHand(report, one);
  const answers = answersInOrder(report, one);
  if (commands.length === 0 && answers === undefined) return [];
  return [
    heading(page, "By hand"),
    ...(answers === undefined ? [] : paragraph(page, 2, answers)),
    ...commands,
  ];
}

function setup(page: Page, { setup: problems }: Report): string[] {
  if (problems.length === 0) return [];
  return [
    heading(page, "Set-up"),
    ...problems.flatMap(({ problem, remedy }) => [
      ...paragraph(page, 2, problem).map(page.colors.yellow),
      ...paragraph(page, 2, remedy),
    ]),
  ];
}

function probes(page: Page, report: Report, one: ReportCase): string[][] {
  const { probes: ids = [], controls = [] } = one.evidence ?? {};
  const found = (names: readonly string[]): Exchange[] =>
    names.flatMap((name) => report.exchanges[name] ?? []);
  const [sent, accepted] = [found(ids), found(controls)];
  const { origin } = new URL(report.target.baseUrl);
  const show = (pair: Pair, name: string): string[] => exchangePage(page, one, pair, name, origin);
  if (sent.length === 0) {
    return accepted.map((probe) => show({ probe, control: undefined }, "The control"));
  }
  const kinds = [...groupBy(sent, gist).values()];
  const pages = kinds.slice(0, MOST_PROBES).map(([probe, ...repeats], at) => {
    const name = kinds.length > 1 ? `Probe ${at + 1} of ${kinds.length}` : "The probe";
    return [
      ...show({ probe, control: controlFor(probe, accepted) }, name),
      ...again(page, repeats),
    ];
  });
  const more = kinds.length - MOST_PROBES;
  if (more > 0) pages.push(paragraph(page, 0, `${counted(more, "more probe")}; --out writes all.`));
  if (accepted.length > 1) {
    const answers = accepted.map(statusLine).join(", ");
    pages.push(paragraph(page, 0, `Controls, before and after: ${answers}.`));
  }
  return pages;
}

function exchangePage(
  page: Page,
  one: ReportCase,
  pair: Pair,
  name: string,
  origin: string,
): string[] {
  const differences = one.evidence?.differences ?? [];
  const sections: [string, Row[]][] = [
    ["Request", requestRows(pair, origin)],
    ["Token header", tokenRows(pair, "header", differences)],
    ["Token claims", tokenRows(pair, "claim", differences)],
    ["Token bytes", byteRows(pair, differences)],
    ["Response", responseRows(pair)],
  ];
  const rows = (all: Row[]): string[] =>
    pair.control
      ? sideBySide(page, all)
      : all.flatMap(({ probe = [] }) => probe.flatMap((line) => paragraph(page, 2, line)));
  return [
    heading(page, pair.control ? `${name} beside its control` : name),
    ...(pair.control ? columnHeads(page) : []),
    ...sections
      .filter(([, all]) => all.length > 0)
      .flatMap(([title, all]) => ["", `  ${page.colors.bold(title)}`, ...rows(all)]),
  ];
}

/** What is equal in exchanges of the same request and answer, sent again to confirm. */
function gist({ request, response, fault }: Exchange): string {
  const { method, url, token } = request;
  return JSON.stringify([method, url, token?.mutation, response?.status ?? fault?.kind]);
}

function again(page: Page, repeats: readonly Exchange[]): string[] {
  if (repeats.length === 0) return [];
  const answers = repeats.map(statusLine).join(", ");
  return ["", ...paragraph(page, 2, `Sent again, with the same answers: ${answers}.`)];
}

function demands(page: Page, rule: ReportRule, one: ReportCase): string[] {
  const all = rule.requirements.map(requirement);
  const more = all.length - MOST_REQUIREMENTS;
  return [
    heading(page, one.id),
    ...(one.title === undefined ? [] : paragraph(page, 2, one.title)),
    ...all
      .slice(0, MOST_REQUIREMENTS)
      .flatMap(({ text, clause }) => [
        "",
        ...paragraph(page, 2, `"${text}"`),
        ...paragraph(page, 2, `(${clause})`).map(page.colors.dim),
      ]),
    ...(more > 0 ? ["", ...paragraph(page, 2, `and ${more} more: rules ${rule.id}`)] : []),
  ];
}

function outcome(
  page: Page,
  report: Report,
  one: ReportCase,
  { one: was, startedAt, seed }: Then,
): string[] {
  const differs = differenceTexts(differencesOf(report, one));
  const [past, present] = [WORDS[was.outcome][0], WORDS[one.outcome][1]];
  const link = was.outcome === one.outcome ? " then, and " : " then, ";
  const verdict = `${capitalized(past)}${link}${present} now.`;
  return [
    ...differs.flatMap((line, at) => field(page, 2, at === 0 ? "differs" : "", line)),
    ...fields(page, 2, { expected: one.expected, actual: one.actual }),
    ...field(page, 2, "then", printable(`${said(was)} (${startedAt}, seed ${seed})`)),
    ...field(page, 2, "now", said(one)),
    ...waitsFor(page, report),
    ...(one.flaky ? field(page, 2, "", "two tries disagreed") : []),
    "",
    toned(page, one.outcome, verdict),
  ];
}

/** What the case still waits for: the deployment's words, and what to do. */
function waitsFor(page: Page, report: Report): string[] {
  const [blocker] = blockersOf(report);
  if (!blocker) return [];
  const { said: words, advice } = blockerWords(report, blocker);
  return fields(page, 2, { "it says": words && `"${words}"`, advice });
}

function said(one: Pick<StoredCase, "outcome" | "actual" | "reason">): string {
  const why = one.actual ?? one.reason;
  return why === undefined ? one.outcome : `${one.outcome}: ${why}`;
}
