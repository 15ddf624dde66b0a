import { Finding } from "../../src/probe/finding.ts";
import { listFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import type { DeploymentDocument } from "../../src/profile/document.ts";
import { judgeByDocument } from "../shared/documented.ts";

/** The most references that are listed. */
const MOST_TOLD = 3;

const cases: readonly RuleCase[] = [
  {
    id: "openapi",
    title: "the document is valid OpenAPI",
    judge: (probe) => judgeByDocument(probe, judgeValidity),
  },
  {
    id: "own-urls",
    title: "the URLs of its authorization server are the deployment's own, not placeholders",
    judge: (probe) => judgeByDocument(probe, judgeUrls),
  },
];

export const rule: Rule = defineRule({
  id: "document.valid",
  title: "The deployment's OpenAPI document is valid, and has the deployment's own URLs",
  level: "SHOULD",
  verifies: ["authentication.own-urls"],
  phase: "record",
  cases: () => cases,
});

async function judgeValidity(document: DeploymentDocument): Promise<Finding> {
  const problems = await document.problems();
  if (problems.length === 0 && document.unresolved.length > 0) {
    return Finding.inconclusive(phrase`${listFact(toldOf(document.unresolved), "; ")}`);
  }
  if (problems.length === 0) return Finding.pass();
  return {
    kind: "fail",
    expected: phrase`a document that is valid by the schema of its OpenAPI version, references included`,
    actual: phrase`${listFact(problems, "; ")}`,
  };
}

function toldOf(unresolved: DeploymentDocument["unresolved"]): string[] {
  const told = unresolved.slice(0, MOST_TOLD).map(({ problem }) => problem);
  const more = unresolved.length - told.length;
  return more > 0 ? [...told, `and ${more} more`] : told;
}

function judgeUrls({ authorizationUrls }: DeploymentDocument): Finding {
  if (authorizationUrls.length === 0) {
    return Finding.notApplicable(phrase`the document names no URL of an authorization server`);
  }
  const left = authorizationUrls.filter(({ url }) => /[{}<>]/.test(url) || url.trim() === "");
  if (left.length === 0) return Finding.pass();
  return {
    kind: "fail",
    expected: phrase`URLs of the deployment's own authorization server`,
    actual: phrase`${listFact(
      left.map(({ where, url }) => phrase`${where} is ${valueFact(url || "empty")}`),
      "; ",
    )}`,
  };
}
