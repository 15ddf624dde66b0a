import { isObject } from "../../src/lib/json.ts";
import { Finding } from "../../src/probe/finding.ts";
import { invalidBody } from "../../src/probe/openapi/invalid-body.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { describeReply } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";

const operation = "submitChange";

/** Statuses of a failed validation: 400, and 422 of RFC 9110 §15.5.21. */
const VALIDATION = new Set([400, 422]);

export const rule: Rule = defineRule({
  id: "errors.submission",
  title: "The answer to a submission that fails validation names the fields and their errors",
  level: "SHOULD",
  verifies: [
    "errors.submission-body",
    "models.submission-error.purpose",
    "models.submission-error.fields",
    "models.submission-error.elements",
    "errors.submission-elements",
  ],
  dependsOn: ["errors.shape", "errors.bad-request/invalid-body"],
  cases: () => [
    {
      id: `fields@${operation}`,
      operation,
      needs: [`operations.${operation}.invalidBody`],
      writes: "beside",
      judge: judgeFields,
    },
  ],
});

async function judgeFields(probe: Probe): Promise<Finding> {
  const { reply, evidence } = await probe.attempt(invalidBody);
  if (!VALIDATION.has(reply.status)) {
    const reason = phrase`${describeReply(reply)} is not the answer of a failed validation`;
    return Finding.inconclusive(reason, evidence);
  }
  const body = reply.json();
  const errors = isObject(body) ? body["errors"] : undefined;
  if (!Array.isArray(errors)) {
    return Finding.inconclusive(phrase`the answer has no list of errors`, evidence);
  }
  const odd = errors.findIndex((element) => !namesField(element));
  if (errors.length > 0 && odd < 0) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`each element of errors is an object with the strings field and message`,
    actual: errors.length === 0 ? phrase`errors is empty` : phrase`/errors/${odd} is none`,
    evidence,
  };
}

function namesField(element: unknown): boolean {
  return (
    isObject(element) &&
    typeof element["field"] === "string" &&
    typeof element["message"] === "string"
  );
}
