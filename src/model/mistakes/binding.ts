import { isUuid } from "../../contract/uuid.ts";
import { binding } from "../checks/binding.ts";
import type { Check, Question } from "../question.ts";
import { kindMistakes } from "./classes.ts";
import { comparisons, type Preparation } from "./comparisons.ts";
import { also, instead, type Mistake } from "./mistake.ts";

/** Wrong checks of the binding claim are about one organization. In the list, they say nothing. */
function onOrganization(wrong: Check): Check {
  return (question) =>
    question.reading.organization === undefined ? binding(question) : wrong(question);
}

function boundTo({ token, known: { bindingClaim } }: Question): unknown {
  return bindingClaim === undefined ? undefined : token?.claims?.[bindingClaim];
}

function target({ reading }: Question): string {
  return reading.organization ?? "";
}

function mistake(fault: string, behaves: string, look: string, wrong: Check): Mistake {
  return { fault, behaves, look, checks: { binding: onOrganization(wrong) } };
}

/** A comparison of texts. What it makes of a claim that is no text, such as an array, depends on how it becomes one. */
function compares(isTaken: (bound: string, target: string) => boolean | undefined): Check {
  return (question) => {
    const bound = boundTo(question);
    if (typeof bound === "string") {
      return instead(binding, () => isTaken(bound, target(question)))(question);
    }
    const may = Array.isArray(bound) && isTaken(String(bound), target(question)) !== false;
    return may ? instead(binding, () => undefined)(question) : binding(question);
  };
}

/** Of so many characters at least, ids that begin with the same ones are rarely different ones. */
const BEGINNING = 8;

/** What code does to ids first. */
const OF_IDS: readonly Preparation[] = [
  {
    name: "without-hyphens",
    words: ", without its hyphens",
    look: "Hyphens of both ids are removed first.",
    of: (text) => text.replaceAll("-", ""),
  },
  {
    name: "without-hyphens-in-any-case",
    words: ", without its hyphens and without regard to case",
    look: "Hyphens of both ids are removed first, and both are made lower case.",
    of: (text) => text.replaceAll("-", "").toLowerCase(),
  },
  {
    name: "first-characters",
    words: ", of which it reads the first 8 characters alone",
    look: "Both ids are shortened first.",
    of: (text) => text.slice(0, 8),
  },
  {
    name: "last-characters",
    words: ", of which it reads the last 12 characters alone",
    look: "Both ids are shortened first.",
    of: (text) => text.slice(-12),
  },
];

/** Wrong checks of the organization binding (Receiver checks 6). */
export const BINDING: readonly Mistake[] = [
  {
    ...mistake(
      "binding-unchecked",
      "lets a bound token act on every organization",
      "The code never reads the claim, reads it under another name, or compares it on other routes only.",
      instead(binding, (question) => (typeof boundTo(question) === "object" ? undefined : true)),
    ),
    isAbsence: true,
  },
  mistake(
    "binding-falsy-or-null-ignored",
    "treats every binding claim that is empty, 0 or null as absent",
    "The code has the form `if (claims.org_id && …)`: the comparison is skipped where the claim is falsy.",
    also(binding, (question) => !boundTo(question)),
  ),
  mistake(
    "binding-non-string-ignored",
    "treats a binding claim that is not a string as absent",
    'The code compares only under `typeof … === "string"`.',
    also(binding, (question) => typeof boundTo(question) !== "string"),
  ),
  mistake(
    "binding-not-uuid-ignored",
    "treats a binding claim that is not a UUID as absent",
    "The code compares only what it can parse as a UUID.",
    also(binding, (question) => {
      const bound = boundTo(question);
      return typeof bound !== "string" || !isUuid(bound);
    }),
  ),
  mistake(
    "binding-not-plain-uuid-ignored",
    "treats a binding claim that is no UUID in small letters as absent",
    "The code compares only what a pattern with `a-f` takes for a UUID.",
    instead(binding, (question) => {
      const bound = boundTo(question);
      // What becomes of an array or an object depends on how it is made a text.
      if (typeof bound === "object") return undefined;
      if (typeof bound !== "string" || !/^[\da-f-]{36}$/.test(bound)) return true;
      return bound === target(question);
    }),
  ),
  mistake(
    "binding-either-prefix",
    "compares only the beginning of the binding claim and the organization in the path",
    "The code uses `startsWith`, on either side, or compares shortened ids.",
    compares((bound, id) =>
      bound.length < BEGINNING && id.startsWith(bound)
        ? undefined
        : id.startsWith(bound.slice(0, BEGINNING)),
    ),
  ),
  mistake(
    "binding-first-part",
    "compares only what stands before the first hyphen of the binding claim and of the organization in the path",
    "The code splits the ids at hyphens and compares the first part.",
    compares((bound, id) => bound.split("-")[0] === id.split("-")[0]),
  ),
  mistake(
    "binding-last-part",
    "compares only what stands after the last hyphen of the binding claim and of the organization in the path",
    "The code splits the ids at hyphens and compares the last part, or compares how the ids end.",
    compares((bound, id) => bound.split("-").at(-1) === id.split("-").at(-1)),
  ),
  mistake(
    "binding-by-prefix",
    "accepts a binding claim with which the organization in the path begins",
    "The code tests whether the id in the path begins with the claim, which an empty claim or a short one does for many.",
    compares((bound, id) => (bound === "" ? undefined : id.startsWith(bound))),
  ),
  mistake(
    "binding-claim-begins-with-path",
    "accepts a binding claim that begins with the organization in the path",
    "The code tests whether the claim begins with the id in the path, so that what follows it is not compared.",
    compares((bound, id) => bound.startsWith(id)),
  ),
  mistake(
    "binding-by-inclusion",
    "searches the binding claim for the organization in the path",
    "The code uses `includes` on a claim that is a text.",
    compares((bound, id) => bound.includes(id)),
  ),
  mistake(
    "binding-case-ignored",
    "compares the binding claim without regard to case",
    "The code compares in lower case, perhaps the text of whatever is in the claim, such as an array.",
    compares((bound, id) => bound.toLowerCase() === id.toLowerCase()),
  ),
  mistake(
    "binding-trimmed",
    "ignores blanks around the binding claim",
    "The code trims the claim, or parses it as a UUID.",
    compares((bound, id) => bound.trim() === id),
  ),

  mistake(
    "binding-any-organization",
    "accepts a binding to any organization that there is",
    "The code looks whether the organization of the claim exists, or is one of the subject's, and does not compare it with the path.",
    also(binding, (question) => {
      const bound = boundTo(question);
      return typeof bound === "string" && question.known.organizations.existing.includes(bound);
    }),
  ),
  mistake(
    "binding-unknown-organization",
    "treats a binding to an organization that there is not as absent",
    "The code looks the organization of the claim up, and goes on where it finds none.",
    also(binding, (question) => {
      const bound = boundTo(question);
      return typeof bound !== "string" || !question.known.organizations.existing.includes(bound);
    }),
  ),
  ...[...comparisons("binding-by"), ...comparisons("binding-by", OF_IDS)].map(
    ({ name, behaves, look, isTaken }): Mistake => ({
      ...mistake(name, behaves.replaceAll("CLAIM", "the binding claim"), look, compares(isTaken)),
      isComposed: true,
    }),
  ),
  ...kindMistakes({
    stem: "binding",
    claim: "the binding claim",
    check: "binding",
    right: binding,
    given: boundTo,
  }).map((one): Mistake => {
    const wrong = one.checks.binding;
    return { ...one, checks: wrong ? { binding: onOrganization(wrong) } : {} };
  }),
];
