import type { z } from "zod";

import { namesLike } from "./did-you-mean.ts";

type Issue = z.core.$ZodIssue;

/** How the messages of the schema library begin. */
const LIBRARY = /^(?:Invalid|Too small|Too big|Unrecognized)/;
const OTHERWISE = "has a value that is not possible here";

/**
 * What is wrong with a value, in this project's words; those of the schema library reach nobody.
 * @param value the value that was checked, in which the issue's path starts
 */
export function issueText(issue: Issue, value: unknown): string {
  // A schema of this project may say itself what it wants.
  if (!LIBRARY.test(issue.message)) return issue.message;
  const found = valueAt(value, issue.path);
  switch (issue.code) {
    case "invalid_type":
      return found === undefined ? "is missing" : wrongType(issue.expected, found);
    case "invalid_value":
      return wrongChoice(issue.values.map(String), found);
    case "unrecognized_keys":
      return `has members that are not known: ${issue.keys.map((key) => `"${key}"`).join(", ")}`;
    case "too_small":
      return `must ${measure(issue.origin)} ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`;
    case "too_big":
      return `must ${measure(issue.origin)} ${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return `does not have the form of ${FORMATS[issue.format] ?? "such a value"}`;
    case "invalid_key":
      return "has a member whose name is not possible here";
    case "invalid_union":
      return found === undefined ? "is missing" : OTHERWISE;
    default:
      return OTHERWISE;
  }
}

/** The first problem of a value, with the place where it is. */
export function firstIssue(issues: readonly Issue[], value: unknown): string {
  const [issue] = issues;
  return issue ? `${issue.path.join(".") || "it"}: ${issueText(issue, value)}` : "it is not valid";
}

const FORMATS: Readonly<Record<string, string>> = {
  url: "a URL",
  datetime: "a date with a time",
  date: "a date",
  email: "an email address",
  uuid: "a UUID",
  base64: "base64",
};

function measure(origin: string): string {
  if (origin === "string") return "have a length of";
  return origin === "array" || origin === "set" ? "have a number of entries of" : "be";
}

/** Why a value of another type does not fit; the value is not quoted, because it may be secret. */
export function wrongType(expected: string, found: unknown): string {
  const wanted = TYPE_NAMES[expected] ?? expected;
  if (found === null) return `is empty: it must be ${wanted}, or left out`;
  if (expected === "int" && typeof found === "number") return `must be ${wanted}`;
  if (expected === "boolean" && typeof found === "string") {
    return `must be ${wanted} without quotes; in YAML yes, no, on and off are text`;
  }
  const given = TYPE_NAMES[Array.isArray(found) ? "array" : typeof found] ?? typeof found;
  let advice = "";
  if (expected === "string" && typeof found !== "object") advice = "; put it in quotes";
  if (wanted.includes("number") && typeof found === "string") advice = "; write it without quotes";
  return `must be ${wanted}, not ${given}${advice}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

/** Why a value is none of those that are possible, with the nearest one. */
export function wrongChoice(choices: readonly string[], found: unknown): string {
  const [nearest] = typeof found === "string" ? namesLike(found, choices) : [];
  return `must be one of ${choices.join(", ")}${nearest ? `; did you mean ${nearest}?` : ""}`;
}

/** The part of a value that a path leads to. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (part, key) => (part as Record<PropertyKey, unknown> | null | undefined)?.[key],
    value,
  );
}
