/**
 * Every rule of the public catalogue, in its order, whether it is written yet or not.
 * Ids are never renamed and never used again for something else; single cases may have a lower level.
 */
export const RULE_IDS = [
  { id: "routes.reachable", level: "MUST" },
  { id: "receiver.token-required", level: "MUST" },
  { id: "receiver.signature", level: "MUST" },
  { id: "receiver.keys", level: "MUST" },
  { id: "receiver.issuer", level: "MUST" },
  { id: "receiver.audience", level: "MUST" },
  { id: "receiver.expiry", level: "MUST" },
  { id: "receiver.scope", level: "MUST" },
  { id: "receiver.scope-sufficient", level: "MUST" },
  { id: "receiver.binding", level: "MUST" },
  { id: "receiver.binding-accepted", level: "MUST" },
  { id: "receiver.binding-list", level: "MUST" },
  { id: "receiver.local-policy", level: "MUST" },
  { id: "receiver.local-policy-list", level: "SHOULD" },
  { id: "receiver.order", level: "MUST" },
  { id: "receiver.no-side-effects", level: "MUST" },
  { id: "receiver.required-claims", level: "SHOULD" },
  { id: "receiver.claims-accepted", level: "SHOULD" },
  { id: "receiver.oracle", level: "SHOULD" },
  { id: "receiver.outbound", level: "SHOULD" },
  { id: "errors.shape", level: "MUST" },
  { id: "errors.status", level: "MUST" },
  { id: "errors.media-type", level: "SHOULD" },
  { id: "errors.not-found", level: "SHOULD" },
  { id: "errors.bad-request", level: "MUST" },
  { id: "errors.submission", level: "SHOULD" },
  { id: "errors.unknown-route", level: "SHOULD" },
  { id: "pagination.results-info", level: "MUST" },
  { id: "pagination.defaults", level: "MUST" },
  { id: "pagination.bounds-accepted", level: "MUST" },
  { id: "pagination.bounds-rejected", level: "MUST" },
  { id: "pagination.echo", level: "MUST" },
  { id: "pagination.page-length", level: "MUST" },
  { id: "pagination.totals", level: "MUST" },
  { id: "pagination.partition", level: "MUST" },
  { id: "pagination.unknown-parameter", level: "SHOULD" },
  { id: "pagination.body", level: "MUST" },
  { id: "resources.list", level: "MUST" },
  { id: "resources.view", level: "MUST" },
  { id: "resources.edit", level: "MUST" },
  { id: "resources.submit", level: "SHOULD" },
  { id: "resources.feed", level: "MUST" },
  { id: "resources.change", level: "MUST" },
  { id: "resources.change-isolated", level: "MUST" },
  { id: "document.valid", level: "SHOULD" },
  { id: "document.routes", level: "SHOULD" },
  { id: "document.scopes", level: "SHOULD" },
  { id: "document.errors", level: "SHOULD" },
  { id: "document.pagination", level: "SHOULD" },
  { id: "document.responses", level: "SHOULD" },
] as const;

/** Rules that the catalogue names only as families; `<prefix>.*` stands for all whose id begins so. */
export const RULE_FAMILIES = [{ id: "issuer.*", level: "MUST" }] as const;

/** A rule of the catalogue, or a family of rules. */
export type RuleName = (typeof RULE_IDS)[number]["id"] | (typeof RULE_FAMILIES)[number]["id"];

/** Whether a rule is the one that a name means, or one of the family that it means. */
export function namesRule(name: RuleName, ruleId: string): boolean {
  return name === ruleId || (name.endsWith(".*") && ruleId.startsWith(name.slice(0, -1)));
}
