import { type Scope, SCOPES } from "../../contract/operations.ts";
import { scope } from "../checks/scope.ts";
import type { Check, Question } from "../question.ts";
import { kindMistakes } from "./classes.ts";
import { comparisons, PREPARATIONS } from "./comparisons.ts";
import { also, instead, type Mistake } from "./mistake.ts";

function grantedTo({ token }: Question): unknown {
  return token?.claims?.["scope"];
}

/** The words of `scope` where it is a text. */
function wordsOf(question: Question): readonly string[] {
  const granted = grantedTo(question);
  return typeof granted === "string" ? granted.split(" ").filter(Boolean) : [];
}

/** A text with other blanks than single spaces: how such a text is split is a question of its own. */
function hasOtherBlanks(granted: string): boolean {
  return /[^\S ]|^ | $| {2}/u.test(granted);
}

function wanted({ reading }: Question): Scope {
  return reading.operation.scope;
}

/** A check that some words of the list satisfy. What it makes of a value that is no text, it does not say. */
function takes(isTaken: (word: string, question: Question) => boolean): Check {
  return instead(scope, (question) => {
    const granted = grantedTo(question);
    if (granted === undefined) return false;
    if (typeof granted !== "string" || hasOtherBlanks(granted)) return undefined;
    return wordsOf(question).some((word) => isTaken(word, question));
  });
}

function mistake(
  fault: string,
  behaves: string,
  look: string,
  wrong: Check,
  source?: string,
): Mistake {
  return { fault, behaves, look, checks: { scope: wrong }, ...(source && { source }) };
}

/** The other scope for the same thing: `org:write` for `org:read`. */
function twin(of: Scope): string {
  return of.endsWith(":read") ? of.replace(/read$/, "write") : of.replace(/write$/, "read");
}

function resourceOf(word: string): string {
  return word.replace(/:.*/s, "");
}

function actionOf(word: string): string | undefined {
  return /:([^:]*)$/.exec(word)?.[1];
}

function isOfService(word: string): boolean {
  return (SCOPES as readonly string[]).includes(word);
}

/** Searches the text of `scope` for a part of the required one. */
function inText(partOf: (wantedScope: string) => string): Check {
  return instead(scope, (question) => {
    const granted = grantedTo(question);
    if (granted === undefined) return false;
    return typeof granted === "string" && !hasOtherBlanks(granted)
      ? granted.includes(partOf(wanted(question)))
      : undefined;
  });
}

const GUARDS: readonly Mistake[] = SCOPES.flatMap((other) => [
  mistake(
    `scope-guarded-by-${other.replaceAll(/[.:]/g, "-")}`,
    `requires \`${other}\` in place of the scope of the operation`,
    "The guard of the route names the scope of another operation, perhaps copied from the route above it.",
    takes((word) => word === other),
  ),
  mistake(
    `scope-${other.replaceAll(/[.:]/g, "-")}-enough`,
    `accepts \`${other}\` as well as the scope of the operation`,
    "The guard takes a list of scopes of which one is enough.",
    takes((word, question) => word === other || word === wanted(question)),
  ),
]);

/** A word has no blanks around it. */
const OF_WORDS = PREPARATIONS.filter(({ name }) => !name.startsWith("trimmed"));

