import { Finding, type FindingOf } from "../probe/finding.ts";
import { type Phrase, phrase } from "../probe/phrase.ts";
import { mayWrite } from "../probe/rule.ts";
import type { PlannedCase } from "./plan.ts";

/** A finding that something is violated. */
export type Violation = FindingOf<"fail">;

/**
 * Whether the case is tried a second time. Observations are not, and neither is a write whose acceptance is proof: a second
 * accepted write would only tell whether the receiver is flaky.
 */
export function needsConfirming(finding: Finding, planned: PlannedCase): finding is Violation {
  if (planned.level === "OBSERVE") return false;
  if (finding.kind !== "fail" || finding.certainty === "many") return false;
  return !(isProof(finding) && mayWrite(planned.testCase));
}

/**
 * Combines two tries of a case, the first of which showed a violation. If they disagree, a request that was accepted though
 * it had to be rejected is still proof, as long as the controls hold.
 */
export function confirmed(
  first: Violation,
  second: Finding,
): { readonly finding: Finding; readonly flaky: boolean } {
  if (second.kind === "fail" && second.atMost === first.atMost)
    return { finding: withProbes(first, second), flaky: false };
  const flaky = second.kind !== "inconclusive";
  const both = phrase`${first.actual}, then ${inShort(second)}`;
  const proof = [first, second].find(isProof);
  if (proof) {
    // Reports show the last probe as the one that decided.
    const shown = withProbes(proof, proof === first ? second : first, "before");
    return { finding: { ...shown, actual: both, comparative: true }, flaky };
  }
  const { evidence } = withProbes(first, second);
  const finding = flaky
    ? Finding.inconclusive(phrase`two tries disagree: ${both}`, evidence)
    : Finding.undecided("unconfirmed", phrase`seen once and not confirmed: ${both}`, evidence);
  return { finding, flaky };
}

function isProof(finding: Finding): finding is Violation {
  return finding.kind === "fail" && finding.certainty === "proof";
}

/** The violation with the evidence of the other try, after its own or before it. */
function withProbes(
  violation: Violation,
  other: Finding,
  where: "after" | "before" = "after",
): Violation {
  const { evidence } = violation;
  if (!evidence) return violation;
  const more = other.evidence?.probes ?? [];
  const probes = where === "after" ? [...evidence.probes, ...more] : [...more, ...evidence.probes];
  return { ...violation, evidence: { ...evidence, probes: [...new Set(probes)] } };
}

/** Whether the finding proves nothing if a control that was accepted before is not accepted afterwards. */
export function restsOnControls(finding: Finding): boolean {
  return finding.kind === "pass" || (finding.kind === "fail" && finding.comparative === true);
}

function inShort(finding: Finding): Phrase {
  switch (finding.kind) {
    case "pass":
      return phrase`as required`;
    case "fail":
      return finding.actual;
    case "inconclusive":
      return finding.reason;
    default:
      return phrase`${finding.kind}`;
  }
}
