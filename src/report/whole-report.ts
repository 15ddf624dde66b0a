import { requirementsVersion } from "../contract/requirements.ts";
import { SuiteError } from "../lib/errors.ts";
import { suiteVersion } from "../lib/package-root.ts";
import type { Report } from "./report.ts";
import { reportSchema } from "./schema/report.ts";
import { storedReport } from "./stored.ts";
import { printable } from "./untrusted.ts";

/**
 * A whole report of this version from parsed JSON, or a phrase that names the first problem.
 * @throws SuiteError when another version of the suite made it, or one that did not record the facts
 */
export function wholeReport(json: unknown): Report | string {
  const stored = storedReport(json);
  if (typeof stored === "string") return stored;
  checkVersion(stored);
  if (stored.plan && !stored.plan.facts) {
    throw new SuiteError(
      "ERR_REPORT",
      "It lacks plan.facts, so that its plan cannot be made again",
      {
        hint: "A development version made it. Run again with this one, and take the new report.",
      },
    );
  }
  const { success, data, error } = reportSchema.safeParse(json);
  if (success) return data;
  const [issue] = error.issues;
  return printable(`${issue?.path.join(".") || "it"}: ${issue?.message}`);
}

/**
 * Checks that this version of the suite made a report.
 * @throws SuiteError when another version made it, with how to get that version
 */
export function checkVersion({
  suite: { version, requirements },
}: {
  readonly suite: Pick<Report["suite"], "version" | "requirements">;
}): void {
  if (version === suiteVersion && requirements === requirementsVersion) return;
  const made = `version ${printable(version, 40)} with the rule set ${printable(requirements, 40)}`;
  throw new SuiteError(
    "ERR_REPORT",
    `It was made by ${made}; this is version ${suiteVersion} with ${requirementsVersion}`,
    {
      hint: "Use the version that made it: check out its commit in a clone of the suite's repository and run `npm run setup`,\nor install the file that `npm pack` made of it in a folder of its own.",
    },
  );
}
