import type { Controls } from "../probe/controls.ts";
import type { Finding } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import { type Session, silenced } from "../probe/session.ts";
import type { Setup } from "./diagnose.ts";

/**
 * A run that has stopped after its preflight, because no good request was accepted anywhere: cases
 * are judged by what is known already, and nothing more is sent. A control that was refused stays
 * refused. What was answered so far counts for nothing, since nothing shows that the deployment
 * itself has answered it; what the profile and its document say holds all the same.
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
  reason: phrase`no good request was accepted, so that nothing shows who answers`,
};

/** A finding of a stopped run, with the reason where it had nothing to go by. */
export function explained(finding: Finding): Finding {
  return finding.kind === "inconclusive" && !finding.evidence ? NOBODY : finding;
}
