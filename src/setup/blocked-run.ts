import type { Controls } from "../probe/controls/controls.ts";
import type { Finding } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import { type Session, silenced } from "../probe/session.ts";
import type { Setup } from "./diagnose.ts";

/**
 * Prepares a run that stopped after its preflight because no good request was accepted anywhere.
 * Cases are judged by what is known, and nothing more is sent. A refused control stays refused.
 * Earlier responses count for nothing, because nothing shows that the deployment itself sent them.
 * What the profile and its document say still counts.
 */
export function blocked(
  session: Session,
  controls: Controls,
  { results }: Setup,
): { session: Session; controls: Controls } {
  const unknown = { refusal: { finding: NOBODY } };
  return {
    session: silenced(session),
    controls: { ...controls, get: (id) => Promise.resolve(results.get(id) ?? unknown) },
  };
}

const NOBODY: Finding = {
  kind: "inconclusive",
  reason: phrase`no good request was accepted, so nothing shows that the deployment itself answers`,
};

/** A finding of a stopped run. Adds the reason where the finding has no evidence. */
export function explained(finding: Finding): Finding {
  return finding.kind === "inconclusive" && !finding.evidence ? NOBODY : finding;
}
