import { randomUUID } from "node:crypto";

import { SuiteError } from "../lib/errors.ts";
import { profileFromObject } from "../profile/load.ts";
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
  /** False when the deployment trusts no issuer but its own. */
  readonly testIssuer: boolean;
}

type TextName = Exclude<keyof Answers, "writes" | "testIssuer">;

/** One question whose answer is a text. */
export interface Question {
  readonly name: TextName;
  /** The question, as the person at the terminal sees it. */
  readonly message: string;
  /** Shown in the empty field when there is no default. */
  readonly example?: string;
  /** The default. A `required` question without a default must be answered. */
  readonly usual?: () => string;
  readonly required?: boolean;
  /** Never asked; only a flag sets it. */
  readonly silent?: boolean;
  /** Not needed when this other answer is given. */
  readonly unless?: TextName;
  /** Asked only when this other answer is given. */
  readonly after?: TextName;
  /** Not needed when the deployment trusts no test issuer. */
  readonly ofTestIssuer?: boolean;
}

/** Any base URL serves to read the defaults of a profile. */
const EXAMPLE = "https://sync.example.com/common-grants";
const { subject } = profileFromObject({ baseUrl: EXAMPLE }).profile;

/** In the order in which they are asked. */
export const QUESTIONS: readonly Question[] = [
  {
    name: "baseUrl",
    message: "Base URL of the deployment: /orgs and the other routes are appended to it",
    example: EXAMPLE,
    required: true,
  },
  {
    name: "claimsNamespace",
    message:
      "Its {claims_namespace}: for the binding claim https://example.com/org_id, enter https://example.com. Empty: not known yet",
    example: "https://example.com",
  },
  {
    name: "authorizationServer",
    message: "Issuer URL of its own authorization server, to judge it too. Empty: it is not judged",
    example: "https://auth.example.com",
  },
  {
    name: "serviceClient",
    message: "A client_id that is registered there for client credentials. Empty: none",
    after: "authorizationServer",
  },
  {
    name: "codeClient",
    message: "A client_id that is registered there for authorization code. Empty: none",
    after: "authorizationServer",
  },
  {
    name: "issuer",
    ofTestIssuer: true,
    message: "Issuer (iss) of the suite's tokens: a URL of yours that no real issuer uses",
    usual: () => DEFAULT_ISSUER,
  },
  { name: "audience", message: "Audience (aud) of the suite's tokens", silent: true },
  {
    name: "subject",
    message: "Subject (sub) of the suite's tokens: the client that acts",
    usual: () => subject,
  },
  {
    name: "primary",
    message: "Id of the organization of most requests. Enter generates one, to be created",
    usual: randomUUID,
  },
  {
    name: "other",
    message: "Id of a second organization that the subject may act on",
    usual: randomUUID,
  },
  {
    name: "denied",
    message: "Id of an organization that local policy forbids to the denied subject",
    silent: true,
  },
  {
    name: "deniedSubject",
    message: "A second subject, which may act on the second organization and not on the first",
    usual: () => "svc-partner",
    unless: "denied",
  },
  {
    name: "openapi",
    message: "Its OpenAPI document, a file or URL. Empty: there is none",
    example: "./openapi.yaml",
  },
];

/** A part of the answers. */
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

/** The profile that the answers describe. */
function profileOf(answers: Given): Record<string, unknown> {
  const { baseUrl = EXAMPLE, primary, other, ...more } = answers;
  const { claimsNamespace, audience, openapi, writes, authorizationServer: issuer } = more;
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
    writes,
  };
}

/** Why the answers are not a valid profile, as a phrase; `undefined` when they are. */
export function problemWith(answers: Given): string | undefined {
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
