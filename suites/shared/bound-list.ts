import type { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { reception } from "../../src/probe/reception.ts";
import type { Collection } from "./collection.ts";

/** Why no list is shown to bound tokens; `undefined` where one is. */
export async function boundUnlisted(
  probe: Probe,
  { operation }: Pick<Collection, "operation">,
): Promise<Finding | undefined> {
  const control = await probe.tryControl(operation, { bound: true });
  if (!("refusal" in control)) return undefined;
  const { finding, reply } = control.refusal;
  return reply && reception(reply) === "rejected"
    ? { kind: "not-applicable", reason: phrase`bound tokens may not list` }
    : finding;
}
