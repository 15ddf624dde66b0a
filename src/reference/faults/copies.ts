import type { OperationId } from "../../contract/operations.ts";
import type { Call } from "../model.ts";
import { type CheckPatch, onlyIf } from "../patches.ts";
import { type Patch, stepsOf } from "../steps.ts";
import { accessibleIds } from "../store.ts";
import type { Fault, FaultWords } from "./fault.ts";

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

/**
 * Copies of some faults, each limited to one route.
 * @param faults every fault of the checks; those that are copied are picked by name
 * @throws TypeError when one of them is missing
 */
export function onOneRoute(faults: readonly Fault[]): Fault[] {
  return COPIED_TO_ROUTE.map(([name, operation]) => {
    const fault = faultNamed(name, faults);
    const words = {
      ...fault,
      name: `${name}-on-${operation}`,
      title: `${fault.title}, on ${operation}`,
    };
    return limited(fault, (call) => call.operation === operation, words);
  });
}

/**
 * Copies of some faults, limited to pages after the first, and a list that forgets the binding there.
 * @param faults every fault of the checks; those that are copied are picked by name
 * @throws TypeError when one of them is missing
 */
export function onLaterPages(faults: readonly Fault[]): Fault[] {
  return [
    ...COPIED_TO_LATER_PAGES.map((name) => {
      const fault = faultNamed(name, faults);
      const title = `${fault.title}, on pages after the first`;
      return limited(fault, isOfLaterPage, { name: `${name}-after-page-1`, title, how });
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

/** The fault under other words, for the calls that fulfil a condition. */
function limited(
  fault: Fault,
  condition: (call: Call) => boolean,
  words: FaultWords & Pick<Fault, "name">,
): Fault {
  const steps = stepsOf(fault).map((step) => [step, onlyIf(condition, fault[step] as CheckPatch)]);
  return { ...words, rule: fault.rule, ...(Object.fromEntries(steps) as Patch) };
}

function faultNamed(name: string, faults: readonly Fault[]): Fault {
  const fault = faults.find((one) => one.name === name);
  if (!fault) throw new TypeError(`no fault is called ${name}`);
  return fault;
}

function isOfLaterPage({ query }: Call): boolean {
  return Number(query["page"]) > 1;
}
