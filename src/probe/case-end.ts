import type { Finding } from "./finding.ts";

/** Ends a case before its rule comes to a finding of its own. The engine takes it as the finding. */
export class CaseEnd extends Error {
  readonly finding: Finding;

  constructor(finding: Finding) {
    super(`the case ends: ${finding.kind}`);
    this.name = "CaseEnd";
    this.finding = finding;
  }
}

/**
 * Ends the case that is running.
 * @throws CaseEnd always
 */
export function endCase(finding: Finding): never {
  throw new CaseEnd(finding);
}
