import { describe, expect, test } from "vitest";

import { type ErrorAnswer, type JudgedError } from "../../src/probe/errors/error-record.ts";
import type { Finding } from "../../src/probe/finding.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { judgeRecordedErrors } from "../../suites/shared/recorded-errors.ts";
import { worded } from "../support/worded.ts";

const fine: JudgedError = {
  status: 401,
  problems: [],
  json: true,
  bodyStatus: 401,
  contentType: "application/json",
  cut: false,
};
const empty = { ...fine, problems: ["the body is empty"], json: false, bodyStatus: undefined };

let exchanges = 0;

/** An answer as it was recorded; `next` is the status and body that the same request gets again. */
function seen(
  judged: JudgedError,
  next: { status: number; body: string } = again(judged),
): ErrorAnswer {
  return {
    ...judged,
    operation: "viewOrganization",
    arrived: ++exchanges,
    exchange: `x${exchanges}`,
    mutation: "y",
    again: async () => ({
      exchange: { id: "again" } as never,
      headers: {},
      cut: false,
      isUtf8: true,
      ...next,
      keep() {},
      hasBody: next.body !== "",
      json: () => (next.body === "" ? undefined : (JSON.parse(next.body) as unknown)),
    }),
  };
}

function again({ status, problems }: JudgedError): { status: number; body: string } {
  const body = JSON.stringify({ status, message: "no", errors: [] });
  return { status, body: problems.length > 0 ? "" : body };
}

function judge(answers: readonly ErrorAnswer[], confirming = false): Promise<Finding> {
  const probe = {
    confirming,
    seen: { errors: answers },
    use: async () => {},
  } as unknown as Probe;
  return judgeRecordedErrors(probe, "viewOrganization", {
    expected: "an Error body",
    problem: ({ problems }) => (problems.length > 0 ? problems.join("; ") : undefined),
  });
}

test("passes if every answer is right, and states their number", async () => {
  expect(worded(await judge([seen(fine), seen(fine)]))).toMatchObject({
    kind: "pass",
    reason: "2 error answers",
  });
});

test("is inconclusive without an answer to judge, for example if it was too long to be read", async () => {
  expect((await judge([])).kind).toBe("inconclusive");
  expect((await judge([seen({ ...empty, cut: true })])).kind).toBe("inconclusive");
});

test("states the number of wrong answers, their problems and statuses, the commonest first", async () => {
  const answers = [
    seen(fine),
    seen({ ...fine, status: 404, problems: ["the body is not JSON"] }),
    seen(empty),
    seen(empty),
    seen({ ...empty, status: 403 }),
  ];
  const [, html, first] = answers.map(({ exchange }) => exchange);
  expect(worded(await judge(answers))).toMatchObject({
    kind: "fail",
    actual:
      "4 of 5 error answers: the body is empty, with 401 (2 times), 403 (once); the body is not JSON, with 404 (once)",
    evidence: { probes: [first, html] },
  });
});

test("names a few kinds of wrong answers, and counts the rest", async () => {
  const answers = Array.from({ length: 5 }, (_, n) => seen({ ...fine, problems: [`wrong ${n}`] }));
  expect(worded(await judge(answers))).toMatchObject({
    actual: expect.stringMatching(
      /^5 of 5 .*wrong 2, with 401 \(once\); and 2 more kinds of answers$/,
    ),
  });
});

describe("a violation is confirmed", () => {
  const right = again(fine);
  test("if any wrong answer is wrong again", async () => {
    const answers = [seen(empty, right), seen({ ...empty, problems: ["other"] })];
    expect((await judge(answers, true)).kind).toBe("fail");
  });
  test("but not if the answer is right the second time", async () => {
    expect((await judge([seen(empty, right)], true)).kind).toBe("pass");
  });
  test.each([
    ["a gateway's answer", { status: 503, body: "" }],
    ["an answer that is no longer an error", { status: 200, body: "{}" }],
  ])("but not by %s", async (_what, next) => {
    expect((await judge([seen(empty, next)], true)).kind).toBe("inconclusive");
  });
});
