import type { Pack } from "../probe/pack.ts";
import type { Rule } from "../probe/rule.ts";
import { type Report, reportOfPack } from "../report/report.ts";
import type { Verification } from "./verification.ts";
import { verifyReport } from "./verify.ts";

/** A report judged again, with the packs that could not be, because their rules are not here. */
export interface WholeVerification extends Verification {
  /** Titles of packs. Absent where every pack was judged again. */
  readonly unknownPacks?: readonly string[];
}

/**
 * Judges a report again, and what each of its packs found. Discrepancies of all are in one list, and `verdict` is that on the
 * contract.
 * @param packs those whose rules are known
 * @throws SuiteError as `verifyReport` does
 */
export async function verifyWithPacks(
  report: Report,
  rules: readonly Rule[],
  packs: readonly Pack[],
): Promise<WholeVerification> {
  const own = await verifyReport(report, rules);
  const unknownPacks: string[] = [];
  const parts: Verification[] = [own];
  for (const [index, found] of (report.packs ?? []).entries()) {
    const pack = packs.find(({ id, version }) => id === found.id && version === found.version);
    if (!pack) {
      unknownPacks.push(found.title);
      continue;
    }
    const part = await verifyReport(reportOfPack(report, found), pack.rules);
    const discrepancies = part.discrepancies.map((one) => ({
      ...one,
      where: `/packs/${index}${one.where}`,
    }));
    parts.push({ ...part, discrepancies });
  }
  const sum = (of: "cases" | "judgedAgain" | "unjudged"): number =>
    parts.reduce((total, part) => total + part[of], 0);
  return {
    ...own,
    consistent: parts.every(({ consistent }) => consistent),
    discrepancies: parts.flatMap(({ discrepancies }) => discrepancies),
    cases: sum("cases"),
    judgedAgain: sum("judgedAgain"),
    unjudged: sum("unjudged"),
    taken: parts.flatMap(({ taken }) => taken),
    ...(unknownPacks.length > 0 && { unknownPacks }),
  };
}
