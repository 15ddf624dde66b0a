import { randomUUID } from "node:crypto";

import { SuiteError } from "../lib/errors.ts";
import { profileFromObject } from "../profile/load.ts";
import { httpUrlProblem } from "../profile/schema-parts.ts";
import { DEFAULT_ISSUER } from "../profile/schema.ts";

/** The answers that a profile is made from. Absent: not known yet. */
export interface Answers {
  readonly baseUrl: string;
  readonly claimsNamespace?: string | undefined;
  /** `iss` of the suite's own tokens; absent when the deployment trusts no test issuer. */
  readonly issuer?: string | undefined;
  /** The issuer identifier of the deployment's own authorization server, to judge it too. */
  readonly authorizationServer?: string | undefined;
  /** `client_id` of a client registered there for client credentials. */
  readonly serviceClient?: string | undefined;
  /** `client_id` of a client registered there for authorization code. */
  readonly codeClient?: string | undefined;
  readonly audience?: string | undefined;
  readonly subject: string;
  readonly primary: string;
  readonly other: string;
  /** A second subject, whom local policy forbids an organization. Default: the acting one. */
  readonly deniedSubject?: string | undefined;
  /** The forbidden organization. Default: the primary one, which requires a second subject. */
  readonly denied?: string | undefined;
  readonly openapi?: string | undefined;
  readonly writes: boolean;
  /** Names of the packs that a run judges beside the contract. */
  readonly packs: readonly string[];
  /** False when the deployment trusts no issuer but its own. */
  readonly testIssuer: boolean;
}

type TextName = Exclude<keyof Answers, "writes" | "packs" | "testIssuer">;

interface Question {
  readonly name: TextName;
  /** The question, as the person at the terminal sees it. Without one, only a flag sets the answer. */
  readonly message?: string;
  /** The default. The field shows it, and Enter takes it; without one the field is empty. */
  readonly usual?: () => string;
  /** Whether there must be an answer, for which there is no default. */
  readonly required?: boolean;
  /** Whether it is needed, by the answers to the questions before. Default: always. */
  readonly needed?: (known: Given) => boolean;
}

/** Any base URL serves to read the defaults of a profile. */
const EXAMPLE = "https://sync.example.com/common-grants";
const { subject } = profileFromObject({ baseUrl: EXAMPLE }).profile;

/** In the order in which they are asked. */
const QUESTIONS: readonly Question[] = [
  {
    name: "baseUrl",
    message: `Base URL of the deployment, such as ${EXAMPLE}: /orgs and the other routes are appended to it`,
    required: true,
  },
  {
    name: "claimsNamespace",
    message:
      "Its {claims_namespace}: for the binding claim https://example.com/org_id, enter https://example.com. Leave empty if you do not know it yet",
  },
  {
    name: "authorizationServer",
    message:
      "Issuer URL of its own authorization server, such as https://auth.example.com, to judge it too. Leave empty if it is not to be judged",
  },
  {
    name: "serviceClient",
    message:
      "A client_id that is registered there for client credentials. Leave empty if there is none",
    needed: ({ authorizationServer }) => authorizationServer !== undefined,
  },
  {
    name: "codeClient",
    message:
      "A client_id that is registered there for authorization code. Leave empty if there is none",
    needed: ({ authorizationServer }) => authorizationServer !== undefined,
  },
  {
    name: "issuer",
    message: "Issuer (iss) of the suite's tokens: a URL of yours that no real issuer uses",
    usual: () => DEFAULT_ISSUER,
    needed: ({ testIssuer }) => testIssuer !== false,
  },
  { name: "audience" },
  {
    name: "subject",
    message: "Subject (sub) of the suite's tokens: the client that acts",
    usual: () => subject,
  },
  {
    name: "primary",
    message: "Id of the organization of most requests. The one shown is new, so it must be created",
    usual: randomUUID,
  },
  {
    name: "other",
    message:
      "Id of a second organization that the subject may act on. The one shown is new, so it must be created",
    usual: randomUUID,
  },
  { name: "denied" },
  {
    name: "deniedSubject",
    message: "A second subject, which may act on the second organization and not on the first",
    usual: () => "svc-partner",
    needed: ({ denied }) => denied === undefined,
  },
  {
    name: "openapi",
    message:
      "Its OpenAPI document, a file such as ./openapi.yaml, or a URL. Leave empty if there is none",
  },
];

export type Given = { readonly [Name in keyof Answers]?: Answers[Name] | undefined };

/** What local policy forbids, as the profile describes it; `undefined` when it is not known yet. */
export function deniedOf({
  deniedSubject,
  denied,
  primary,
}: Given): { subject?: string; organization: string } | undefined {
  const organization = denied ?? (deniedSubject === undefined ? undefined : primary);
  if (organization === undefined) return undefined;
  return { ...(deniedSubject !== undefined && { subject: deniedSubject }), organization };
}

function profileOf(answers: Given): Record<string, unknown> {
  const { baseUrl = EXAMPLE, primary, other, ...more } = answers;
  const { claimsNamespace, audience, openapi, packs, writes, authorizationServer: issuer } = more;
  return {
    baseUrl,
    claimsNamespace,
    testIssuer: { url: answers.issuer },
    authorizationServer: issuer === undefined ? undefined : { issuer },
    audience,
    subject: answers.subject,
    organizations: { primary, other },
    denied: deniedOf(answers),
    openapi,
    packs,
    writes,
  };
}

