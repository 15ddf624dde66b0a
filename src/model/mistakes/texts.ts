import type { Checks } from "../checks.ts";
import type { Check, Question } from "../question.ts";
import { kindMistakes } from "./classes.ts";
import { also, instead, type Mistake } from "./mistake.ts";
import { COMPARISONS, COMPOSED } from "./text-comparisons.ts";

/** A claim that must equal a text, and its check. */
export interface TextClaim {
  readonly claim: "aud" | "iss";
  /** The beginning of the names of its mistakes. */
  readonly stem: string;
  readonly check: keyof Pick<Checks, "audience" | "issuer">;
  readonly right: Check;
  /** The values of which one must be there. */
  readonly wanted: (question: Question) => readonly string[];
}

/** The mistakes of a check that compares a claim with a text. */
export function textMistakes(of: TextClaim): Mistake[] {
  const { claim, stem, check, right, wanted } = of;
  const given = ({ token }: Question): unknown => token?.claims?.[claim];
  const quoted = `\`${claim}\``;
  const mistake = (name: string, behaves: string, look: string, wrong: Check): Mistake => ({
    fault: `${stem}-${name}`,
    behaves: behaves.replaceAll("CLAIM", quoted),
    look,
    checks: { [check]: wrong },
  });
  return [
    {
      ...mistake(
        "unchecked",
        "does not check CLAIM",
        `The library compares ${quoted} only if it is told with what, and the call does not tell it.`,
        instead(right, (question) => {
          const value = given(question);
          return value === undefined || isText(value) ? true : undefined;
        }),
      ),
      isAbsence: true as const,
    },
    mistake(
      "required-alone",
      "requires CLAIM, and accepts any value of it",
      `The code tests whether ${quoted} is there, and does not compare it.`,
      instead(right, (question) => {
        const value = given(question);
        return value === undefined ? false : isText(value) ? true : undefined;
      }),
    ),
    mistake(
      "missing-accepted",
      "accepts a token without CLAIM",
      `The code compares ${quoted} only if it is there.`,
      also(right, (question) => given(question) === undefined),
    ),
    mistake(
      "absent-or-null-accepted",
      "accepts a token in which CLAIM is missing or null",
      `The code compares ${quoted} only if it is not null.`,
      also(right, (question) => (given(question) ?? undefined) === undefined),
    ),
    mistake(
      "falsy-skipped",
      "accepts a token in which CLAIM is missing, null or empty",
      `The code has the form \`if (claims.${claim} && …)\`: the comparison is skipped where the claim is falsy.`,
      also(right, (question) => !given(question)),
    ),
    mistake(
      "only-strings-compared",
      "does not compare CLAIM if it is not a string",
      `The code compares ${quoted} only under \`typeof … === "string"\`.`,
      also(right, (question) => {
        const value = given(question);
        return value !== undefined && typeof value !== "string";
      }),
    ),
    mistake(
      "any-array",
      "does not compare CLAIM if it is an array",
      `The code compares ${quoted} only where it is a string, and lets arrays pass.`,
      also(right, (question) => Array.isArray(given(question))),
    ),
    mistake(
      "first-of-array",
      "compares only the first member of an array in CLAIM",
      `The code reads \`[0]\` of the claim, or of the list that it makes of it.`,
      instead(right, (question) => {
        const value = given(question);
        const [first] = flat([value]);
        return typeof first === "string" && wanted(question).includes(first);
      }),
    ),
    ...COMPARISONS.map(([name, behaves, look, isTaken, wider]) => ({
      ...mistake(name, behaves, look, (question) =>
        compared(right, question, given(question), wanted(question), isTaken),
      ),
      ...wider,
    })),
    ...COMPOSED.map(({ name, behaves, look, isTaken }) => ({
      ...mistake(name, behaves, look, (question) =>
        compared(right, question, given(question), wanted(question), isTaken),
      ),
      isComposed: true as const,
    })),
    ...kindMistakes({ stem, claim: quoted, check, right, given }),
  ];
}

/** What a wrong comparison makes of a value: what it makes of a text within an array or object is said by no comparison. */
function compared(
  right: Check,
  question: Question,
  value: unknown,
  wanted: readonly string[],
  isTaken: (given: string, right: string) => boolean | undefined,
): ReturnType<Check> {
  const isRight = (one: string): boolean | undefined => {
    const taken = wanted.map((want) => isTaken(one, want));
    return taken.includes(true) || (taken.includes(undefined) ? undefined : false);
  };
  if (typeof value === "string") return instead(right, () => isRight(value))(question);
  if (typeof value !== "object" || value === null) return right(question);
  const may = [...textsIn(value), textsIn(value).join()].some((one) => isRight(one) !== false);
  return may ? instead(right, () => undefined)(question) : right(question);
}

/** The texts within an array or object, names of members too. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return [
    ...(Array.isArray(value) ? [] : Object.keys(value)),
    ...Object.values(value).flatMap(textsIn),
  ];
}

function flat(values: readonly unknown[]): unknown[] {
  return (values as unknown[]).flat(5);
}

/** Whether a value is a text, or a list of texts, as issuers write the claim. */
function isText(value: unknown): boolean {
  return (
    (typeof value === "string" && value !== "") ||
    (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string"))
  );
}
