import { RECEIVER_CHECKS, type ReceiverCheck } from "../../../contract/checks.ts";
import { isUuid } from "../../../contract/uuid.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { spanInWords } from "../../../lib/spans.ts";
import { type Examined, examineToken, knownWithoutProfile } from "../../../model/examine.ts";
import { knownOf } from "../../../model/known-of.ts";
import { isOfContract } from "../../../model/outcome.ts";
import { readToken } from "../../../model/read-token.ts";
import type { AskedToken } from "../../../model/token.ts";
import { clauseOf, failureInWords, gapInWords, reasonInWords } from "../../../model/words.ts";
import type { Target } from "../../../profile/target.ts";

/** What one receiver check, or the table of claims, says of a token. */
export interface Part {
  readonly part: ReceiverCheck | "claims";
  /** `ok`; how binding its failure is; `open` by the contract; or `unknown`, because only the receiver knows. */
  readonly state: "ok" | "MUST" | "SHOULD" | "open" | "unknown";
  /** As a phrase. It may quote the token's claims. */
  readonly why: string;
}

/** Values of `typ` that receivers commonly take; the contract does not choose one of them. */
const TYPS = ["JWT", "at+jwt", "application/at+jwt", undefined];
const NO_PROFILE = "there is no profile to compare it with";

/**
 * Explains a token by the model, in the order of the receiver checks. Sends nothing: the keys are the profile's.
 * @param nowSeconds since the epoch
 */
export function explainedParts(
  text: string,
  target: Target | undefined,
  nowSeconds: number,
): Part[] {
  const now = { earliest: nowSeconds, latest: nowSeconds };
  const known = { ...(target ? knownOf(target, now) : knownWithoutProfile(now)), typs: TYPS };
  const token = readToken(text, known.issuers);
  const examined = examineToken(known, token);
  const claims = token.claims ?? {};
  const of = (part: Part["part"]): readonly Examined[] =>
    examined.filter((one) => one.part === part);
  return [
    ...RECEIVER_CHECKS.map((part) => {
      switch (part) {
        case "scope":
          return ofScope(of(part));
        case "binding":
          return ofBinding(of(part), claims, target);
        case "policy":
          return ofPolicy(of(part), claims, target);
        default:
          return explained(part, of(part), passedWords(part, token, nowSeconds), target);
      }
    }),
    explained("claims", of("claims"), "every required claim is present", target),
  ];
}

/** The strongest outcome of several. */
function explained(
  part: Part["part"],
  examined: readonly Examined[],
  passed: string,
  target: Target | undefined,
): Part {
  const failed = examined.flatMap(({ outcome }) => (outcome.is === "fails" ? [outcome] : []));
  if (failed.length > 0) {
    const state = failed.some(({ level }) => level === "MUST") ? "MUST" : "SHOULD";
    const why = failed.map(failureInWords);
    return { part, state, why: [...new Set(why)].join("; ") };
  }
  const gaps = examined.flatMap(({ outcome }) => (outcome.is === "open" ? [outcome.gap] : []));
  const [gap] = [...gaps.filter(isOfContract), ...gaps];
  if (!gap) return { part, state: "ok", why: passed };
  if (!isOfContract(gap))
    return { part, state: "unknown", why: target ? gapInWords(gap) : NO_PROFILE };
  const where = gap.sentence === undefined ? "" : ` [${clauseOf(gap.sentence)}]`;
  return { part, state: "open", why: `${gapInWords(gap)}${where}` };
}

function passedWords(
  part: ReceiverCheck,
  { signature, header = {}, claims = {} }: AskedToken,
  now: number,
): string {
  if (part === "signature" && signature.is === "valid") {
    return `the key ${String(signature.kid)} verifies it with ${String(header["alg"])}`;
  }
  if (part === "expiry") return `expires in ${spanInWords(Number(claims["exp"]) - now)}`;
  return String(claims[part === "issuer" ? "iss" : "aud"]);
}

function ofScope(examined: readonly Examined[]): Part {
  const covered = examined.filter(({ outcome }) => outcome.is === "passes");
  const isOpen = examined.some(({ outcome }) => outcome.is === "open");
  const [first] = examined;
  if (isOpen || first?.outcome.is !== "fails" || first.outcome.reason.what !== "lacks scope") {
    if (covered.length === 0) return explained("scope", examined, "", undefined);
  }
  if (covered.length === 0) {
    return { part: "scope", state: "MUST", why: "it covers no operation" };
  }
  const lacking = examined.flatMap(({ outcome, operation }) =>
    outcome.is === "fails" ? [`${operation} (${String(outcome.reason.wanted)})`] : [],
  );
  const names = covered.map(({ operation }) => operation).join(", ");
  const rest = lacking.length > 0 ? `; not ${lacking.join(", ")}` : "";
  return { part: "scope", state: "ok", why: `it covers ${names}${rest}` };
}

/** A token is not for one organization in particular, so a failure on some shows only what it is bound to. */
function ofBinding(
  examined: readonly Examined[],
  claims: JsonObject,
  target: Target | undefined,
): Part {
  const part = "binding";
  const { bindingClaim } = target ?? {};
  if (!target) return { part, state: "unknown", why: NO_PROFILE };
  if (bindingClaim === undefined) {
    const why = "the profile has no `claimsNamespace`, so the claim's name is not known";
    return { part, state: "unknown", why };
  }
  if (!Object.hasOwn(claims, bindingClaim))
    return explained(part, examined, "it is unbound", target);
  const bound = claims[bindingClaim];
  const good = examined.find(({ outcome }) => outcome.is === "passes")?.organization;
  const where = good === undefined ? undefined : placeOf(good, target);
  if (where !== undefined) return { part, state: "ok", why: `good for ${good} alone, ${where}` };
  const open = examined.filter(({ outcome }) => outcome.is === "open");
  if (open.length > 0) return explained(part, open, "", target);
  return isUuid(bound)
    ? { part, state: "unknown", why: `good for ${bound} alone, which the profile does not name` }
    : { part, state: "MUST", why: `${bindingClaim} is not a UUID, so it equals no organization` };
}

function placeOf(id: string, { organizations, denied }: Target): string {
  if (id === organizations.primary) return "organizations.primary";
  if (id === organizations.other) return "organizations.other";
  return id === denied?.organization ? "denied.organization" : "which the profile names";
}

/** The only part of local policy that the suite knows is the denial that the profile names. */
function ofPolicy(
  examined: readonly Examined[],
  claims: JsonObject,
  target: Target | undefined,
): Part {
  const part = "policy";
  const hidden = "local policy cannot be seen from outside";
  const denial = examined.find(({ outcome }) => outcome.is === "fails");
  if (denial?.outcome.is !== "fails") return { part, state: "unknown", why: hidden };
  const pair = `the profile says that ${reasonInWords(denial.outcome.reason)}`;
  return claims[target?.bindingClaim ?? ""] === denial.organization
    ? { part, state: "MUST", why: pair }
    : { part, state: "unknown", why: `${hidden}; ${pair}` };
}
