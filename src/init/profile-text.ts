import { stringify } from "yaml";

import { type Answers, deniedOf } from "./questions.ts";

/**
 * A profile's file: what is known, and in comments what is left to be filled in.
 * @param keys the folder of the test issuer's keys, from where the profile is; absent where there is none
 */
export function profileText(answers: Answers, keys: string | undefined): string {
  const { baseUrl, claimsNamespace, issuer, audience, subject, openapi, writes } = answers;
  const lines = [
    "# What orgsync-conformance knows of the deployment: `doctor` checks it, `run` certifies.",
    ...said("baseUrl", baseUrl, "/orgs and the other routes are appended to it"),
    ...said("claimsNamespace", claimsNamespace, "the binding claim without /org_id", "https://…"),
    ...(keys === undefined
      ? said("testIssuer", false, "it trusts no issuer but its own")
      : [
          "testIssuer:",
          ...said("  url", issuer, "`iss` of the suite's tokens; the deployment has to trust it"),
          ...said("  keys", keys, "the deployment is given jwks.json; the other file stays here"),
          ...said("  algorithms", undefined, "all that the deployment supports", "[RS256, ES256]"),
        ]),
    ...said("audience", audience, "`aud`, where it is not baseUrl, letter for letter", "https://…"),
    ...said("subject", subject, "`sub`, which may act on both organizations"),
    "organizations:",
    ...said("  primary", answers.primary, "most requests are about it; no other is ever changed"),
    ...said("  other", answers.other),
    ...said("denied", deniedOf(answers), "local policy forbids it, however good the token"),
    ...said("writes", writes, "consent to change organizations.primary"),
    ...said("openapi", openapi, "the deployment's own document", "./openapi.yaml"),
    ...operations(openapi, writes),
    ...authorizationServer(answers),
  ];
  return `${lines.join("\n")}\n`;
}

function operations(openapi: string | undefined, writes: boolean): string[] {
  if (openapi !== undefined) return [];
  const bodies = [
    "operations: # a guess, to be replaced: bodies that this deployment accepts, and that it has to refuse",
    '  editOrganization: { body: { mission: "conformance ${unique}" }, invalidBody: { name: 7 } }',
    '  submitChange: { body: { mission: "conformance ${unique}" }, invalidBody: { name: 7 } }',
  ];
  return writes ? bodies : bodies.map((line) => `# ${line}`);
}

/** The environment variable that holds the secret of a client. */
export const SECRET_VARIABLES = { service: "SERVICE_SECRET", admin: "ADMIN_SECRET" } as const;

/** Where the suite listens for the redirect of a flow with consent. */
export const REDIRECT_URI = "http://127.0.0.1:8400/callback";

function authorizationServer({
  authorizationServer: issuer,
  serviceClient,
  codeClient,
  subject,
}: Answers): string[] {
  if (issuer === undefined) return [];
  const service = {
    flow: "client_credentials",
    id: serviceClient,
    secret: placeholder(SECRET_VARIABLES.service),
    subject,
  };
  const admin = {
    flow: "authorization_code",
    id: codeClient,
    secret: placeholder(SECRET_VARIABLES.admin),
    redirectUri: REDIRECT_URI,
    consent: "browser",
  };
  return [
    "authorizationServer:",
    ...said("  issuer", issuer, "letter for letter, a slash at the end included"),
    ...said("  probes", undefined, "consent to requests that it has to refuse", "true"),
    "  clients: # scopes and organization, where they are registered for less than everything",
    ...(serviceClient === undefined ? [] : said("    service", service)),
    ...(codeClient === undefined
      ? []
      : said("    admin", admin, "a client without a secret has no `secret`")),
  ];
}

function placeholder(variable: string): string {
  return `\${env:${variable}}`;
}

/**
 * A key with its value, or, where there is none, how it would look.
 * @param key indented as it is to stand
 */
function said(key: string, value: unknown, comment = "", example = ""): string[] {
  const note = comment === "" ? "" : ` # ${comment}`;
  if (value === undefined) return [`# ${key}: ${example}${note}`];
  const text = stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trimEnd();
  return [`${key}: ${text}${note}`];
}
