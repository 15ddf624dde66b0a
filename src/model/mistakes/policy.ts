import { policy } from "../checks/policy.ts";
import { also, type Mistake } from "./mistake.ts";

/** Wrong checks of local policy (Receiver checks 7). */
export const POLICY: readonly Mistake[] = [
  {
    fault: "policy-unchecked",
    isAbsence: true,
    behaves: "does not apply local policy to a good token",
    look: "The token's own checks are taken for the whole decision: the route does not ask what the subject may do.",
    checks: { policy: also(policy, () => true) },
  },
];
