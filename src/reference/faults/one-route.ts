import type { OperationId } from "../../contract/operations.ts";
import { onlyOn } from "../check-patches.ts";
import { CHECK_NAMES, type CheckName } from "../model.ts";
import type { Fault } from "./fault.ts";

type CheckFault = Extract<Fault, { readonly step: CheckName }>;

/** Names of faults of a check, each with the route whose handler makes the check itself, with this fault. */
const ON: readonly (readonly [string, OperationId])[] = [
  ["issuer-missing-accepted", "listOrganizations"],
  ["issuer-missing-accepted", "readChange"],
  ["issuer-falsy-accepted", "submitChange"],
  ["issuer-by-prefix", "readChangesFeed"],
  ["issuer-any-array", "submitChange"],
  ["audience-missing-accepted", "readChange"],
  ["audience-falsy-accepted", "listOrganizations"],
  ["audience-any-array", "submitChange"],
  ["audience-by-prefix", "submitChange"],
  ["audience-by-path-prefix", "readChangesFeed"],
  ["expiry-missing-accepted", "submitChange"],
  ["expiry-zero-accepted", "listOrganizations"],
  ["expiry-falsy-accepted", "readChange"],
  ["expiry-text-not-compared", "readChangesFeed"],
  ["scope-missing-accepted", "readChangesFeed"],
  ["scope-falsy-accepted", "listOrganizations"],
  ["scope-by-prefix", "submitChange"],
  ["scope-by-substring", "readChange"],
  ["binding-not-uuid-ignored", "readChange"],
  ["binding-empty-list", "readChangesFeed"],
  ["binding-falsy-ignored", "submitChange"],
  ["order-binding-before-scope", "submitChange"],
  ["order-policy-before-scope", "readChangesFeed"],
  ["order-policy-before-binding", "readChange"],
];

/**
 * Copies of some faults, each limited to one route.
 * @param faults every fault of the checks; those that are copied are picked by name
 * @throws TypeError when one of them is missing
 */
export function onOneRoute(faults: readonly Fault[]): Fault[] {
  return ON.map(([name, operation]) => {
    const fault = faults.find((one): one is CheckFault => one.name === name && isOfCheck(one));
    if (!fault) throw new TypeError(`no fault of a check is called ${name}`);
    return {
      ...fault,
      name: `${name}-on-${operation}`,
      title: `${fault.title}, on ${operation}`,
      patch: onlyOn(operation, fault.patch),
    };
  });
}

function isOfCheck({ step }: Fault): boolean {
  return CHECK_NAMES.some((name) => name === step);
}
