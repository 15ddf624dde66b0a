import { OPERATION_IDS } from "../../contract/operations.ts";
import { onlyOn, passing, skipped, type Fault } from "./fault.ts";

/** A careless way to compare a claim that should be equal to one string, to whichever claim it happens. */
interface Comparison {
  readonly name: string;
  /** What a receiver does with the claim, given its name in backticks. */
  readonly title: (claim: string) => string;
  readonly how: string;
  readonly source?: string;
  readonly takes: (given: unknown, right: string) => boolean;
}

const COMPARISONS: readonly Comparison[] = [
  {
    name: "missing-accepted",
    title: (claim) => `Takes a token without ${claim}`,
    how: "The library compares the claim only where it is present; to require it is an option of its own.",
    source: "CVE-2020-26160",
    takes: (given) => given === undefined,
  },
  {
    name: "falsy-accepted",
    title: (claim) => `Takes ${claim} that is null or empty`,
    how: "`if (claim && claim !== expected)` stands where the claim had to be required.",
    takes: (given) => given === null || given === "",
  },
  {
    name: "only-strings-compared",
    title: (claim) => `Does not compare ${claim} where it is no string`,
    how: "The comparison is guarded by `typeof`, and there is nothing for the other case.",
    takes: (given) => given !== undefined && typeof given !== "string" && !Array.isArray(given),
  },
  {
    name: "by-prefix",
    title: (claim) => `Compares ${claim} by prefix`,
    how: "Values with and without a path are both wanted, so `startsWith` takes the place of equality.",
    source: "CVE-2024-53861",
    takes: texts((given, right) => given.startsWith(right)),
  },
  {
    name: "by-path-prefix",
    title: (claim) => `Takes any URL below the right one in ${claim}`,
    how: "Tenants and routes below the URL were to be taken too.",
    takes: texts((given, right) => given.startsWith(`${right}/`) && given !== `${right}/`),
  },
  {
    name: "by-suffix",
    title: (claim) => `Compares ${claim} by suffix`,
    how: "`endsWith` was to make up for a missing scheme.",
    takes: texts((given, right) => given.endsWith(right)),
  },
  {
    name: "by-substring",
    title: (claim) => `Looks for the right value anywhere in ${claim}`,
    how: "`includes` is called on the string instead of on a list.",
    source: "CVE-2024-53861",
    takes: texts((given, right) => new RegExp(`.${escaped(right)}.`).test(given)),
  },
  {
    name: "part-of-expected",
    title: (claim) => `Takes the beginning of the right value in ${claim}`,
    how: "The operands of `startsWith` are the wrong way round.",
    takes: texts((given, right) => given !== "" && right.startsWith(given)),
  },
  {
    name: "by-pattern",
    title: (claim) =>
      `Takes the right value of ${claim} for a pattern, in which a dot stands for any character`,
    how: "What is expected is configured as a regular expression, and URLs are written there as they are.",
    takes: texts((given, right) => new RegExp(`^${right}$`).test(given)),
  },
  {
    name: "in-list",
    title: (claim) => `Takes a list by spaces in ${claim} that holds the right value`,
    how: "The claim goes through the helper that takes `scope` apart.",
    takes: texts((given, right) => given.split(" ").includes(right)),
  },
  {
    name: "in-comma-list",
    title: (claim) => `Takes a list by commas in ${claim} that holds the right value`,
    how: "The claim is taken apart instead of the configured list.",
    takes: texts((given, right) => given.split(",").includes(right)),
  },
  {
    name: "by-host",
    title: (claim) => `Compares ${claim} by its host alone`,
    how: "What is trusted is configured by host name, as certificates are.",
    takes: urls((given, right) => given.hostname === right.hostname),
  },
  {
    name: "by-origin",
    title: (claim) => `Compares ${claim} by scheme, host and port alone`,
    how: "The origin of a parsed URL is at hand, and so it is compared.",
    takes: urls((given, right) => given.origin === right.origin),
  },
  {
    name: "without-scheme",
    title: (claim) => `Takes ${claim} without its scheme`,
    how: "The scheme is cut off both sides before they are compared.",
    takes: texts((given, right) => given === right.replace(/^https?:\/\//, "")),
  },
  {
    name: "scheme-ignored",
    title: (claim) => `Takes ${claim} with either scheme`,
    how: "TLS ends at a gateway, behind which everything takes itself for `http`.",
    takes: urls(({ host, pathname }, right) => host === right.host && pathname === right.pathname),
  },
  {
    name: "port-ignored",
    title: (claim) => `Takes ${claim} with any port`,
    how: "`hostname` is compared where `host` was meant.",
    takes: urls(
      ({ protocol, hostname, pathname }, right) =>
        protocol === right.protocol && hostname === right.hostname && pathname === right.pathname,
    ),
  },
  {
    name: "query-ignored",
    title: (claim) => `Takes ${claim} with any query`,
    how: "Origin and path of the parsed URLs are compared.",
    takes: urls(
      ({ origin, pathname }, right) => origin === right.origin && pathname === right.pathname,
    ),
  },
  {
    name: "userinfo-taken-for-host",
    title: (claim) => `Takes ${claim} with the right host before an @`,
    how: "The host is cut out by a pattern that ends at the first `@` or slash.",
    takes: texts(
      (given, right) => /^https?:\/\/[^/@]+(?=@)/.exec(given)?.[0] === new URL(right).origin,
    ),
  },
];

/** The faults of a check that compares one claim with one string: left out, on one route too, or careless. */
export function comparisonFaults(
  name: string,
  {
    claim,
    rule,
    step,
    right,
  }: {
    readonly claim: string;
    readonly rule: string;
    readonly step: "checkIssuer" | "checkAudience";
    readonly right: "issuer" | "baseUrl";
  },
): Fault[] {
  return [
    ...OPERATION_IDS.map((operation): Fault => ({
      name: `${name}-unchecked-on-${operation}`,
      title: `Does not look at \`${claim}\` on ${operation}`,
      rule,
      how: "The route verifies tokens in a helper of its own, which was given the keys and nothing else.",
      step,
      patch: onlyOn(operation, skipped),
    })),
    ...COMPARISONS.map(({ title, takes, ...comparison }): Fault => ({
      ...comparison,
      name: `${name}-${comparison.name}`,
      title: title(`\`${claim}\``),
      rule,
      step,
      patch: passing(({ claims, receiver }) => takes(claims[claim], receiver[right])),
    })),
  ];
}

function texts(takes: (given: string, right: string) => boolean): Comparison["takes"] {
  return (given, right) => typeof given === "string" && takes(given, right);
}

function urls(takes: (given: URL, right: URL) => boolean): Comparison["takes"] {
  return texts((given, right) => URL.canParse(given) && takes(new URL(given), new URL(right)));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
