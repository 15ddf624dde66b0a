import { policy } from "../checks/policy.ts";
import type { Question } from "../question.ts";
import { also, type Mistake } from "./mistake.ts";

function isBound({ token, known: { bindingClaim } }: Question): boolean {
  return bindingClaim !== undefined && token?.claims?.[bindingClaim] !== undefined;
}

/** Wrong checks of local policy (Receiver checks 7). */
export const POLICY: readonly Mistake[] = [
  {
    fault: "policy-unchecked",
    isAbsence: true,
    behaves:
      "does not apply local policy to a good token, or remembers for others what it allowed one subject",
    look: "The token's own checks are taken for the whole decision: the route does not ask what the subject may do. Or it keeps the answer for one subject, and gives it to others.",
    checks: { policy: also(policy, () => true) },
  },
  {
    fault: "policy-bound-unchecked",
    behaves: "does not apply local policy to a token that is bound to the organization",
    look: "The code takes the binding for a permission: it asks what the subject may do only where the claim is missing.",
    checks: { policy: also(policy, isBound) },
  },
  {
    fault: "policy-unbound-unchecked",
    behaves: "does not apply local policy to a token without a binding",
    look: "The code asks only whether the subject may be bound to the organization, and not where the claim is missing.",
    checks: { policy: also(policy, (question) => !isBound(question)) },
  },
];
