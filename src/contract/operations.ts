import { readFixture } from "./fixture.ts";

export const OPERATION_IDS = [
  "listOrganizations",
  "viewOrganization",
  "editOrganization",
  "submitChange",
  "readChangesFeed",
  "readChange",
] as const;

export type OperationId = (typeof OPERATION_IDS)[number];

/** What is made for each operation, in the order of the contract's table. */
export function byOperation<T>(make: (id: OperationId) => T): Record<OperationId, T> {
  return Object.fromEntries(OPERATION_IDS.map((id) => [id, make(id)])) as Record<OperationId, T>;
}

/** The four scopes of the contract, clause "Scopes". */
export const SCOPES = ["org:read", "org:write", "org.changes:read", "org.changes:write"] as const;

export type Scope = (typeof SCOPES)[number];

/** One route of the contract, clause "Endpoints". */
export interface Operation {
  readonly id: OperationId;
  readonly method: "GET" | "PATCH" | "POST";
  /** Path template below the base URL, with `{orgId}` and `{changeId}`. */
  readonly path: string;
  readonly scope: Scope;
  readonly organization: boolean;
  readonly change: boolean;
  /** True for PATCH and POST, which change the deployment when it accepts them. */
  readonly writes: boolean;
  readonly purpose: string;
}

interface RouteObject {
  operationId: string;
  summary: string;
  security: Record<string, Scope[]>[];
}

interface ContractDocument {
  paths: Record<string, Partial<Record<"get" | "patch" | "post", RouteObject>>>;
}

/** The six operations by id, in the order of the contract's table, read from `fixtures/openapi.yaml`. */
export const OPERATIONS: Readonly<Record<OperationId, Operation>> = loadOperations();

function loadOperations(): Record<OperationId, Operation> {
  const document = readFixture("openapi.yaml") as ContractDocument;
  const found = new Map<string, Operation>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of ["get", "patch", "post"] as const) {
      const route = item[method];
      if (!route) continue;
      found.set(route.operationId, {
        id: route.operationId as OperationId,
        method: method.toUpperCase() as Operation["method"],
        path,
        scope: Object.values(route.security[0] ?? {})[0]?.[0] as Scope,
        organization: path.includes("{orgId}"),
        change: path.includes("{changeId}"),
        writes: method !== "get",
        purpose: route.summary,
      });
    }
  }
  return byOperation((id) => {
    const operation = found.get(id);
    if (!operation) throw new Error(`fixtures/openapi.yaml lacks the operation ${id}`);
    return operation;
  });
}
