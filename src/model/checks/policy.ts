import { isSameUuid } from "../../contract/uuid.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Access } from "../known.ts";
import { fails, open, type Outcome, passes, should } from "../outcome.ts";
import { type Check, ofClaims } from "../question.ts";
import type { Reading } from "../route.ts";

const DENIED = "checks.local-policy-status";
const ALLOWED = "checks.local-policy";
/** Claims by which the policy of a receiver may go, in place of the subject. */
const PRIVILEGES = [
  "roles",
  "role",
  "groups",
  "realm_access",
  "resource_access",
  "permissions",
  "authorities",
  "admin",
  "is_admin",
];
/** Claims of a person, which some receivers take for the subject. Those of every good token say nothing. */
const OF_PERSON = ["email", "upn", "unique_name", "oid"];

/**
 * "Local access policy is applied … when the subject cannot act on the target organization locally, the request is
 * rejected with 403 Forbidden." (Receiver checks 7) Of the policy only that is known what the deployment says.
 */
export const policy: Check = ofClaims((claims, { known, reading }): Outcome => {
  const { allowed, denied, othersDenied = false } = known.policy;
  const { sub } = claims;
  const isIn = (list: readonly Access[]): boolean => list.some((one) => covers(one, sub, reading));
  if (isIn(denied)) return forbidden(claims, reading, known.ownClaims);
  if (isIn(allowed)) return passes(ALLOWED);
  // The list is about no organization. Whoever may act on none may see an empty one.
  if (!othersDenied || reading.organization === undefined || typeof sub !== "string") {
    return open("policy not known", undefined, { value: sub });
  }
  const facts = { name: "sub", value: sub };
  const isSpelled = allowed.some(
    ({ subject }) => subject.toLowerCase() === sub.toLowerCase() && subject !== sub,
  );
  return isSpelled
    ? should("rfc7519.string-comparison", "unknown subject", facts)
    : fails(DENIED, "unknown subject", facts);
});

function covers(access: Access, sub: unknown, { organization, operation }: Reading): boolean {
  return (
    access.subject === sub &&
    (access.operations?.includes(operation.id) ?? true) &&
    (access.organization === undefined || isSameUuid(access.organization, organization))
  );
}

function forbidden(claims: JsonObject, { organization }: Reading, own: readonly string[]): Outcome {
  const facts = { name: "sub", value: claims["sub"], wanted: organization };
  const has = (names: readonly string[]): boolean =>
    names.some((name) => Object.hasOwn(claims, name) && !own.includes(name));
  if (has(PRIVILEGES)) return open("privileges in claims", ALLOWED, facts);
  return has(OF_PERSON) ? should(DENIED, "denied", facts) : fails(DENIED, "denied", facts);
}
