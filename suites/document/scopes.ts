import { type OperationId, OPERATIONS, SCOPES } from "../../src/contract/operations.ts";
import { Finding } from "../../src/probe/finding.ts";
import { listFact, type Phrase, phrase, valueFact } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { DocumentedRoute, DocumentedScheme } from "../../src/profile/document.ts";
import { onDocumented } from "../shared/documented.ts";

const SOURCE = "contract, Endpoints; OpenAPI 3.1 section 4.8.30; Opencomplai/opencomplai#70";
const CONTRACT_SCOPES: ReadonlySet<string> = new Set(SCOPES);

export const rule: Rule = defineRule({
  id: "document.scopes",
  title: "The document names the contract's scope for each operation",
  level: "SHOULD",
  verifies: [
    "endpoints.token-and-scope",
    "endpoints.list-organizations.scope",
    "endpoints.view-organization.scope",
    "endpoints.edit-organization.scope",
    "endpoints.submit-change.scope",
    "endpoints.read-changes-feed.scope",
    "endpoints.read-change.scope",
  ],
  phase: "record",
  cases: () =>
    onDocumented("scope", SOURCE, (operation, { security }) => judgeSecurity(operation, security)),
});

function judgeSecurity(operation: OperationId, security: DocumentedRoute["security"]): Finding {
  const { scope } = OPERATIONS[operation];
  const odd = security.find((alternative) => !asksFor(alternative, scope));
  if (security.length > 0 && !odd) return Finding.pass();
  return {
    kind: "fail",
    expected: phrase`each security requirement asks for ${scope}, and for no other scope of the contract`,
    actual: odd ? required(odd) : phrase`no security is required`,
  };
}

/** Scopes outside the contract are not judged. */
function asksFor(alternative: readonly DocumentedScheme[], scope: string): boolean {
  const asked = alternative.flatMap(({ scopes }) =>
    scopes.filter((one) => CONTRACT_SCOPES.has(one)),
  );
  return asked.length > 0 && asked.every((one) => one === scope);
}

function required(alternative: readonly DocumentedScheme[]): Phrase {
  if (alternative.length === 0) return phrase`a request without credentials is let in`;
  const schemes = alternative.map(({ name, scopes }) =>
    scopes.length === 0
      ? phrase`${valueFact(name)} with no scope`
      : phrase`${valueFact(name)} with ${listFact(scopes, " ")}`,
  );
  return phrase`${listFact(schemes, " and ")}`;
}
