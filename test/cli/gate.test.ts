import { beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";

import { startReference } from "../../src/reference/index.ts";
import { drawnOneIn } from "../proof/selection.ts";
import { reportOf, result } from "../report/events.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";
import { command, ioWith, type TestIo } from "./io.ts";

/** The options that decide an exit code. A selection (`--rule`) is part of every run here. */
const OPTIONS = {
  B: ["--baseline", "known.yaml"],
  W: ["--write-baseline", "written.yaml"],
  R: ["--require", "conformant"],
  F: ["--fail-on", "warn"],
  A: ["--accept-incomplete"],
  X: ["--bail"],
  L: ["--failed"],
  O: ["--read-only"],
} as const;
type Letter = keyof typeof OPTIONS;

interface Situation {
  readonly fault?: string;
  /** The cases that the run selects, without the operation. */
  readonly cases: readonly string[];
  /** What the baseline lists. */
  readonly known?: string;
  readonly lacks?: string;
}

const AUDIENCE = ["receiver.audience/wildcard", "receiver.audience/other"];
const WILDCARD = "receiver.audience/wildcard@viewOrganization";

const SITUATIONS = {
  /** Nothing is wrong; the verdict is partial, because of the selection. */
  clean: { cases: AUDIENCE },
  /** A MUST is violated. */
  fails: { fault: "audience-wildcard", cases: AUDIENCE },
  /** The same, and the baseline lists it. */
  known: { fault: "audience-wildcard", cases: AUDIENCE, known: WILDCARD },
  /** Nothing is wrong, and the baseline lists a failure. */
  stale: { cases: AUDIENCE, known: WILDCARD },
  /** A SHOULD is violated. */
  warns: { fault: "sub-missing-accepted", cases: ["receiver.required-claims/sub-missing"] },
  /** A MUST cannot be judged. */
  open: { cases: ["receiver.binding/other-organization"], lacks: "claimsNamespace" },
} satisfies Readonly<Record<string, Situation>>;
type Name = keyof typeof SITUATIONS;

/** The exit codes of the options together, by situation. */
const TABLE: readonly [options: string, codes: Readonly<Partial<Record<Name, number>>>][] = [
  ["", { clean: 0, fails: 1, known: 1, stale: 0, warns: 0, open: 3 }],
  ["B", { clean: 0, fails: 1, known: 0, stale: 1, open: 3 }],
  ["W", { clean: 0, fails: 1, open: 3 }],
  ["R", { clean: 3, fails: 1, known: 1, warns: 3, open: 3 }],
  ["F", { clean: 0, fails: 1, warns: 1, open: 3 }],
  ["A", { clean: 0, fails: 1, open: 0 }],
  ["X", { clean: 0, fails: 1, open: 3 }],
  ["L", { clean: 0, fails: 1 }],
  ["O", { clean: 0, fails: 1, open: 3 }],
  ["BW", { fails: 1, known: 0, stale: 1 }],
  ["BR", { clean: 3, fails: 1, known: 1, stale: 3, open: 3 }],
  ["BF", { known: 0, warns: 1 }],
  ["BA", { fails: 1, known: 0, open: 0, stale: 1 }],
  ["BX", { fails: 1, known: 0 }],
  ["BL", { fails: 1, known: 0 }],
  ["BO", { known: 0, stale: 1 }],
  ["WR", { clean: 3, fails: 1 }],
  ["WF", { warns: 1 }],
  ["WA", { fails: 1, open: 0 }],
  ["WX", { fails: 1 }],
  ["WL", { clean: 0, fails: 1 }],
  ["WO", { fails: 1 }],
  ["RF", { clean: 3, warns: 1 }],
  ["RA", { clean: 3, fails: 1, open: 3 }],
  ["RX", { clean: 3, fails: 1 }],
  ["RL", { clean: 3, fails: 1 }],
  ["RO", { clean: 3, fails: 1 }],
  ["FA", { warns: 1, open: 0 }],
  ["FX", { fails: 1, warns: 1 }],
  ["FL", { warns: 1 }],
  ["FO", { warns: 1 }],
  ["AX", { fails: 1, open: 0 }],
  ["AL", { fails: 1, open: 0 }],
  ["AO", { open: 0 }],
  ["XL", { clean: 0, fails: 1 }],
  ["XO", { fails: 1 }],
  ["LO", { clean: 0, fails: 1 }],
  ["BRA", { known: 1, open: 3 }],
  ["BRX", { known: 1 }],
  ["BRF", { known: 1, warns: 1 }],
];

const profiles = new Map<string, Record<string, unknown>>();

beforeAll(async () => {
  const faults = new Set(Object.values<Situation>(SITUATIONS).map(({ fault = "" }) => fault));
  const receivers = await Promise.all(
    [...faults].map(async (fault) => {
      const receiver = await startReference({
        jwks: BUNDLED_JWKS,
        faults: fault === "" ? [] : [fault],
      });
      const { openapi: _document, ...profile } = receiver.profile;
      profiles.set(fault, profile);
      return receiver;
    }),
  );
  return async () => {
    await Promise.all(receivers.map((receiver) => receiver.close()));
  };
});

function world({ fault = "", known, lacks, cases }: Situation): TestIo {
  const profile = { ...profiles.get(fault), ...(lacks !== undefined && { [lacks]: undefined }) };
  const entries = known === undefined ? [] : [{ case: known, reason: "ticket 7" }];
  // The last run, for --failed, in which all of them failed.
  const before = reportOf(
    cases.map((id) => result("", { id: `${id}@viewOrganization`, operation: "viewOrganization" })),
  );
  return ioWith(profile, {
    "known.yaml": stringify(entries),
    "reports/report.json": JSON.stringify(before),
  });
}

async function run(letters: string, name: Name): ReturnType<typeof command> {
  const situation: Situation = SITUATIONS[name];
  const patterns = situation.cases.flatMap((id) => ["--rule", `${id}@viewOrganization`]);
  return command(["run", ...patterns, ...optionsOf(letters)], world(situation));
}

function optionsOf(letters: string): string[] {
  return letters.split("").flatMap((letter) => [...OPTIONS[letter as Letter]]);
}

describe("the exit code of a run", () => {
  test("has a row for every pair of options that decide it", () => {
    const letters = Object.keys(OPTIONS);
    const pairs = letters.flatMap((one, at) => letters.slice(at + 1).map((other) => one + other));
    const rows = TABLE.map(([options]) => options);
    expect(rows).toEqual(expect.arrayContaining(["", ...letters, ...pairs]));
  });

  const cells = TABLE.flatMap(([letters, codes]) =>
    Object.entries(codes).map(([name, code]) => ({
      options: optionsOf(letters).join(" "),
      letters,
      name: name as Name,
      code,
    })),
  );

  test.each(drawnOneIn(2, cells))(
    "in the situation '$name' with '$options' is $code",
    async ({ letters, name, code }) => {
      const ran = await run(letters, name);
      expect({ code: ran.code, err: ran.err }).toEqual({ code, err: expect.any(String) });
    },
  );

  test.each<[letters: string, name: Name, why: string]>([
    [
      "BR",
      "known",
      "The exit code is 1 by --require conformant, and would be 0 by --baseline known.yaml: the verdict is non-conformant, and --require goes by the verdict alone. Leave out --require to let known failures pass, or --baseline to gate a release.\n",
    ],
    [
      "RA",
      "open",
      "The exit code is 3 by --require conformant, and would be 0 by --accept-incomplete: the verdict is incomplete, and --require goes by the verdict alone. Leave out one of the two.\n",
    ],
    ["BR", "clean", "The exit code is 3 by --require conformant: the run is partial, because "],
    ["BRF", "warns", "The exit code is 1 by --fail-on warn: 1 case violated a SHOULD.\n"],
  ])("of %s in the situation '%s' is explained in one line", async (letters, name, why) => {
    const { err } = await run(letters, name);
    expect(err.slice(err.indexOf("The exit code"))).toContain(why);
    expect(err.match(/The exit code/g)).toHaveLength(1);
  });

  test.each(["B", "R", "BA", ""])(
    "of '%s' needs no explanation where it is the verdict's",
    async (letters) => {
      expect((await run(letters, "fails")).err).not.toContain("The exit code");
    },
  );
});
