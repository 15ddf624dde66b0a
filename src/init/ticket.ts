import { SCOPES } from "../contract/operations.ts";
import { type Gathered, type Answers, deniedOf } from "./gather.ts";
import { REDIRECT_URI } from "./profile-text.ts";

/** The public keys that the deployment must trust. */
export interface TicketKeys {
  /** The folder, as the user would name it. */
  readonly folder: string;
  readonly keys: readonly { readonly kid: string; readonly alg: string }[];
}

export function ticketText({ answers, drawn }: Gathered, keys: TicketKeys | undefined): string {
  const { baseUrl, subject, writes } = answers;
  const isNew = (name: "primary" | "other"): string => (drawn.has(name) ? "  (create it)" : "");
  const sections: readonly (readonly string[])[] = [
    ...(keys ? [issuerLines(answers, keys)] : []),
    ...(answers.authorizationServer === undefined ? [] : [clientLines(answers)]),
    [
      `Let the subject ${subject} act on two organizations, with all four scopes`,
      "",
      `   Primary         ${answers.primary}${isNew("primary")}`,
      `   Other           ${answers.other}${isNew("other")}`,
    ],
    policyLines(answers),
    [
      "What to expect",
      "",
      "   About 2,400 requests, hundreds of them with forged or broken tokens. To find them in the logs,",
      "   search for the header Conformance-Case.",
      ...(writes
        ? []
        : [
            "   The profile does not allow writes now: no PATCH and no POST is sent. If it allows them later:",
          ]),
      "   The primary organization is edited and changes are submitted to it, fewer than twenty times each.",
      ...(keys
        ? ["   Remove the test issuer afterwards: anyone with its private keys has access."]
        : []),
    ],
  ];
  const lines = [
    `Conformance run against ${baseUrl}: what it needs there`,
    ...sections.flatMap(([title = "", ...rest], at) => ["", `${at + 1}. ${title}`, ...rest]),
  ];
  return `${lines.join("\n")}\n`;
}

function issuerLines(answers: Answers, { folder, keys }: TicketKeys): string[] {
  const { baseUrl, issuer, subject, audience = baseUrl } = answers;
  return [
    "Trust a test issuer, like any other authorization server",
    "",
    `   Issuer (iss)    ${issuer}`,
    `   Audience (aud)  ${audience}`,
    `   Subject (sub)   ${subject}`,
    `   Binding claim   ${bindingClaim(answers)}`,
    `   Scopes          ${SCOPES.join(" ")}`,
    `   Keys            attached file ${folder}/jwks.json, with these keys:`,
    ...keys.map(({ alg, kid }) => `                     ${alg.padEnd(8)}${kid}`),
    "                   To fetch them by URL instead, run",
    `                   \`orgsync-conformance keys serve ${folder} --issuer ${issuer}\`.`,
    "                   With testIssuer.serve in the profile, the run itself publishes them.",
  ];
}

function bindingClaim({ claimsNamespace }: Answers): string {
  return claimsNamespace === undefined
    ? "unknown: please tell us {claims_namespace}"
    : `${claimsNamespace}/org_id`;
}

function clientLines(answers: Answers): string[] {
  const { authorizationServer, serviceClient, codeClient, baseUrl, audience = baseUrl } = answers;
  return [
    `Register clients for the suite alone at ${authorizationServer}`,
    "",
    ...(serviceClient === undefined
      ? []
      : [`   Credentials     ${serviceClient}, with a secret, for client_credentials`]),
    ...(codeClient === undefined
      ? []
      : [
          `   Consent         ${codeClient}, for authorization_code with PKCE (S256)`,
          `   Redirect URI    ${REDIRECT_URI}`,
        ]),
    `   Scopes          ${SCOPES.join(" ")}`,
    `   Audience (aud)  ${audience}, as text`,
    `   Subject (sub)   ${answers.subject}`,
    `   Claims          scope, grant_type; ${bindingClaim(answers)} for a client of one organization`,
    ...(answers.testIssuer
      ? []
      : [
          "   Further ones    one bound to each of the two organizations, and one for the second subject:",
          "                   without these tokens, the cases that need them are not judged",
        ]),
  ];
}

/** What local policy must forbid. A second subject that may act elsewhere is seen to be known. */
function policyLines(answers: Answers): string[] {
  const { subject = answers.subject, organization } = deniedOf(answers) ?? {};
  const denied = `   Denied          ${organization}`;
  return subject === answers.subject
    ? [
        "Deny it a third organization by local policy: there, its good tokens are answered with 403",
        "",
        denied,
      ]
    : [
        "Let a second subject act on the other organization, and deny it one by local policy:",
        "   there, its good tokens with the same scopes are answered with 403",
        "",
        `   Subject (sub)   ${subject}`,
        `   Allowed         ${answers.other}`,
        denied,
      ];
}
