import { SuiteError } from "../lib/errors.ts";
import { httpUrlProblem } from "../profile/urls.ts";
import { type Answers, type Given, problemWith, type Question, QUESTIONS } from "./questions.ts";

/** Asks a person. Each answer is `undefined` when the person cancels. */
export interface Asker {
  /**
   * @param question.check says what is wrong with an answer; an empty answer stands for the default
   * @returns the answer; empty when the person entered nothing and there is no default
   */
  text(question: {
    readonly message: string;
    readonly placeholder: string;
    readonly fallback: string;
    readonly check: (value: string) => string | undefined;
  }): Promise<string | undefined>;
  confirm(question: { readonly message: string }): Promise<boolean | undefined>;
}

/** The answers, and the names of those that were generated, which no deployment can know. */
export interface Gathered {
  readonly answers: Answers;
  readonly drawn: ReadonlySet<"primary" | "other">;
}

const WRITES =
  "May a run change the first organization? If not, no PATCH and no POST is sent. `writes: true` in the profile allows it later";

export interface GatherOptions {
  /** Absent when nobody can be asked. */
  readonly asker?: Asker | undefined;
  /** Whether a file exists, by the name that the user gives it. */
  readonly fileExists: (file: string) => boolean;
}

/**
 * Collects what a profile needs: from flags, then by asking, else from defaults.
 * @param given the values of the flags
 * @returns `undefined` when the person cancelled
 * @throws SuiteError when a value cannot be used, or a required value is missing and nobody can be asked
 */
export async function gather(
  given: Given,
  { asker, fileExists }: GatherOptions,
): Promise<Gathered | undefined> {
  const problem = (answers: Given): string | undefined =>
    problemWith(answers) ??
    (answers.openapi === undefined || isUrl(answers.openapi) || fileExists(answers.openapi)
      ? undefined
      : "must be an existing file or a URL");
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
        hint: "`orgsync-conformance init` asks for everything when it runs at a terminal.",
      });
    }
    if (said !== "") known[name] = said;
    if (said === fallback && (name === "primary" || name === "other")) drawn.add(name);
  }
  const writes = given.writes ?? (asker ? await asker.confirm({ message: WRITES }) : false);
  if (writes === undefined) return undefined;
  // Every text that is not optional has a default, or was required above.
  const answers: Answers = {
    ...(known as unknown as Answers),
    writes,
    testIssuer: testIssuer ?? true,
  };
  if (!answers.testIssuer && !(answers.serviceClient ?? answers.codeClient)) {
    throw new SuiteError(
      "ERR_FLAG",
      "Without a test issuer the deployment's own issuer must issue the tokens",
      {
        hint: "Name it with --authorization-server, and a client with --service-client or --code-client.",
      },
    );
  }
  return { answers, drawn };
}

const TEST_ISSUER =
  "Can the deployment, or a copy of it, trust a test issuer too? Half of the cases need its keys";

/** Whether the deployment trusts a test issuer. Asked only when tokens can come from elsewhere. */
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

/** Whether a document is named by its URL instead of a file. */
export function isUrl(document: string): boolean {
  return httpUrlProblem(document) === undefined;
}

/** The flag of a question: `claimsNamespace` becomes `--claims-namespace`. */
function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
