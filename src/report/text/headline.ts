import { counted } from "../../lib/words.ts";
import { blockersOf } from "../blockers.ts";
import { newFailures } from "../groups.ts";
import type { Report } from "../report.ts";
import { routes } from "./blockers.ts";
import { isWhole } from "./diagnosis.ts";

/** A longer cause would not be read at a glance. */
const MOST_WORDS = 10;

/** What decided the verdict, in at most ten words; `undefined` where nothing has to be said. */
export function headline(report: Report): string | undefined {
  switch (report.verdict) {
    case "conformant":
      return undefined;
    case "partial":
      return report.partialBecause.find(isShort);
    case "incomplete":
      return whatIsMissing(report);
    case "non-conformant":
      return whatFailed(report);
  }
}

function whatFailed(report: Report): string | undefined {
  const [worst] = newFailures(report);
  if (!worst) return undefined;
  const { rule, cases } = worst;
  const found = report.diagnoses.find(
    (one) => one.rule === rule.id && isWhole(one) && isShort(one.behaves),
  );
  return found?.behaves ?? `${counted(cases.length, "case")} of \`${rule.id}\` failed`;
}

function whatIsMissing(report: Report): string | undefined {
  const [blocker] = blockersOf(report);
  if (!blocker || blocker.musts === 0) return undefined;
  const { cause, musts } = blocker;
  const said =
    cause.kind === "refused"
      ? `${routes(cause.operations)} ${cause.operations.length === 1 ? "refuses" : "refuse"} the good request`
      : cause.reason;
  return isShort(said) ? said : `${counted(musts, "MUST case")} could not be judged`;
}

function isShort(text: string): boolean {
  return text.split(/\s+/).length <= MOST_WORDS;
}
