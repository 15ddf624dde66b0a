import type { Finding } from "./finding.ts";

/** Ends a case before its rule has a finding. The engine takes `finding` as the case's finding. */
export class CaseEnd extends Error {
  readonly finding: Finding;

  constructor(finding: Finding) {
    super(`the case ends: ${finding.kind}`);
    this.name = "CaseEnd";
    this.finding = finding;
  }
}

/** Ends the current case, by throwing a CaseEnd. */
export function endCase(finding: Finding): never {
  throw new CaseEnd(finding);
}

/** The value, or `undefined` where the case would end. For rules that go on without it. */
export async function optional<T>(value: Promise<T>): Promise<T | undefined> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof CaseEnd) return undefined;
    throw error;
  }
}

/** Waits for all values. Then throws the first CaseEnd among them, in order. */
export async function together<const T extends readonly Promise<unknown>[]>(
  values: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(values);
  return Promise.all(values);
}