/** Why the answers are not a valid profile, as a phrase; `undefined` when they are. */
function problemWith(answers: Given): string | undefined {
  const broken = Object.values(answers).some(
    (value) => typeof value === "string" && /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value),
  );
  if (broken) return "must be one line of plain text";
  if (answers.denied === undefined && answers.deniedSubject === (answers.subject ?? subject)) {
    return "must be another subject than the one that may act on both organizations";
  }
  try {
    profileFromObject(profileOf(answers));
    return undefined;
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    // The message is `The profile has 1 problem:`, then a line for each problem: the key, and what is
    // wrong.
    return error.message.split("\n")[1]?.trim().replace(/^\S+ /, "");
  }
}

/** Asks a person. Each answer is `undefined` when the person cancels. */
export interface Asker {
  /**
   * @param question.fallback what the field shows until the person types, and what Enter takes; empty: nothing
   * @param question.check says what is wrong with an answer; an empty answer stands for the default
   * @returns the answer; empty when the person entered nothing and there is no default
   */
  text(question: {
    readonly message: string;
    readonly fallback: string;
    readonly check: (value: string) => string | undefined;
  }): Promise<string | undefined>;
  /** @param question.fallback what Enter takes; default: no */
  confirm(question: {
    readonly message: string;
    readonly fallback?: boolean;
  }): Promise<boolean | undefined>;
}

/** The answers, and the names of those that were generated, which no deployment can know. */
export interface Gathered {
  readonly answers: Answers;
  readonly drawn: ReadonlySet<"primary" | "other">;
}

const WRITES =
  "May a run change the first organization? If not, no PATCH and no POST is sent. `writes: true` in the profile allows it later";

/** The packs to ask about, with the protocol that each judges. */
const PACKS = [{ id: "commongrants", protocol: "CommonGrants" }] as const;

interface GatherOptions {
  readonly asker?: Asker | undefined;
  /** Whether a file exists, by the name that the user gives it. */
  readonly fileExists: (file: string) => boolean;
  /** Name of the pack for the protocol that the OpenAPI document says it describes. */
  readonly protocolIn: (
    openapi: string,
    baseUrl: string,
  ) => Promise<string | undefined> | string | undefined;
}

/**
 * Collects what a profile needs: from flags, then by asking, else from defaults.
 * @returns `undefined` when the person cancelled
 * @throws SuiteError when a value cannot be used, or a required value is missing and nobody can be asked
 */
export async function gather(
  given: Given,
  { asker, fileExists, protocolIn }: GatherOptions,
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
    const { name, usual, needed = () => true } = question;
    if (name === "issuer") {
      testIssuer ??= await trustsTestIssuer(known, asker);
      if (testIssuer === undefined) return undefined;
    }
    if (given[name] === undefined && !needed({ ...known, testIssuer })) continue;
    const fallback = usual?.() ?? "";
    const said =
      given[name] ??
      (await ask(asker, question, fallback, (text) =>
        problem({ ...given, ...known, [name]: text }),
      ));
    if (said === undefined) return undefined;
    if (said === "" && question.required) {
      throw new SuiteError("ERR_FLAG", `There is nobody to ask: ${flagOf(name)} is needed`, {
        hint: "`orgsync-conformance init` asks for everything when it runs at a terminal.",
      });
    }
    if (said !== "") known[name] = said;
    if (said === fallback && (name === "primary" || name === "other")) drawn.add(name);
  }
  const packs = given.packs ?? (await packsFor(known, asker, protocolIn));
  if (packs === undefined) return undefined;
  const writes = given.writes ?? (asker ? await asker.confirm({ message: WRITES }) : false);
  if (writes === undefined) return undefined;
  // Every text that is not optional has a default, or was required above.
  const answers: Answers = {
    ...(known as unknown as Answers),
    packs,
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

/** The packs to judge: those that a person wants, or else the one that the document suggests. */
async function packsFor(
  { openapi, baseUrl = EXAMPLE }: Given,
  asker: Asker | undefined,
  protocolIn: GatherOptions["protocolIn"],
): Promise<readonly string[] | undefined> {
  const suggested = openapi === undefined ? undefined : await protocolIn(openapi, baseUrl);
  const wanted: string[] = [];
  for (const { id, protocol } of PACKS) {
    const fallback = id === suggested;
    const why = fallback ? `The document describes the ${protocol} protocol. ` : "";
    const message = `${why}Judge syncing by the published ${protocol} protocol too, with a verdict of its own?`;
    const said = asker ? await asker.confirm({ message, fallback }) : fallback;
    if (said === undefined) return undefined;
    if (said) wanted.push(id);
  }
  return wanted;
}

function checkGiven(given: Given, problemOf: (given: Given) => string | undefined): void {
  const soFar: Record<string, string> = {};
  for (const { name } of QUESTIONS) {
    const value = given[name];
    if (value === undefined) continue;
    soFar[name] = value;
    const problem = value === "" ? "must not be empty" : problemOf(soFar);
    if (problem !== undefined) throw new SuiteError("ERR_FLAG", `${flagOf(name)} ${problem}`);
  }
}

/** The answer of a person, or the default where nobody is asked; `undefined` when the person cancels. */
async function ask(
  asker: Asker | undefined,
  { message, required }: Question,
  fallback: string,
  problemOf: (said: string) => string | undefined,
): Promise<string | undefined> {
  if (!asker || message === undefined) return fallback;
  const said = await asker.text({
    message,
    fallback,
    check(value) {
      const trimmed = value.trim();
      if (trimmed !== "") return problemOf(trimmed);
      return required ? "must not be empty" : undefined;
    },
  });
  return said === undefined ? undefined : said.trim() || fallback;
}

/** Whether a document is named by its URL instead of a file. */
export function isUrl(document: string): boolean {
  return httpUrlProblem(document) === undefined;
}

function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
