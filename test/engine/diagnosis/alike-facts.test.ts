import { describe, expect, it } from "vitest";

import { alikeFacts } from "../../../src/engine/conclusion/facts/alike.ts";
import type { CaseResult } from "../../../src/engine/events.ts";
import { inWords, type Phrase, phrase } from "../../../src/probe/phrase.ts";

const RULE = "receiver.binding";

function violated(...saw: readonly Phrase[]): CaseResult[] {
  return saw.map((actual, at) => ({
    id: `${RULE}/tried-${at}@viewOrganization`,
    rule: RULE,
    operation: "viewOrganization",
    level: "MUST",
    outcome: "warn",
    actual,
  }));
}

function said(results: readonly CaseResult[], isExplained = false): string[] {
  return alikeFacts(results, () => isExplained).map(({ says }) => (says ? inWords(says) : ""));
}

const failed = phrase`${{ kind: "answer", status: 500 }}`;
const served = phrase`${{ kind: "answer", status: 200 }}`;

describe("what all violated cases of a rule saw", () => {
  it("is said where nothing else explains the rule", () => {
    const [fact, ...others] = said(violated(failed, failed, failed));
    expect(others).toEqual([]);
    expect(fact).toBe("All 3 violated cases saw the same: 500 Internal Server Error");
  });

  it("is an example where values of the deployment differ", () => {
    const [fact] = said(
      violated(...["one", "two"].map((value) => phrase`the name ${{ kind: "value", value }}`)),
    );
    expect(fact).toBe("All 2 violated cases are alike, for example: the name one");
  });

  it("is not said where cases saw different things, or one case alone", () => {
    expect(said(violated(failed, served))).toEqual([]);
    expect(said(violated(failed))).toEqual([]);
  });

  it("is not said where all were accepted, and nothing more", () => {
    expect(said(violated(served, served))).toEqual([]);
  });

  it("is not said beside an explanation", () => {
    expect(said(violated(failed, failed), true)).toEqual([]);
  });
});
