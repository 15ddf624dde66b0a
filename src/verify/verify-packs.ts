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
  let whole: Verification = await verifyReport(report, rules);
  const unknownPacks: string[] = [];
  for (const [index, found] of (report.packs ?? []).entries()) {
    const pack = packs.find(({ id, version }) => id === found.id && version === found.version);
    if (!pack) {
      unknownPacks.push(found.title);
      continue;
    }
    const own = await verifyReport(reportOfPack(report, found), pack.rules);
    const place = `/packs/${index}`;
    whole = {
      ...whole,
      consistent: whole.consistent && own.consistent,
      discrepancies: [
        ...whole.discrepancies,
        ...own.discrepancies.map((one) => ({ ...one, where: `${place}${one.where}` })),
      ],
      cases: whole.cases + own.cases,
      judgedAgain: whole.judgedAgain + own.judgedAgain,
      unjudged: whole.unjudged + own.unjudged,
      taken: [...whole.taken, ...own.taken],
    };
  }
  return unknownPacks.length > 0 ? { ...whole, unknownPacks } : whole;
}
