import type { Call } from "../model.ts";
import { accepting, type Received } from "../received.ts";
import type { Fault, FaultWords } from "./fault.ts";

/** A fault of check 1: it also accepts every token for which `when` returns true. */
export function accepts(
  name: string,
  {
    when,
    ...words
  }: FaultWords & { readonly when: (token: Received, call: Call) => boolean | Promise<boolean> },
): Fault {
  return {
    name,
    rule: "receiver.signature",
    ...words,
    verifySignature: accepting(when),
  };
}
