import { OPERATIONS } from "../../contract/operations.ts";
import { bindingOf } from "../checks.ts";
import { passing } from "../patches.ts";
import { mayAccess, SUBJECT } from "../store.ts";
import { escaped } from "./comparisons.ts";
import { type Faults, ofEach } from "./fault.ts";

/** A way to compare a value of a token with the right one by which more than the right one is equal. */
interface Comparing {
  readonly name: string;
  /** The end of the title. */
  readonly words: string;
  readonly how: string;
  readonly matches: (given: string, right: string) => boolean;
}

const LIKE: Comparing = {
  name: "by-like",
  words: "with LIKE of SQL",
  how: "The query compares with LIKE, and the value of the token is its pattern.",
  matches: (given, right) =>
    matchesPattern(escaped(given).replaceAll("%", ".*").replaceAll("_", "."), right),
};
const REGEX: Comparing = {
  name: "by-regex",
  words: "with a regular expression that it contains",
  how: "The query matches a regular expression, and the value of the token is put into it.",
  matches: (given, right) => given.includes(".*") && matchesPattern(given, right),
};
const NUL: Comparing = {
  name: "up-to-nul",
  words: "up to the first NUL",
  how: "A library in C compares the values, and a text ends there at a NUL.",
  matches: (given, right) => given.includes("\0") && given.split("\0")[0] === right,
};

const GLOB: Comparing = {
  name: "by-glob",
  words: "as a pattern with asterisks",
  how: "Subjects in the table of grants may have an asterisk, and the comparison takes either side for the pattern.",
  matches: (given) => given === "*",
};

const SQL: Comparing = {
  name: "in-sql",
  words: "in a statement of SQL that it is put into",
  how: "The statement is made by concatenation, with quotes around the value.",
  matches: (given) => isAlwaysTrue(given, "'"),
};
const SQL_DOUBLE: Comparing = {
  name: "in-sql-double",
  words: "in a statement of SQL that it is put into, with double quotes",
  how: "The statement is made by concatenation, and MySQL takes double quotes around a text too.",
  matches: (given) => isAlwaysTrue(given, '"'),
};

/** Faults of checks that take a value of the token for a pattern, or for its beginning. */
export const PATTERN_FAULTS: Faults = {
  ...ofEach([LIKE, REGEX, NUL, SQL, SQL_DOUBLE], ({ name, words, how, matches }) => ({
    [`binding-${name}`]: {
      title: `Compares the binding ${words}`,
      rule: "receiver.binding",
      how,
      checkBinding: passing((call) => {
        const bound = bindingOf(call);
        return typeof bound === "string" && matches(bound, call.orgId ?? "");
      }),
    },
  })),
  ...ofEach([LIKE, NUL], ({ name, words, how, matches }) => ({
    [`scope-${name}`]: {
      title: `Compares scopes ${words}`,
      rule: "receiver.scope",
      how,
      checkScope: passing(({ claims, operation }) =>
        String(claims["scope"])
          .split(" ")
          .some((granted) => matches(granted, OPERATIONS[operation].scope)),
      ),
    },
  })),
  ...ofEach([LIKE, REGEX, NUL, GLOB, SQL, SQL_DOUBLE], ({ name, words, how, matches }) => ({
    [`subject-${name}`]: {
      title: `Looks the subject up ${words}`,
      rule: "receiver.local-policy",
      how,
      applyPolicy: passing(
        ({ claims, orgId = "" }) =>
          matches(String(claims["sub"]), SUBJECT) && mayAccess(SUBJECT, orgId),
      ),
    },
  })),
};

/** Whether a value, in such quotes, makes a condition true that compares with it. */
export function isAlwaysTrue(given: string | undefined, quote: "'" | '"'): boolean {
  return given?.endsWith(`${quote} OR ${quote}1${quote}=${quote}1`) ?? false;
}

function matchesPattern(pattern: string, text: string): boolean {
  try {
    return new RegExp(`^${pattern}$`, "s").test(text);
  } catch {
    return false;
  }
}
