import { groupBy } from "../lib/group-by.ts";
import { counted } from "../lib/words.ts";
import type { LeftOut } from "./leave-one-out.ts";

/** What exploration showed of conforming receivers. */
export interface Harmless {
  /** Variants that were explored one by one, and combinations of them. */
  readonly variants: number;
  readonly combinations: number;
  readonly seed: number;
  readonly requests: number;
  /** MUST violations that it showed, as `<variants>: <case>`. There must be none. */
  readonly alarms: readonly string[];
  /** Warnings, likewise. */
  readonly warnings: readonly string[];
}

/** The numbers of an exploration that a page is of. */
export interface Measured {
  readonly seed: number;
  readonly requests: number;
  readonly left: readonly LeftOut[];
  /** Absent where no conforming receiver was explored. */
  readonly harmless?: Harmless | undefined;
}

/** The page docs/exploration.md. */
export function explorationPage({ seed, requests, left, harmless }: Measured): string {
  const found = left.filter(({ after }) => after !== undefined);
  const byRule = [...groupBy(left, ({ rule }) => rule)];
  return [
    "# What exploration finds",
    "",
    "`run --explore` draws cases that no rule lists, and asks the [model of the contract](contract-model.md) what must come of them. It knows",
    "nothing of the mutations by which the rules find known faults. So what it finds of known faults says what it may find of unknown ones.",
    "`npm run explore` measures that and writes this page.",
    "",
    "## Known faults, without the cases that were made for them",
    "",
    `With ${counted(requests, "request")} and seed ${seed}, exploration alone shows ${found.length} of ${left.length} faults of the receiver's checks (${percent(found.length, left.length)}), half of them by request ${median(found)}.`,
    "",
    "The requests of one exploration of the conforming receiver are answered again by a receiver with each fault, without a connection, and each",
    "status is compared with what the contract says. Three kinds of faults are out of reach of such a measurement: those that refuse good",
    "requests with a status that may have another reason, such as 403, those that show in what an answer holds, and those of paths that the",
    "conforming receiver does not route.",
    "",
    "| rule | found | of |",
    "|---|---|---|",
    ...byRule.map(
      ([rule, all]) =>
        `| \`${rule}\` | ${all.filter(({ after }) => after !== undefined).length} | ${all.length} |`,
    ),
    "",
    ...(harmless ? harmlessLines(harmless) : []),
    "## Each fault",
    "",
    "| fault | rule | first shown by request | as a violation of |",
    "|---|---|---|---|",
    ...left.map(
      ({ fault, rule, after, shownBy }) =>
        `| \`${fault}\` | \`${rule}\` | ${after ?? "not shown"} | ${shownBy === undefined ? "" : `\`${shownBy}\``} |`,
    ),
    "",
  ].join("\n");
}

function harmlessLines({
  variants,
  combinations,
  seed,
  requests,
  alarms,
  warnings,
}: Harmless): string[] {
  return [
    "## Conforming receivers",
    "",
    `${counted(variants, "conforming variant")} and ${counted(combinations, "combination")} of them were explored with ${counted(requests, "request")} each and seed ${seed}. ${alarms.length === 0 ? "No MUST was called violated." : "These MUST violations are false:"}`,
    "",
    ...alarms.map((alarm) => `- ${alarm}`),
    ...(alarms.length > 0 ? [""] : []),
    ...(warnings.length > 0 ? ["Warnings:", "", ...warnings.map((one) => `- ${one}`), ""] : []),
  ];
}

function percent(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))} %`;
}

function median(found: readonly LeftOut[]): number {
  const numbers = found.flatMap(({ after }) => after ?? []).toSorted((a, b) => a - b);
  return numbers[Math.floor(numbers.length / 2)] ?? 0;
}
