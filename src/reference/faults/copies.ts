import type { OperationId } from "../../contract/operations.ts";
import { onlyIf } from "../check-patches.ts";
import { CHECK_NAMES, type Call, type CheckName } from "../model.ts";
import { accessibleIds } from "../store.ts";
import type { Fault, NamedFault } from "./fault.ts";

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
    const fault = guardFault(name, faults);
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
      const fault = guardFault(name, faults);
      const title = `${fault.title}, on pages after the first`;
      return limited(fault, isOfLaterPage, { name: `${name}-after-page-1`, title, how });
    }),
    {
      name: "list-ignores-binding-after-page-1",
      title: "Lists every organization of the subject to a bound token, on pages after the first",
      rule: "receiver.binding-list",
      how: "The first page is a query for the bound organization, and further pages count on from there in the whole list.",
      step: "visibleOrganizations",
      patch: onlyIf(
        isOfLaterPage,
        () => (call) => accessibleIds(call.receiver.store, call.claims["sub"]),
      ),
    },
  ];
}

type GuardFault = Extract<Fault, { readonly step: CheckName | "checks" }>;

function guardFault(name: string, faults: readonly Fault[]): GuardFault {
  const fault = faults.find((one): one is GuardFault => one.name === name && isOfGuard(one));
  if (!fault) throw new TypeError(`no fault of a check is called ${name}`);
  return fault;
}

function isOfGuard({ step }: Fault): boolean {
  return step === "checks" || CHECK_NAMES.some((name) => name === step);
}

/** Two branches, because TypeScript pairs a step with its patch only where it knows the step. */
function limited(fault: GuardFault, condition: (call: Call) => boolean, words: NamedFault): Fault {
  const { rule } = fault;
  return fault.step === "checks"
    ? { ...words, rule, step: fault.step, patch: onlyIf(condition, fault.patch) }
    : { ...words, rule, step: fault.step, patch: onlyIf(condition, fault.patch) };
}

function isOfLaterPage({ query }: Call): boolean {
  return Number(query["page"]) > 1;
}
