import type { Rule } from "../src/probe/rule.ts";
import { rule as errorsShape } from "./errors/shape.ts";
import { rule as errorsStatus } from "./errors/status.ts";
import { rule as receiverAudience } from "./receiver/audience.ts";
import { rule as receiverBindingAccepted } from "./receiver/binding-accepted.ts";
import { rule as receiverBindingList } from "./receiver/binding-list.ts";
import { rule as receiverBinding } from "./receiver/binding.ts";
import { rule as receiverExpiry } from "./receiver/expiry.ts";
import { rule as receiverIssuer } from "./receiver/issuer.ts";
import { rule as receiverLocalPolicy } from "./receiver/local-policy.ts";
import { rule as receiverScopeSufficient } from "./receiver/scope-sufficient.ts";
import { rule as receiverScope } from "./receiver/scope.ts";
import { rule as receiverSignature } from "./receiver/signature.ts";
import { rule as receiverTokenRequired } from "./receiver/token-required.ts";
import { rule as routesReachable } from "./routes/reachable.ts";

/** Every rule, a rule after those it depends on; the order of reports. */
export const RULES: readonly Rule[] = [
  routesReachable,
  receiverTokenRequired,
  receiverSignature,
  receiverIssuer,
  receiverAudience,
  receiverExpiry,
  receiverScope,
  receiverScopeSufficient,
  receiverBinding,
  receiverBindingAccepted,
  receiverBindingList,
  receiverLocalPolicy,
  errorsShape,
  errorsStatus,
];
