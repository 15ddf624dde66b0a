import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageRoot } from "../lib/package-root.ts";

/** What `npm run explore` measured, as it stands in docs/exploration.json. Each part is measured by itself. */
export interface Measured {
  readonly faults?: MeasuredFaults | undefined;
  readonly walks?: MeasuredFaults | undefined;
  readonly again?: Harmless | undefined;
  readonly conforming?: Harmless | undefined;
}

/** What explorations showed of known faults. */
export interface MeasuredFaults {
  readonly requests: number;
  readonly seeds: readonly number[];
  readonly left: readonly LeftOut[];
}

/** One known fault, and what the exploration of each seed showed of it. */
export interface LeftOut {
  readonly fault: string;
  readonly rule: string;
  /** In the order of the seeds; null where it was not shown. */
  readonly shown: readonly (Shown | null)[];
}

/** By the how manieth request a fault showed, and as a violation of which rule. */
export type Shown = readonly [after: number, rule: string];

/** What explorations showed of conforming receivers. */
export interface Harmless {
  readonly requests: number;
  readonly seeds: readonly number[];
  /** Variants that were explored one by one, and combinations of them. */
  readonly variants: number;
  readonly combinations: number;
  /** MUST violations that they showed, as `<variants>: <case>`. There must be none. */
  readonly alarms: readonly string[];
  /** Warnings, likewise. */
  readonly warnings: readonly string[];
}

const DATA = join(packageRoot, "docs", "exploration.json");

export function readMeasured(): Measured {
  return JSON.parse(readFileSync(DATA, "utf8")) as Measured;
}

/** Replaces what was measured anew. */
export function writeMeasured(anew: Measured): void {
  writeFileSync(DATA, `${jsonOf({ ...readMeasured(), ...anew })}\n`);
}

/** JSON with a fault on each line. */
function jsonOf(measured: Measured): string {
  const parts = Object.entries(measured).map(([name, part]) => {
    const { left, ...rest } = part as Partial<MeasuredFaults>;
    const head = JSON.stringify(rest).slice(0, -1);
    const lines = left?.map((one) => `\n      ${JSON.stringify(one)}`);
    return `  ${JSON.stringify(name)}: ${head}${lines ? `, "left": [${lines.join(",")}\n    ]` : ""} }`;
  });
  return `{\n${parts.join(",\n")}\n}`;
}

/** How many faults the exploration of one seed showed. */
export function foundBy({ left }: Pick<MeasuredFaults, "left">, nth: number): number {
  return left.filter(({ shown }) => shown[nth]).length;
}
