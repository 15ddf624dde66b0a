import { CHECK_NAMES, type Call, type CheckName } from "../model.ts";
import { accessibleIds } from "../store.ts";
import type { Fault } from "./fault.ts";

type GuardFault = Extract<Fault, { readonly step: CheckName | "checks" }>;

/** Faults of what guards a route, which some receivers have on pages after the first alone. */
const GUARDS: readonly string[] = [
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
 * The same faults on pages after the first alone, and a list that forgets the binding there.
 * @param faults every fault of the checks; those that are copied are picked by name
 * @throws TypeError when one of them is missing
 */
export function onLaterPages(faults: readonly Fault[]): Fault[] {
  const guards = GUARDS.map((name): Fault => {
    const fault = faults.find((one): one is GuardFault => one.name === name && isOfGuard(one));
    if (!fault) throw new TypeError(`no fault of a check is called ${name}`);
    const { title, rule } = fault;
    const words = {
      name: `${name}-after-page-1`,
      title: `${title}, on pages after the first`,
      rule,
      how,
    };
    return fault.step === "checks"
      ? { ...words, step: fault.step, patch: onLaterPagesAlone(fault.patch) }
      : { ...words, step: fault.step, patch: onLaterPagesAlone(fault.patch) };
  });
  return [
    ...guards,
    {
      name: "list-ignores-binding-after-page-1",
      title: "Lists every organization of the subject to a bound token, on pages after the first",
      rule: "receiver.binding-list",
      how: "The first page is a query for the bound organization, and further pages count on from there in the whole list.",
      step: "visibleOrganizations",
      patch: onLaterPagesAlone(
        () => (call) => accessibleIds(call.receiver.store, call.claims["sub"]),
      ),
    },
  ];
}

function onLaterPagesAlone<Result>(
  patch: (original: (call: Call) => Result) => (call: Call) => Result,
): (original: (call: Call) => Result) => (call: Call) => Result {
  return (original) => {
    const replacement = patch(original);
    return (call) => (Number(call.query["page"]) > 1 ? replacement(call) : original(call));
  };
}

function isOfGuard({ step }: Fault): boolean {
  return step === "checks" || CHECK_NAMES.some((name) => name === step);
}
