import { OPERATION_IDS } from "../../contract/operations.ts";
import { isObject } from "../../lib/json.ts";
import type { Call } from "../model.ts";
import { passing, skipped } from "../patches.ts";
import { onEach } from "./copies.ts";
import { type FaultEntry, ofEach, type When } from "./fault.ts";

/** A careless way to compare a claim that should be equal to one string, for any such claim. */
interface Comparison {
  /** What a receiver does with the claim, given its name in backticks. */
  readonly title: (claim: string) => string;
  readonly how: string;
  readonly source?: string;
  readonly takes: (given: unknown, right: string) => boolean;
}

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  "missing-accepted": {
    title: (claim) => `Accepts a token without ${claim}`,
    how: "The library compares the claim only if it is present. Requiring it is a separate option.",
    source: "CVE-2020-26160",
    takes: (given) => given === undefined,
  },
  "falsy-accepted": {
    title: (claim) => `Accepts ${claim} that is null or empty`,
    how: "`if (claim && claim !== expected)` is used although the claim is required.",
    takes: (given) => given === null || given === "",
  },
  "absent-or-null-accepted": {
    title: (claim) => `Accepts a token in which ${claim} is missing or null`,
    how: "`if (claim != null && claim !== expected)`: in most languages one value stands for both, and `isset` of PHP tests for both.",
    takes: (given) => given === undefined || given === null,
  },
  "required-alone": {
    title: (claim) => `Requires ${claim}, and accepts any value of it`,
    how: "One option of the library requires the claim and another one compares it. Only the first is set.",
    takes: (given) => given !== undefined,
  },
  "equal-to-true": {
    title: (claim) => `Takes ${claim} for the right value if it is \`true\``,
    how: "`==` of PHP converts both sides to booleans if one of them is one.",
    takes: (given) => given === true,
  },
  "only-strings-compared": {
    title: (claim) => `Does not compare ${claim} if it is not a string`,
    how: "The comparison is guarded by `typeof`, without a branch for other types.",
    takes: (given) => given !== undefined && typeof given !== "string" && !Array.isArray(given),
  },
  "object-value": {
    title: (claim) => `Accepts an object in ${claim} that has the right value in a member`,
    how: "`in_array` of PHP searches what the claim was cast to, and a JSON object is an array there.",
    takes: (given, right) => isObject(given) && Object.values(given).includes(right),
  },
  trimmed: {
    title: (claim) => `Ignores blanks around ${claim}`,
    how: "The helper that reads the claim trims it, as one that reads settings does.",
    takes: texts((given, right) => given !== right && given.trim() === right),
  },
  "blanks-after-ignored": {
    title: (claim) => `Ignores spaces after ${claim}`,
    how: "The database compares texts of unequal length as if spaces filled the shorter one.",
    takes: texts((given, right) => given !== right && given.replace(/ +$/, "") === right),
  },
  "line-end-ignored": {
    title: (claim) => `Ignores a line end after ${claim}`,
    how: "The pattern ends in `$`, which also matches before a line end at the end of the text.",
    takes: texts((given, right) => given === `${right}\n`),
  },
  "cut-at-nul": {
    title: (claim) => `Compares ${claim} up to a NUL`,
    how: "The comparison is made in C, where a NUL is the end of a text.",
    takes: texts((given, right) => given.includes("\0") && given.split("\0")[0] === right),
  },
  "by-prefix": {
    title: (claim) => `Compares ${claim} by prefix`,
    how: "Values with and without a path are both valid, so `startsWith` replaces equality.",
    source: "CVE-2024-53861",
    takes: texts((given, right) => given.startsWith(right)),
  },
  "by-path-prefix": {
    title: (claim) => `Accepts any URL below the right one in ${claim}`,
    how: "Tenants and routes below the URL should be accepted too.",
    takes: texts((given, right) => given.startsWith(`${right}/`) && given !== `${right}/`),
  },
  "by-suffix": {
    title: (claim) => `Compares ${claim} by suffix`,
    how: "`endsWith` should make up for a missing scheme.",
    takes: texts((given, right) => given.endsWith(right)),
  },
  "by-substring": {
    title: (claim) => `Searches ${claim} for the right value`,
    how: "`includes` is called on the string instead of on a list.",
    source: "CVE-2024-53861",
    takes: texts((given, right) => new RegExp(`.${escaped(right)}.`).test(given)),
  },
  "part-of-expected": {
    title: (claim) => `Accepts the beginning of the right value in ${claim}`,
    how: "The operands of `startsWith` are swapped.",
    takes: texts((given, right) => given !== "" && right.startsWith(given)),
  },
  "by-pattern": {
    title: (claim) =>
      `Treats the right value of ${claim} as a pattern, in which a dot matches any character`,
    how: "The expected value is configured as a regular expression, and URLs are written there without escaping.",
    takes: texts((given, right) => new RegExp(`^${right}$`).test(given)),
  },
  "in-list": {
    title: (claim) => `Accepts a space-separated list in ${claim} that contains the right value`,
    how: "The claim is split by the helper for `scope`.",
    takes: texts((given, right) => given.split(" ").includes(right)),
  },
  "in-comma-list": {
    title: (claim) => `Accepts a comma-separated list in ${claim} that contains the right value`,
    how: "The code splits the claim instead of the configured list.",
    takes: texts((given, right) => given.split(",").includes(right)),
  },
  "on-any-line": {
    title: (claim) => `Searches the lines of ${claim} for the right value`,
    how: "In Ruby `^` and `$` are the ends of a line, as they are elsewhere with the flag m. The ends of the text are `\\A` and `\\z`.",
    takes: texts((given, right) => given.split("\n").includes(right)),
  },
  "by-host": {
    title: (claim) => `Compares only the host of ${claim}`,
    how: "Trust is configured by host name, as for certificates.",
    takes: urls((given, right) => given.hostname === right.hostname),
  },
  "by-origin": {
    title: (claim) => `Compares only scheme, host and port of ${claim}`,
    how: "The code compares the origin of the parsed URL.",
    takes: urls((given, right) => given.origin === right.origin),
  },
  "without-scheme": {
    title: (claim) => `Accepts ${claim} without its scheme`,
    how: "The scheme is removed from both sides before the comparison.",
    takes: texts((given, right) => given === right.replace(/^https?:\/\//, "")),
  },
  "scheme-ignored": {
    title: (claim) => `Accepts ${claim} with either scheme`,
    how: "TLS ends at a gateway, and every service behind it uses `http` in its own URL.",
    takes: urls(({ host, pathname }, right) => host === right.host && pathname === right.pathname),
  },
  "port-ignored": {
    title: (claim) => `Accepts ${claim} with any port`,
    how: "`hostname` is compared instead of `host`.",
    takes: urls(
      ({ protocol, hostname, pathname }, right) =>
        protocol === right.protocol && hostname === right.hostname && pathname === right.pathname,
    ),
  },
  "query-ignored": {
    title: (claim) => `Accepts ${claim} with any query`,
    how: "The code compares origin and path of the parsed URLs.",
    takes: urls(
      ({ origin, pathname }, right) => origin === right.origin && pathname === right.pathname,
    ),
  },
  "userinfo-taken-for-host": {
    title: (claim) => `Accepts ${claim} with the right host before an @`,
    how: "A pattern that ends at the first `@` or slash extracts the host.",
    takes: texts(
      (given, right) => /^https?:\/\/[^/@]+(?=@)/.exec(given)?.[0] === new URL(right).origin,
    ),
  },
};

/** A check that compares one claim with one string. */
interface Compared {
  /** The beginning of the names of its faults. */
  readonly prefix: string;
  readonly claim: string;
  readonly step: "checkIssuer" | "checkAudience";
  readonly right: "issuer" | "baseUrl";
}

/** The faults of any check that compares one claim with one string: it is missing on one route, or careless. */
export function comparisonFaults(compared: Compared): Readonly<Record<string, FaultEntry>> {
  const { prefix, claim, step, right } = compared;
  const taking = takingFor(compared);
  return {
    ...onEach(OPERATION_IDS, `${prefix}-unchecked`, {
      title: `Does not check \`${claim}\``,
      how: "The route verifies tokens in its own helper, which has only the keys.",
      [step]: skipped,
    }),
    ...ofEach(Object.entries(COMPARISONS), ([name, { title, takes, ...words }]) => ({
      [`${prefix}-${name}`]: taking({
        ...words,
        title: title(`\`${claim}\``),
        when: (given, { receiver }) => takes(given, receiver[right]),
      }),
    })),
  };
}

/** Makes faults of a check that also takes some wrong values of its claim. */
export function takingFor({
  claim,
  step,
}: Compared): (fault: When<[given: unknown, call: Call]>) => FaultEntry {
  return ({ when, ...fault }) => ({
    ...fault,
    [step]: passing((call) => when(call.claims[claim], call)),
  });
}

function texts(takes: (given: string, right: string) => boolean): Comparison["takes"] {
  return (given, right) => typeof given === "string" && takes(given, right);
}

function urls(takes: (given: URL, right: URL) => boolean): Comparison["takes"] {
  return texts((given, right) => URL.canParse(given) && takes(new URL(given), new URL(right)));
}

/** A regular expression that matches a text alone. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
