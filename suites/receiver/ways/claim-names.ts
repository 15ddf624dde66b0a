import { CHECKED_CLAIMS } from "../../../src/contract/claims.ts";
import type { InvalidMutation } from "../../../src/mutations/mutation.ts";
import { custom, oneRead } from "../../../src/probe/cases.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";

/**
 * A token whose claim for one of the checks 2 to 5 has its name in capitals. Only a reader that
 * ignores case finds it. The claim itself is absent.
 * @throws TypeError where no check reads a claim of that name
 */
function inCapitals(claim: string): InvalidMutation {
  const checked = CHECKED_CLAIMS.find(({ name }) => name === claim);
  if (!checked) throw new TypeError(`no receiver check looks at the claim ${claim}`);
  return {
    name: `${claim}-in-capitals`,
    what: `\`${claim}\` is written in capitals`,
    refused: {
      check: checked.checkedBy.check,
      why: "the name of a claim is compared exactly, including case",
      source: "contract, Token claims; RFC 7519 §7.3",
      atAnyTime: true,
    },
    token: {
      claims: ({ claims }) => ({ [claim]: undefined, [claim.toUpperCase()]: claims[claim] }),
    },
  };
}

/** Cases for a claim of one of the checks 2 to 5, `<claim>-in-capitals@<operation>`. */
export function rejectsInCapitals(facts: Facts, claim: string): RuleCase[] {
  const earlier = CHECKED_CLAIMS.slice(
    0,
    CHECKED_CLAIMS.findIndex(({ name }) => name === claim),
  );
  return custom(oneRead(facts), [inCapitals(claim)], (probe) => judge(probe, claim), {
    dependsOn: earlier.map(({ name, checkedBy }) => `${checkedBy.rule}/${inCapitals(name).name}`),
  });
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
    return Finding.notApplicable(phrase`a token without \`${claim}\` is accepted as well`);
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
