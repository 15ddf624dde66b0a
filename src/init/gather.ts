import { SuiteError } from "../lib/errors.ts";
import { httpUrlProblem } from "../profile/urls.ts";
import { type Answers, type Given, problemWith, type Question, QUESTIONS } from "./questions.ts";

/** Asks a person; each resolves to `undefined` when they want no more of it. */
export interface Asker {
  /**
   * @param question.check what is wrong with an answer; an empty one stands for the default
   * @returns the answer, empty where nothing was said and there is no default
   */
  text(question: {
    readonly message: string;
    readonly placeholder: string;
    readonly fallback: string;
    readonly check: (value: string) => string | undefined;
  }): Promise<string | undefined>;
  confirm(question: { readonly message: string }): Promise<boolean | undefined>;
}

/** Answers, and which organizations have been drawn, so that nobody has them yet. */
export interface Gathered {
  readonly answers: Answers;
  readonly drawn: ReadonlySet<"primary" | "other">;
}

const WRITES = "May a run change the first organization? Without consent nothing is written";

export interface GatherOptions {
  /** Absent where nobody is to be asked. */
  readonly asker?: Asker | undefined;
  /** Whether there is a file of that name, as the person would give it. */
  readonly fileExists: (file: string) => boolean;
}

/**
 * Finds out what a profile is made from: from flags, then by asking, else what is usual.
 * @param given what flags have said already
 * @returns `undefined` when whoever was asked has cancelled
 * @throws SuiteError when what was given will not do, or is needed and nobody can be asked
 */
export async function gather(
  given: Given,
  { asker, fileExists }: GatherOptions,
): Promise<Gathered | undefined> {
  const problem = (answers: Given): string | undefined =>
    problemWith(answers) ??
    (answers.openapi === undefined || isUrl(answers.openapi) || fileExists(answers.openapi)
      ? undefined
      : "must be a file that is there, or a URL");
  checkGiven(given, problem);
  const known: Record<string, string> = {};
  const drawn = new Set<"primary" | "other">();
  let testIssuer = given.testIssuer;
  for (const question of QUESTIONS) {
    const { name, usual, required = false, silent = false } = question;
    if (question.ofTestIssuer) {
      testIssuer ??= await trustsTestIssuer(known, asker);
      if (testIssuer === undefined) return undefined;
    }
    if (given[name] === undefined && isNeedless(question, known, testIssuer)) continue;
    const fallback = usual?.() ?? "";
    const said =
      given[name] ??
      (asker && !silent
        ? await ask(asker, question, fallback, (text) =>
            problem({ ...given, ...known, [name]: text }),
          )
        : fallback);
    if (said === undefined) return undefined;
    if (said === "" && required) {
      throw new SuiteError("ERR_FLAG", `There is nobody to ask: ${flagOf(name)} is needed`, {
        hint: "At a terminal `orgsync-conformance init` asks for everything.",
      });
    }
    if (said !== "") known[name] = said;
    if (said === fallback && (name === "primary" || name === "other")) drawn.add(name);
  }
  const writes = given.writes ?? (asker ? await asker.confirm({ message: WRITES }) : false);
  if (writes === undefined) return undefined;
  // Every text that is not optional has a default, or was required.
  const answers: Answers = {
    ...(known as unknown as Answers),
    writes,
    testIssuer: testIssuer ?? true,
  };
  if (!answers.testIssuer && !(answers.serviceClient ?? answers.codeClient)) {
    throw new SuiteError(
      "ERR_FLAG",
      "Without a test issuer the deployment's own has to give tokens",
      {
        hint: "Name it with --authorization-server, and a client with --service-client or --code-client.",
      },
    );
  }
  return { answers, drawn };
}

const TEST_ISSUER =
  "Can the deployment, or a copy of it, trust a test issuer too? Half of the cases need its keys";

/** Whether there is to be a test issuer; it is only a question where tokens come from elsewhere too. */
async function trustsTestIssuer(
  { serviceClient, codeClient }: Given,
  asker: Asker | undefined,
): Promise<boolean | undefined> {
  if (!asker || !(serviceClient ?? codeClient)) return true;
  return asker.confirm({ message: TEST_ISSUER });
}

function isNeedless(
  { unless, after, ofTestIssuer }: Question,
  known: Given,
  testIssuer: boolean | undefined,
): boolean {
  if (unless && known[unless] !== undefined) return true;
  if (after && known[after] === undefined) return true;
  return ofTestIssuer === true && testIssuer === false;
}

function checkGiven(given: Given, problemOf: (given: Given) => string | undefined): void {
  const soFar: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    soFar[name] = value;
    const problem = value === "" ? "must not be empty" : problemOf(soFar);
    if (problem !== undefined) throw new SuiteError("ERR_FLAG", `${flagOf(name)} ${problem}`);
  }
}

async function ask(
  asker: Asker,
  { message, example, required = false }: Question,
  fallback: string,
  problemOf: (said: string) => string | undefined,
): Promise<string | undefined> {
  const said = await asker.text({
    message,
    placeholder: fallback === "" ? (example ?? "") : fallback,
    fallback,
    check(value) {
      const trimmed = value.trim();
      if (trimmed !== "") return problemOf(trimmed);
      return required && fallback === "" ? "must not be empty" : undefined;
    },
  });
  return said?.trim();
}

/** Whether a document is named by its URL, rather than as a file. */
export function isUrl(document: string): boolean {
  return httpUrlProblem(document) === undefined;
}

/** `claimsNamespace` as `--claims-namespace`. */
function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
