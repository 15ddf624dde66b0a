import type { Call, CheckName } from "./model.ts";
import { Refusal } from "./refusal.ts";

/** The refusal of a call by one of the receiver's checks, with the status that `rejectionStatus` gives it. */
export function reject(call: Call, check: CheckName, message: string): Refusal {
  return new Refusal(call.receiver.steps.rejectionStatus(check), message);
}
