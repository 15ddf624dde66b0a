import type { OperationId } from "../../contract/operations.ts";
import { endCase } from "../case-end.ts";
import { phrase } from "../phrase.ts";
import type { Probe } from "../probe.ts";

/**
 * Makes sure that an operation accepts a bound, or an unbound, token where a case is about that kind.
 * @throws CaseEnd inapplicable where it accepts the other kind alone; where it accepts none, why
 */
export async function requireKind(
  probe: Probe,
  operation: OperationId,
  bound: boolean,
): Promise<void> {
  if ("control" in (await probe.tryControl(operation, { bound }))) return;
  await probe.control(operation);
  endCase({
    kind: "not-applicable",
    reason: phrase`no ${bound ? "bound" : "unbound"} token is accepted there in the first place`,
  });
}
