import { CHECKED_CLAIMS } from "../../../src/contract/claims.ts";
import { custom, oneRead } from "../../../src/probe/cases.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import type { RuleCase } from "../../../src/probe/rule-case.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { inCapitals } from "../mutations/claim-names.ts";

/** Cases for a claim of one of the checks 2 to 5, `<claim>-in-capitals@<operation>`. */
export function rejectsInCapitals(facts: Facts, claim: string): RuleCase[] {
  const earlier = CHECKED_CLAIMS.slice(
    0,
    CHECKED_CLAIMS.findIndex(({ name }) => name === claim),
  );
  return custom(oneRead(facts), [inCapitals(claim)], (probe) => judge(probe, claim)).map((one) => ({
    ...one,
    dependsOn: earlier.map(({ name, checkedBy }) => `${checkedBy.rule}/${inCapitals(name).name}`),
  }));
}

/**
 * Judges that a receiver does not accept a claim under its name in capitals. Not applicable where the
 * receiver does not notice that the claim is missing. Where one decoder ignores the case of every
 * name, only the first of the checked claims is blamed.
 */
async function judge(probe: Probe, claim: string): Promise<Finding> {
  const finding = await probe.rejects(inCapitals(claim));
  if (finding.kind !== "fail") return finding;
  if (!(await isMissed(probe, claim))) {
    return {
      kind: "not-applicable",
      reason: phrase`a token without \`${claim}\` is accepted as well`,
    };
  }
  for (const { name: earlier, checkedBy } of CHECKED_CLAIMS) {
    if (earlier === claim) break;
    const other = await probe.rejects(inCapitals(earlier));
    if (other.kind === "fail" && (await isMissed(probe, earlier))) {
      const reason = phrase`names in capitals are read for \`${earlier}\` too, which ${checkedBy.rule} reports`;
      return {
        kind: "inconclusive",
        reason,
        ...(finding.evidence && { evidence: finding.evidence }),
      };
    }
  }
  return finding;
}

async function isMissed(probe: Probe, claim: string): Promise<boolean> {
  const without = await probe.rejects({
    name: "missing",
    what: `there is no \`${claim}\``,
    token: { claims: { [claim]: undefined } },
  });
  return without.kind === "pass";
}
