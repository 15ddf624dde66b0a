import { expect, test } from "vitest";

import { consentsHere } from "../../src/cli/consents.ts";
import { readKnownFaults, withoutClient } from "../../src/engine/conclusion/signatures.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Facts } from "../../src/profile/facts.ts";
import { profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import { startReference } from "../../src/reference/index.ts";
import { RULES } from "../../suites/index.ts";

/** A section of an RFC, of OpenAPI, a CVE, a CWE, an advisory, or an issue as `owner/repository#1`. */
const PUBLIC_SOURCE =
  /\b(?:RFC \d+ (?:§|sections? |appendix )|OpenAPI \d\.\d sections? |CVE-\d|CWE-\d|GHSA-|[\w.-]+\/[\w.-]+#\d)/;

const { signatures } = readKnownFaults();
const SEEN = new Set(
  signatures.flatMap(({ rule, fail = [], warn = [] }) =>
    [...fail, ...warn].map((id) => `${rule}/${id}`),
  ),
);

/** The judging cases of which neither a known fault nor a public source shows what they are for. */
function ungrounded(rules: readonly Rule[], facts: Facts): string[] {
  return rules.flatMap((rule) =>
    rule.cases(facts).flatMap(({ id, level = rule.level, grounds, inapplicable }) => {
      const name = `${rule.id}/${withoutClient(id)}`;
      const judges = level !== "OBSERVE" && inapplicable === undefined;
      return judges && !SEEN.has(name) && !PUBLIC_SOURCE.test(grounds?.source ?? "") ? [name] : [];
    }),
  );
}

/** What is known of the reference receiver, with its authorization server: every case applies. */
async function referenceFacts(): Promise<Facts> {
  const receiver = await startReference({ jwks: `${packageRoot}/keys/jwks.json` });
  await receiver.close();
  return consentsHere(resolveTarget({ profile: profileFromObject(receiver.profile) }));
}

const facts = await referenceFacts();

test("each judging case has a fault that it sees, or names a public source", () => {
  expect(ungrounded(RULES, facts)).toEqual([]);
});

test("a case with neither is found, whatever the contract says of it", () => {
  const rule = defineRule({
    id: "receiver.invented",
    title: "An invented rule",
    level: "MUST",
    cases: () =>
      [
        { id: "contract", grounds: { source: "contract, Receiver checks 6" } },
        { id: "observed", level: "OBSERVE" as const },
        { id: "inapplicable", inapplicable: "not here" },
        { id: "section", grounds: { source: "contract, Errors; RFC 9110 §15.5.5" } },
        { id: "issue", grounds: { source: "contract, Errors; owner/repository#7" } },
      ].map((one) => ({ ...one, judge: () => Promise.resolve({ kind: "pass" }) })),
  });
  expect(ungrounded([rule], facts)).toEqual(["receiver.invented/contract"]);
});
