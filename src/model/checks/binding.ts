import { isSameUuid } from "../../contract/uuid.ts";
import type { JsonObject } from "../../lib/json.ts";
import { fails, open, type Outcome, passes, should } from "../outcome.ts";
import { type Check, ofClaims, type Question } from "../question.ts";

const PRESENT = "checks.binding";
const NAME = "binding.claim-name";

/**
 * "When the org_id claim is present, it equals the target organization. When absent, scope plus local access policy
 * decide." (Receiver checks 6)
 */
export const binding: Check = ofClaims((claims, question): Outcome | undefined => {
  const { bindingClaim } = question.known;
  if (bindingClaim === undefined) {
    return lookAlikes(claims).length > 0
      ? open("binding claim not known", undefined, { value: lookAlikes(claims) })
      : passes("checks.unbound", "SHOULD");
  }
  const { organization } = question.reading;
  if (!Object.hasOwn(claims, bindingClaim)) return unbound(claims, organization);
  return organization === undefined
    ? inTheList(claims[bindingClaim], question)
    : onOrganization(claims[bindingClaim], organization, claims, bindingClaim);
});

/**
 * "This is how one token lists or reads across organizations." On one organization, local policy may insist on the claim. A
 * claim whose name is nearly that of the binding claim may be one that the receiver reads.
 */
function unbound(claims: JsonObject, organization: string | undefined): Outcome {
  const alike = lookAlikes(claims);
  if (alike.length > 0) return open("name of the binding claim", NAME, { value: alike });
  return organization === undefined ? passes("binding.absent") : passes("checks.unbound", "SHOULD");
}

function lookAlikes(claims: JsonObject): string[] {
  return Object.keys(claims).filter((name) => /(?:^|\/)org_id$/i.test(name));
}

function onOrganization(bound: unknown, target: string, claims: JsonObject, name: string): Outcome {
  if (bound === target) {
    const others = lookAlikes(claims).filter((one) => one !== name);
    return others.length > 0
      ? open("name of the binding claim", NAME, { value: others })
      : passes(PRESENT);
  }
  const facts = { name, value: bound, wanted: target };
  // Many issuers write null for an absent claim.
  if (bound === null) return open("null binding", PRESENT, facts);
  if (names(bound, target)) return open("spelling of an id", PRESENT, facts);
  // Code that reads a UUID may leave blanks around it out.
  if (typeof bound === "string" && names(bound.trim(), target)) {
    return should(PRESENT, "bound elsewhere", facts);
  }
  const several: readonly unknown[] = Array.isArray(bound)
    ? bound
    : typeof bound === "string"
      ? bound.split(",")
      : [];
  return several.some((one) => names(one, target))
    ? open("list of organizations", PRESENT, facts)
    : fails(PRESENT, "bound elsewhere", facts);
}

/** Whether a value is the id of an organization in another spelling of RFC 9562 §4, or of a common parser. */
function names(value: unknown, id: string): boolean {
  if (typeof value !== "string") return false;
  const bare = value.replace(/^urn:uuid:/i, "").replace(/^\{(.*)\}$/, "$1");
  return isSameUuid(bare, id) || isSameUuid(hyphenated(bare), id);
}

function hyphenated(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The list is about no organization. The claim limits what it shows. */
function inTheList(bound: unknown, { known: { organizations } }: Question): Outcome {
  return typeof bound === "string" && organizations.existing.includes(bound)
    ? passes("binding.present")
    : open("binding in the list", "binding.present", { value: bound });
}
