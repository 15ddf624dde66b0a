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

/** For the few that go on where the case would end: `undefined` then. */
export async function optional<T>(value: Promise<T>): Promise<T | undefined> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof CaseEnd) return undefined;
    throw error;
  }
}

/**
 * Waits for all, so that nothing is under way any more where the case ends.
 * @throws CaseEnd as the first of them in order
 */
export async function together<const T extends readonly Promise<unknown>[]>(
  values: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(values);
  return Promise.all(values);
}
