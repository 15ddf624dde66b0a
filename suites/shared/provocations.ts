import { OPERATIONS, type OperationId } from "../../src/contract/operations.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { noCredentials } from "./mutations/credentials.ts";
import { notJson, unknownOrganization } from "./mutations/requests.ts";
import { otherScopes } from "./mutations/scope.ts";

/** A request that usually causes an error, and the organization in its path; default: the primary one. */
export type Provocation = readonly [
  mutation: Mutation,
  options?: { readonly organization: string },
];

/**
 * The requests of an operation that usually cause an error, each in another part of the receiver: without
 * credentials, without the scope, for an organization that does not exist, with a body that is not JSON.
 * The one without credentials is the first.
 */
export function provocations(
  probe: Pick<Probe, "uuid">,
  operation: OperationId,
): readonly [Provocation, ...Provocation[]] {
  const { organization, writes } = OPERATIONS[operation];
  const further: Provocation[] = [];
  if (writes) further.push([notJson]);
  else if (organization) {
    further.push([unknownOrganization, { organization: probe.uuid("organization") }]);
  }
  return [[noCredentials], [otherScopes], ...further];
}
