/** The usual names of an organization in a query, a form or a body. */
export const ORGANIZATION_NAMES: readonly string[] = [
  "orgId",
  "org_id",
  "organizationId",
  "organization_id",
  "id",
  "tenantId",
  "tenant_id",
  "tenant",
  "org",
  "organization",
];
