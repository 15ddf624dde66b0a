import { type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import { judgedBy, oneRead } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { acceptance } from "../../src/probe/judge-attempt.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { reception } from "../../src/probe/reception.ts";
import { type CaseData, defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Facts } from "../../src/profile/facts.ts";
import type { IssuerKey } from "../../src/profile/target.ts";
import { keyName, namedKeys } from "./signature/known-issuer.ts";
import { goodUnder, signedWith } from "./ways/under-key.ts";

/** Every key of the set counts, and the header says which. RS256 is required of whoever follows RFC 9068. */
const SOURCE = "contract, Model, Receiver checks 1; RFC 7517 §5; RFC 7515 §4.1.4";

interface KeyCase extends CaseData {
  readonly operation: OperationId;
  /** Absent where the issuer has no such key. */
  readonly key?: IssuerKey;
}

export const rule: Rule = defineRule({
  id: "receiver.keys",
  title: "A good token is accepted under every declared key of the issuer",
  level: "MUST",
  verifies: [
    "authentication.public-keys",
    "checks.signature",
    "rfc7519.acceptable-algorithms",
    "rfc7515.alg",
    "rfc7515.kid",
    "rfc7517.key-set",
  ],
  dependsOn: ["receiver.isolation/side-by-side"],
  cases: (facts) =>
    judgedBy(
      oneRead(facts).flatMap((operation) => casesOf(facts, operation)),
      judge,
    ),
});

async function judge(probe: Probe, { key, operation }: KeyCase): Promise<Finding> {
  if (!key) {
    const { alg } = probe.target.testIssuer.key;
    const reason = phrase`the issuer has only one key for ${alg}; \`keys generate\` makes two`;
    return Finding.notApplicable(reason);
  }
  const found = await probe.tryControl(operation);
  if ("control" in found && key.kid === probe.target.testIssuer.key.kid) {
    const { exchange } = found.control;
    return Finding.pass({ probes: [exchange], controls: [exchange] });
  }
  if (!OPERATIONS[operation].writes) return probe.accepts(signedWith(key));
  // Accepted writes are limited, so this one is also the control of other rules. A lost answer may come if it is sent again.
  const shared = goodUnder(key, operation);
  const first = await probe.use(shared);
  return acceptance(reception(first.reply) === "unclear" ? await shared.setup(probe) : first);
}

/** One case per key, named as `namedKeys` does. */
function casesOf({ testIssuer, issued }: Facts, operation: OperationId): KeyCase[] {
  const grounds = { source: SOURCE };
  if (issued) {
    const title = "a good token under each key that the profile declares";
    return [{ id: `each@${operation}`, title, operation, grounds, needs: ["testIssuer"] }];
  }
  const cases = namedKeys(testIssuer.keys).map(({ name, key }): KeyCase => {
    const declared = testIssuer.algorithms.includes(key.alg);
    return {
      id: `${name}@${operation}`,
      title: `a good token for ${key.alg}${declared ? "" : ", which the profile does not declare"}`,
      operation,
      grounds: key.alg === "RS256" ? { source: `${SOURCE}; RFC 9068 §2.1` } : grounds,
      key,
      ...(!declared && { level: "OBSERVE" }),
    };
  });
  const { alg } = testIssuer.key;
  const title = `a good token under another key for ${alg}`;
  return testIssuer.keys.filter((key) => key.alg === alg).length === 1
    ? [...cases, { id: `${keyName(alg, 2)}@${operation}`, title, operation, grounds }]
    : cases;
}
