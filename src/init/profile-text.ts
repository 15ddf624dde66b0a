import { stringify } from "yaml";

import { type Answers, deniedOf } from "./questions.ts";

/**
 * A profile's file: what is known, and in comments what is left to be filled in.
 * @param keys the folder of the issuer's keys, from where the profile is
 */
export function profileText(answers: Answers, keys: string): string {
  const { baseUrl, claimsNamespace, issuer, audience, subject, openapi, writes } = answers;
  const lines = [
    "# What orgsync-conformance knows of the deployment: `doctor` checks it, `run` certifies.",
    ...said("baseUrl", baseUrl, "/orgs and the other routes are appended to it"),
    ...said("claimsNamespace", claimsNamespace, "the binding claim without /org_id", "https://…"),
    "testIssuer:",
    ...said("  url", issuer, "`iss` of the suite's tokens; the deployment has to trust it"),
    ...said("  keys", keys, "the deployment is given jwks.json; the other file stays here"),
    ...said("  algorithms", undefined, "all that the deployment supports", "[RS256, ES256]"),
    ...said("audience", audience, "`aud`, where it is not baseUrl, letter for letter", "https://…"),
    ...said("subject", subject, "`sub`, which may act on both organizations"),
    "organizations:",
    ...said("  primary", answers.primary, "most requests are about it; no other is ever changed"),
    ...said("  other", answers.other),
    ...said("denied", deniedOf(answers), "local policy forbids it, however good the token"),
    ...said("writes", writes, "consent to change organizations.primary"),
    ...said("openapi", openapi, "the deployment's own document", "./openapi.yaml"),
    ...operations(openapi, writes),
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
