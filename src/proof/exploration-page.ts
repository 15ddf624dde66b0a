import { groupBy } from "../lib/group-by.ts";
import { counted } from "../lib/words.ts";
import {
  foundBy,
  type Harmless,
  type LeftOut,
  type Measured,
  type MeasuredFaults,
} from "./exploration-data.ts";
import { OTHER_RECEIVERS } from "./exploration-others.ts";

/** The page docs/exploration.md. */
export function explorationPage({ faults, walks, again, conforming }: Measured): string {
  return [
    "# What exploration finds",
    "",
    "`run --explore` draws cases that no rule lists, and asks the [model of the contract](contract-model.md) what must come of them. It knows",
    "nothing of the mutations by which the rules find known faults. So what it finds of known faults says what it may find of unknown ones.",
    "`npm run explore` measures that, keeps it in `docs/exploration.json`, and writes this page.",
    "",
    ...(faults ? ofChecks(faults) : []),
    ...(walks ? ofPages(walks) : []),
    ...(again || conforming ? ["## Conforming receivers", ""] : []),
    ...(again
      ? harmlessLines(
          again,
          "in process: the requests of explorations of the plain one were answered again by each, and where an answer was not what the contract says, it was explored over HTTP with the same seed",
        )
      : []),
    ...(conforming ? harmlessLines(conforming, "over HTTP") : []),
    OTHER_RECEIVERS,
    "",
    ...(faults ? eachFault("Each fault of the checks", faults) : []),
    ...(walks ? eachFault("Each fault of pages", walks) : []),
  ].join("\n");
}

function ofChecks(faults: MeasuredFaults): string[] {
  return [
    "## Known faults, without the cases that were made for them",
    "",
    `With ${counted(faults.requests, "request")} each, exploration alone shows ${toldBySeed(faults)} of ${faults.left.length} faults of the receiver's checks, half of them by request ${median(faults)}.`,
    "",
    "The requests of one exploration of the conforming receiver are answered again by a receiver with each fault, without a connection, and each",
    "status is compared with what the contract says. Three kinds of faults are out of reach of such a measurement: those that refuse good",
    "requests with a status that may have another reason, such as 403, those that show in what an answer holds, and those of paths that the",
    "conforming receiver does not route.",
    "",
    ...ruleTable(faults),
    "",
  ];
}

function ofPages(walks: MeasuredFaults): string[] {
  return [
    "## Faults of pages",
    "",
    `With ${counted(walks.requests, "request")} each, of which about one in eight reads a page of a walk, exploration alone shows ${toldBySeed(walks)} of ${walks.left.length} faults of pages. These receivers are explored over HTTP. Pages that are refused, and parameters out of bounds, are judged by the plan alone or nearly so: most of what refuses them is left open.`,
    "",
    ...ruleTable(walks),
    "",
  ];
}

/** How many faults each seed showed: "302 (seed 1), 300 (seed 2)". */
export function toldBySeed(faults: MeasuredFaults): string {
  const told = faults.seeds.map((seed, nth) => `${foundBy(faults, nth)} (seed ${seed})`);
  return told.join(", ");
}

/** What each seed showed of the faults of each rule, as a table. */
export function ruleTable({ seeds, left }: MeasuredFaults): string[] {
  const rows = [...groupBy(left, ({ rule }) => rule)].map(([rule, all]) => {
    const found = seeds.map((_, nth) => String(foundBy({ left: all }, nth)));
    const any = all.filter(({ shown }) => shown.some(Boolean)).length;
    return `| ${[rule, ...found, any, all.length].join(" | ")} |`;
  });
  return [
    `| rule | ${seeds.map((seed) => `seed ${seed}`).join(" | ")} | any seed | of |`,
    `|---|${seeds.map(() => "---|").join("")}---|---|`,
    ...rows,
  ];
}

function harmlessLines(harmless: Harmless, how: string): string[] {
  const { variants, combinations, seeds, requests, alarms, warnings } = harmless;
  return [
    `${counted(variants, "conforming variant")} and ${counted(combinations, "combination")} of three were explored with ${counted(requests, "request")} each and ${seeds.length === 1 ? `seed ${seeds[0]}` : `each of the seeds ${seeds.join(", ")}`}, ${how}. ${alarms.length === 0 ? "No MUST was called violated." : "These MUST violations are false:"}`,
    "",
    ...alarms.map((alarm) => `- ${alarm}`),
    ...(alarms.length > 0 ? [""] : []),
    ...(warnings.length > 0 ? ["Warnings:", "", ...warnings.map((one) => `- ${one}`), ""] : []),
  ];
}

function eachFault(title: string, { seeds, left }: MeasuredFaults): string[] {
  return [
    `## ${title}`,
    "",
    `| fault | rule | ${seeds.map((seed) => `shown by request, seed ${seed}`).join(" | ")} | as a violation of |`,
    `|---|---|${seeds.map(() => "---|").join("")}---|`,
    ...left.map(({ fault, rule, shown }) => {
      const after = shown.map((one) => (one ? one[0] : "not shown"));
      return `| ${[`\`${fault}\``, `\`${rule}\``, ...after, rulesOf(shown)].join(" | ")} |`;
    }),
    "",
  ];
}

function rulesOf(shown: LeftOut["shown"]): string {
  const rules = new Set(shown.flatMap((one) => (one ? `\`${one[1]}\`` : [])));
  return [...rules].join(", ");
}

function median({ left }: MeasuredFaults): number {
  const numbers = left
    .flatMap(({ shown }) => shown.flatMap((one) => one?.[0] ?? []))
    .toSorted((a, b) => a - b);
  return numbers[Math.floor(numbers.length / 2)] ?? 0;
}
