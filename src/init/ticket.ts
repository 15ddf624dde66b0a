import { SCOPES } from "../contract/operations.ts";
import type { Gathered } from "./gather.ts";
import { type Answers, deniedOf } from "./questions.ts";

/** The public half of what the deployment is to trust. */
export interface TicketKeys {
  /** As the person would name it. */
  readonly folder: string;
  readonly keys: readonly { readonly kid: string; readonly alg: string }[];
}

/** What the deployment must be given, as the text of a ticket to those who run it. */
export function ticketText({ answers, drawn }: Gathered, { folder, keys }: TicketKeys): string {
  const { baseUrl, issuer, subject, claimsNamespace, audience = baseUrl, writes } = answers;
  const binding =
    claimsNamespace === undefined
      ? "not known to us: please tell us {claims_namespace}"
      : `${claimsNamespace}/org_id`;
  const isNew = (name: "primary" | "other"): string => (drawn.has(name) ? "  (create it)" : "");
  const lines = [
    `Conformance run against ${baseUrl}: what it needs there`,
    "",
    "1. Trust a test issuer, as any other authorization server",
    "",
    `   Issuer (iss)    ${issuer}`,
    `   Audience (aud)  ${audience}`,
    `   Subject (sub)   ${subject}`,
    `   Binding claim   ${binding}`,
    `   Scopes          ${SCOPES.join(" ")}`,
    `   Keys            ${folder}/jwks.json, attached; or, where keys are fetched by URL, what`,
    `                   \`orgsync-conformance keys serve ${folder} --issuer ${issuer}\` prints:`,
    ...keys.map(({ alg, kid }) => `                     ${alg.padEnd(8)}${kid}`),
    "                   A run publishes them itself where the profile has testIssuer.serve.",
    "",
    `2. Let the subject ${subject} act on two organizations, with all four scopes`,
    "",
    `   Primary         ${answers.primary}${isNew("primary")}`,
    `   Other           ${answers.other}${isNew("other")}`,
    "",
    ...policyLines(answers),
    "",
    "4. What to expect",
    "",
    "   About a thousand requests, hundreds of them with forged or broken tokens. Each carries the",
    "   header Conformance-Case, by which logs can be searched.",
    writes
      ? "   The primary organization is edited and changes are submitted to it: fewer than twenty each."
      : "   Nothing is written: no PATCH and no POST is sent.",
    "   Take the issuer's trust back afterwards: whoever has its private keys is let in.",
  ];
  return `${lines.join("\n")}\n`;
}

/** What local policy is to forbid. A second subject that may act elsewhere is seen to be known. */
function policyLines(answers: Answers): string[] {
  const { subject = answers.subject, organization } = deniedOf(answers) ?? {};
  const denied = `   Denied          ${organization}`;
  return subject === answers.subject
    ? [
        "3. Forbid it a third one by local policy: its good tokens are answered with 403 there",
        "",
        denied,
      ]
    : [
        "3. Let a second subject act on the other one, and forbid it another by local policy: its",
        "   good tokens, with the same scopes, are answered with 403 there",
        "",
        `   Subject (sub)   ${subject}`,
        `   Allowed         ${answers.other}`,
        denied,
      ];
}
