import { policy } from "../checks/policy.ts";
import { issuedAt, subject } from "../checks/required-claims.ts";
import { also, instead, type Mistake } from "./mistake.ts";

/** Claims that are required and that nobody asks for (Token claims). */
export const REQUIRED_CLAIMS: readonly Mistake[] = [
  {
    fault: "subject-not-required",
    behaves: "does not require `sub`",
    look: "The library requires only the claims that it is told to require, and the code reads `sub` without a test.",
    checks: {
      subject: also(subject, () => true),
      // What local policy makes of a token without a subject, this mistake does not say.
      policy: (question) => {
        const { sub } = question.token?.claims ?? {};
        return typeof sub === "string"
          ? policy(question)
          : instead(policy, () => undefined)(question);
      },
    },
  },
  {
    fault: "issued-at-not-required",
    behaves: "does not require `iat`",
    look: "The library requires only the claims that it is told to require.",
    checks: { issuedAt: also(issuedAt, () => true) },
  },
];