/** Wrong checks of `scope` (Receiver checks 5). */
export const SCOPE: readonly Mistake[] = [
  ...GUARDS,
  {
    ...mistake(
      "scope-unchecked",
      "does not check the scope",
      "The route has no guard for scopes, or the guard is not called.",
      instead(scope, (question) => {
        const granted = grantedTo(question);
        return granted === undefined || typeof granted === "string" ? true : undefined;
      }),
    ),
    isAbsence: true,
  },
  mistake(
    "scope-any-known",
    "accepts any of the service's scopes for every operation",
    "The code tests whether the token has some scope of the service, not that of the operation.",
    takes(isOfService),
  ),
  mistake(
    "scope-unread",
    "requires `scope`, and accepts any value of it",
    "The code tests whether `scope` is there, and does not look for the required word.",
    instead(scope, (question) => {
      const granted = grantedTo(question);
      if (granted === undefined) return false;
      return typeof granted === "string" && granted !== "" ? true : undefined;
    }),
  ),
  mistake(
    "scope-write-for-read",
    "accepts a write scope for a read",
    "The code takes writing for more than reading. The contract's scopes are independent.",
    takes(
      (word, question) =>
        word === wanted(question) ||
        (wanted(question).endsWith(":read") && word === twin(wanted(question))),
    ),
  ),
  mistake(
    "scope-any-write-implies-read",
    "accepts any write scope for a read",
    "The code takes writing for more than reading. The contract's scopes are independent.",
    takes(
      (word, question) =>
        word === wanted(question) ||
        (wanted(question).endsWith(":read") && /^org(?:\.changes)?:write$/.test(word)),
    ),
  ),
  mistake(
    "scope-read-for-write",
    "accepts a read scope for a write",
    "The guard of the write names the scope for reading.",
    takes(
      (word, question) =>
        word === wanted(question) ||
        (wanted(question).endsWith(":write") && word === twin(wanted(question))),
    ),
  ),
  mistake(
    "scope-by-substring",
    "searches the text of `scope` for the required scope",
    "The code uses `includes` on the text of the claim, and not on its words.",
    instead(scope, (question) => {
      const granted = grantedTo(question);
      if (granted === undefined) return false;
      return typeof granted === "string" && !hasOtherBlanks(granted)
        ? granted.includes(wanted(question))
        : undefined;
    }),
  ),
  mistake(
    "scope-by-prefix",
    "compares scopes by prefix",
    "The code tests whether a word of the list begins with the required scope.",
    takes((word, question) => word.startsWith(wanted(question))),
  ),
  mistake(
    "scope-part-of-required",
    "accepts the beginning of the required scope",
    "The code tests whether the required scope begins with a word of the list.",
    takes((word, question) => wanted(question).startsWith(word)),
  ),
  mistake(
    "scope-resource-alone",
    "compares only what stands before the colon of a scope",
    "The code splits scopes at the colon and compares the first part, so that reading and writing are the same.",
    takes((word, question) => resourceOf(word) === resourceOf(wanted(question))),
  ),
  mistake(
    "scope-begins-with-resource",
    "accepts every scope that begins as the required one does before its colon",
    "The code tests whether a scope begins with the name of the resource, such as `org`, which `org.changes:read` does too.",
    takes((word, question) => word.startsWith(resourceOf(wanted(question)))),
  ),
  mistake(
    "scope-action-alone",
    "compares only what follows the colon of a scope",
    "The code tests for `:read` or `:write`, whatever it is that may be read or written.",
    takes((word, question) => actionOf(word) === actionOf(wanted(question))),
  ),
  mistake(
    "scope-any-read-for-read",
    "accepts any read scope for every read",
    "The code tests whether the token may read something of the service.",
    takes((word, question) =>
      actionOf(wanted(question)) === "read" ? actionOf(word) === "read" : word === wanted(question),
    ),
  ),
  mistake(
    "scope-either-read-for-read",
    "accepts either read scope of the service for every read",
    "The guard of reads takes a list of all read scopes, of which one is enough.",
    takes(
      (word, question) =>
        word === wanted(question) ||
        (actionOf(wanted(question)) === "read" && actionOf(word) === "read" && isOfService(word)),
    ),
  ),
  mistake(
    "scope-either-write-for-write",
    "accepts either write scope of the service for every write",
    "The guard of writes takes a list of all write scopes, of which one is enough.",
    takes(
      (word, question) =>
        word === wanted(question) ||
        (actionOf(wanted(question)) === "write" && actionOf(word) === "write" && isOfService(word)),
    ),
  ),
  mistake(
    "scope-case-ignored",
    "compares scopes without regard to case",
    "The code compares in lower case.",
    takes((word, question) => word.toLowerCase() === wanted(question)),
  ),
  mistake(
    "scope-split-by-commas",
    "splits `scope` at `,` too",
    "The code splits the list at commas as well as at blanks. RFC 6749 §3.3 knows the space alone.",
    separatedBy(/[ ,]/),
  ),
  mistake(
    "scope-separated-by-punctuation",
    "splits `scope` at more than blanks, such as `;` and `|`",
    "The code splits the list at any punctuation. RFC 6749 §3.3 knows the space alone.",
    separatedBy(/[ ,;|+]/),
  ),
  mistake(
    "scope-only-first",
    "reads only the first scope of the list",
    "The code reads `[0]` of the split list.",
    instead(scope, (question) => wordsOf(question)[0] === wanted(question)),
  ),
  mistake(
    "scope-split-once",
    "splits `scope` at its first space alone, so that it finds only the first scope of three or more",
    "The code splits with a limit of two, or takes what is before and after the first space.",
    instead(scope, (question) => {
      const granted = grantedTo(question);
      const [first, ...rest] = typeof granted === "string" ? granted.split(" ") : [];
      return [first, rest.join(" ")].includes(wanted(question));
    }),
  ),
  mistake(
    "scope-only-last",
    "reads only the last scope of the list",
    "The code overwrites a value for each word of the list.",
    instead(scope, (question) => wordsOf(question).at(-1) === wanted(question)),
  ),
  mistake(
    "scope-only-alone",
    "requires that the required scope is the only one",
    "The code compares the whole text of `scope` with the required word.",
    instead(scope, (question) => grantedTo(question) === wanted(question)),
  ),
  mistake(
    "scope-needs-all",
    "requires every scope of the service, where one is enough",
    "The guard takes a list of scopes of which all are needed.",
    instead(scope, (question) => SCOPES.every((one) => wordsOf(question).includes(one))),
  ),
  mistake(
    "scope-only-strings-checked",
    "does not compare `scope` if it is not a string",
    'The code compares only under `typeof … === "string"`.',
    also(scope, (question) => {
      const granted = grantedTo(question);
      return granted !== undefined && typeof granted !== "string";
    }),
  ),
  mistake(
    "scope-missing-accepted",
    "accepts a token without `scope`",
    "The code compares `scope` only if it is there.",
    also(scope, (question) => grantedTo(question) === undefined),
  ),
  mistake(
    "scope-absent-or-null-accepted",
    "accepts a token in which `scope` is missing or null",
    "The code compares `scope` only if it is not null.",
    also(scope, (question) => (grantedTo(question) ?? undefined) === undefined),
  ),
  mistake(
    "scope-falsy-skipped",
    "accepts a token in which `scope` is missing, null or empty",
    "The code has the form `if (claims.scope && …)`.",
    also(scope, (question) => !grantedTo(question)),
  ),
  mistake(
    "scope-read-elsewhere",
    "finds scopes in other claims too, such as `scp` and `permissions`",
    "The code joins all claims that issuers use for scopes.",
    also(scope, (question) => JSON.stringify(othersOf(question)).includes(wanted(question))),
  ),
  ...[2, 3].map((count) =>
    mistake(
      `scope-any-${count}`,
      `accepts any ${count} scopes or more, whatever they are`,
      "The code counts the scopes, or takes the second and later ones for granted.",
      instead(scope, (question) => {
        const granted = grantedTo(question);
        if (granted === undefined) return false;
        if (typeof granted !== "string" || hasOtherBlanks(granted)) return undefined;
        const words = new Set(wordsOf(question));
        return words.has(wanted(question)) || words.size >= count;
      }),
    ),
  ),
  mistake(
    "scope-any-write-for-write",
    "accepts any write scope for every write",
    "The code tests whether the token may write something of the service.",
    takes((word, question) =>
      actionOf(wanted(question)) === "write"
        ? actionOf(word) === "write"
        : word === wanted(question),
    ),
  ),
  mistake(
    "scope-text-has-action",
    "searches the text of `scope` for `read` or `write`",
    "The code uses `includes` or `contains` with the action of the scope alone.",
    inText((wantedScope) => actionOf(wantedScope) ?? ""),
  ),
  mistake(
    "scope-text-has-resource",
    "searches the text of `scope` for what stands before the colon of the required scope",
    "The code uses `includes` or `contains` with the resource of the scope alone.",
    inText(resourceOf),
  ),
  mistake(
    "scope-resource-is-enough",
    "accepts what stands before the colon alone as the scope",
    "The code takes the name of the resource, such as `org`, for every scope of it.",
    takes((word, question) => word === wanted(question) || word === resourceOf(wanted(question))),
  ),
  mistake(
    "scope-action-is-enough",
    "accepts what follows the colon alone as the scope",
    "The code takes `read` or `write` for every scope with this action.",
    takes((word, question) => word === wanted(question) || word === actionOf(wanted(question))),
  ),
  ...["*", "admin", "all", "openid", "root", "superuser"].map((word) =>
    mistake(
      `scope-${word === "*" ? "wildcard" : word}`,
      `accepts the scope \`${word}\` for every operation`,
      "The code knows a scope that stands for all others, which the contract does not.",
      takes((one, question) => one === wanted(question) || one === word),
    ),
  ),
  ...OF_WORDS.map((preparation): Mistake => ({
    ...mistake(
      `scope-by-pattern${preparation.name && `-${preparation.name}`}`,
      `treats the required scope as a pattern, in which a dot matches any character${preparation.words}`,
      "The code makes a regular expression of the scope without escaping it.",
      takes((word, question) => new RegExp(`^(?:${wanted(question)})$`).test(preparation.of(word))),
    ),
    isComposed: true,
  })),
  ...comparisons("scope-word-by", OF_WORDS).map(({ name, behaves, look, isTaken }): Mistake => ({
    ...mistake(
      name,
      behaves.replaceAll("CLAIM", "each word of `scope`"),
      look,
      takes((word, question) => isTaken(word, wanted(question))),
    ),
    isComposed: true,
  })),
  ...kindMistakes({
    stem: "scope",
    claim: "`scope`",
    check: "scope",
    right: scope,
    given: grantedTo,
  }),
];

function separatedBy(separator: RegExp): Check {
  return instead(scope, (question) => {
    const granted = grantedTo(question);
    if (granted === undefined) return false;
    if (typeof granted !== "string" || hasOtherBlanks(granted)) return undefined;
    return granted.split(separator).includes(wanted(question));
  });
}

function othersOf({ token }: Question): unknown[] {
  return ["scp", "scopes", "permissions", "roles"].map((name) => token?.claims?.[name]);
}
