import type { OperationId } from "../../contract/operations.ts";
import type { Call } from "../model.ts";
import { type CheckPatch, onlyIf } from "../patches.ts";
import { type Patch, stepsOf } from "../steps.ts";
import { accessibleIds } from "../store.ts";
import { type Fault, type FaultEntry, ofEach } from "./fault.ts";

/** Faults that are copied to one route, as if its handler made the check itself. */
const COPIED_TO_ROUTE: readonly (readonly [string, OperationId])[] = [
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

/** Faults that are copied to pages after the first. */
const COPIED_TO_LATER_PAGES: readonly string[] = [
  "token-not-required",
  "signature-unchecked",
  "issuer-unchecked",
  "audience-unchecked",
  "expiry-unchecked",
  "scope-unchecked",
  "binding-unchecked",
];

const how =
  "Further pages have a handler of their own, which trusts that the first page was asked for before.";

/** A fault that one route alone has, once for each of some routes. */
export function onEach(
  routes: readonly OperationId[],
  name: string,
  fault: FaultEntry,
): Readonly<Record<string, FaultEntry>> {
  return ofEach(routes, (operation) => ({
    [`${name}-on-${operation}`]: {
      ...fault,
      ...limited(fault, isOn(operation)),
      title: `${fault.title} on ${operation}`,
    },
  }));
}

/**
 * Copies of some faults: each limited to one route, or to pages after the first, and a list that forgets the binding there.
 * @param faults every fault of the checks; those that are copied are picked by name
 * @throws TypeError when one of them is missing
 */
export function copiesOf(faults: readonly Fault[]): Fault[] {
  return [
    ...COPIED_TO_ROUTE.map(([copied, operation]): Fault => {
      const fault = faultNamed(copied, faults);
      const name = `${copied}-on-${operation}`;
      const title = `${fault.title}, on ${operation}`;
      return { ...fault, ...limited(fault, isOn(operation)), name, title };
    }),
    ...COPIED_TO_LATER_PAGES.map((copied): Fault => {
      const fault = faultNamed(copied, faults);
      const name = `${copied}-after-page-1`;
      const title = `${fault.title}, on pages after the first`;
      return { ...limited(fault, isOfLaterPage), name, title, rule: fault.rule, how };
    }),
    {
      name: "list-ignores-binding-after-page-1",
      title: "Lists every organization of the subject to a bound token, on pages after the first",
      rule: "receiver.binding-list",
      how: "The first page is a query for the bound organization, and further pages count on from there in the whole list.",
      visibleOrganizations: onlyIf(
        isOfLaterPage,
        () => (call) => accessibleIds(call.receiver.store, call.claims["sub"]),
      ),
    },
  ];
}

/** The steps of a patch, each replaced only for the calls that fulfil a condition. */
function limited(patch: Patch, condition: (call: Call) => boolean): Patch {
  const steps = stepsOf(patch).map((step) => [step, onlyIf(condition, patch[step] as CheckPatch)]);
  return Object.fromEntries(steps) as Patch;
}

function faultNamed(name: string, faults: readonly Fault[]): Fault {
  const fault = faults.find((one) => one.name === name);
  if (!fault) throw new TypeError(`no fault is called ${name}`);
  return fault;
}

function isOn(id: OperationId): (call: Call) => boolean {
  return ({ operation }) => operation === id;
}

function isOfLaterPage({ query }: Call): boolean {
  return Number(query["page"]) > 1;
}
