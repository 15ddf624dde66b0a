import { stringify } from "yaml";

import { type Answers, deniedOf } from "./gather.ts";

/**
 * The text of a profile: what is known, and as comments the keys that the user may fill in.
 * @param keys the folder of the test issuer's keys, relative to the profile; absent without a test issuer
 */
export function profileText(answers: Answers, keys: string | undefined): string {
  const { baseUrl, claimsNamespace, issuer, audience, subject, openapi, packs, writes } = answers;
  const lines = [
    "# Describes a deployment to orgsync-conformance. `doctor` checks this file, `run` uses it.",
    ...said("baseUrl", baseUrl, "/orgs and the other routes are appended to it"),
    ...said(
      "claimsNamespace",
      claimsNamespace,
      "the name of the binding claim without /org_id",
      "https://…",
    ),
    ...(keys === undefined
      ? said("testIssuer", false, "the deployment trusts no issuer but its own")
      : [
          "testIssuer:",
          ...said("  url", issuer, "`iss` of the suite's tokens; the deployment must trust it"),
          ...said("  keys", keys, "give jwks.json to the deployment; keep the other file secret"),
          ...said(
            "  algorithms",
            undefined,
            "all algorithms that the deployment supports",
            "[RS256, ES256]",
          ),
        ]),
    ...said("audience", audience, "`aud`, if it is not exactly baseUrl", "https://…"),
    ...said("subject", subject, "`sub`, which may act on both organizations"),
    "organizations:",
    ...said(
      "  primary",
      answers.primary,
      "used by most requests; with `writes: true` it is changed",
    ),
    ...said(
      "  other",
      answers.other,
      "or { id: …, writes: true }, if a run may write to it in cases about it too",
    ),
    ...said("denied", deniedOf(answers), "local policy forbids it, however good the token"),
    ...said("writes", writes, "consent to change organizations.primary"),
    ...said("openapi", openapi, "the deployment's own document", "./openapi.yaml"),
    ...said(
      "packs",
      packs.length > 0 ? packs : undefined,
      "published protocols to judge too, each with a verdict of its own",
      "[commongrants]",
    ),
    ...operations(answers),
    ...authorizationServer(answers),
  ];
  return `${lines.join("\n")}\n`;
}

/** What the published document says of the six operations, for a deployment without a document. */
const COMMONGRANTS_OPERATIONS = [
  "operations: # as published; `false` for one that this deployment does not offer",
  "  listOrganizations: { paginated: true, items: /items, pagination: /paginationInfo }",
  "  viewOrganization: { organization: /data }",
  "  editOrganization:",
  "    contentType: application/merge-patch+json",
  '    body: { mission: "conformance ${unique}" }',
  "    invalidBody: { name: 7 }",
  "  submitChange:",
  "    contentType: application/merge-patch+json",
  '    body: { mission: "conformance ${unique}" }',
  "    invalidBody: { name: 7 }",
  "    id: /data/id",
  "  readChangesFeed: { paginated: true, items: /items, pagination: /paginationInfo }",
  "  readChange: {}",
];

function operations({ openapi, packs, writes }: Answers): string[] {
  if (openapi !== undefined) return [];
  if (packs.includes("commongrants")) return COMMONGRANTS_OPERATIONS;
  const bodies = [
    "operations: # guesses to replace: bodies that this deployment accepts, and bodies that it must refuse",
    '  editOrganization: { body: { mission: "conformance ${unique}" }, invalidBody: { name: 7 } }',
    '  submitChange: { body: { mission: "conformance ${unique}" }, invalidBody: { name: 7 } }',
  ];
  return writes ? bodies : bodies.map((line) => `# ${line}`);
}

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
    ...said("  issuer", issuer, "exactly as published, with or without a final slash"),
    ...said("  probes", undefined, "consent to requests that it must refuse", "true"),
    `${(serviceClient ?? codeClient) === undefined ? "# " : ""}  clients: # add scopes and organization for clients that are restricted to them`,
    ...(serviceClient === undefined ? [] : said("    service", service)),
    ...(codeClient === undefined
      ? []
      : said("    admin", admin, "remove `secret` for a client without a secret")),
  ];
}

function placeholder(variable: string): string {
  return `\${env:${variable}}`;
}

/** A key, indented, with its value, or a comment that shows an example when there is none. */
function said(key: string, value: unknown, comment = "", example = ""): string[] {
  const note = comment === "" ? "" : ` # ${comment}`;
  if (value === undefined) return [`# ${key}: ${example}${note}`];
  const text = stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trimEnd();
  return [`${key}: ${text}${note}`];
}
