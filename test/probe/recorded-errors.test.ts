import { describe, expect, test } from "vitest";

import type { Reply } from "../../src/http/exchange.ts";
import {
  type ErrorAnswer,
  judgeErrorBody,
  type JudgedError,
} from "../../src/probe/errors/error-record.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { gistOf } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { toldOf } from "../../src/probe/told-exchange.ts";
import { judgeRecordedErrors } from "../../suites/shared/recorded-errors.ts";
import { exchange as exchangeOf } from "../report/events.ts";
import { worded } from "../support/worded.ts";

const fine = judgeErrorBody(answer(401));
const empty = judgeErrorBody(answer(401, ""));

/** A request that differs in one thing, and its answer but for the body. */
const told = {
  ...exchangeOf("x", {
    request: {
      method: "GET",
      url: "https://sync.example.com/base/orgs/1?page=2",
      headers: [],
      token: { mutation: "other-scope" },
    },
  }),
  response: { status: 401, headers: {}, truncated: false },
};

let exchanges = 0;

/** An answer as it was recorded; `next` is the answer that the same request gets again. */
function seen(
  judged: JudgedError,
  next = answer(judged.status, judged.problems.length > 0 ? "" : undefined),
): ErrorAnswer {
  return {
    ...judged,
    operation: "viewOrganization",
    arrived: ++exchanges,
    exchange: `x${exchanges}`,
    ...toldOf({ ...told, response: { ...told.response, body: next.body } }),
    again: async () => next,
  };
}

/** An answer, by default with an Error body. */
function answer(
  status: number,
  body = JSON.stringify({ status, message: "no", errors: [] }),
): Reply {
  return {
    exchange: { id: "again" } as never,
    status,
    headers: { "content-type": "application/json" },
    body,
    cut: false,
    isUtf8: true,
    keep() {},
    hasBody: body !== "",
    json: () => (body === "" ? undefined : (JSON.parse(body) as unknown)),
  };
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
      "4 of 5 error answers: the body is empty, with 401 (2 times), 403 (once), for example GET /base/orgs/1?page=2 (other-scope); the body is not JSON, with 404 (once), for example GET /base/orgs/1?page=2 (other-scope)",
    evidence: { probes: [first, html] },
  });
});

test("names a few kinds of wrong answers, and counts the rest", async () => {
  const answers = Array.from({ length: 5 }, (_, n) => seen({ ...fine, problems: [`wrong ${n}`] }));
  expect(worded(await judge(answers))).toMatchObject({
    actual: expect.stringMatching(
      /^5 of 5 .*wrong 2, with 401 \(once\), for example GET [^;]*; and 2 more kinds of answers$/,
    ),
  });
});

test("names the request of a wrong answer and the beginning of its body, which no gist has", async () => {
  const html = { ...fine, problems: ["the body is not JSON"] };
  const found = await judge([seen(fine), seen(html, answer(404, "<html>\n <h1>Oh no</h1>"))]);
  const other = await judge([seen(fine), seen(html, answer(404, "<p>No</p>"))]);
  expect(worded(found)).toMatchObject({
    actual:
      '1 of 2 error answers: the body is not JSON, with 401 (once), for example GET /base/orgs/1?page=2 (other-scope), body "<html> <h1>Oh no</h1>"',
  });
  const gists = [found, other].map((one) => one.kind === "fail" && gistOf(one.actual));
  expect(gists[0]).toBe(gists[1]);
  expect(gists[0]).not.toContain("/base");
});

test("shows a hostile body and path short, and without control characters", async () => {
  const hostile = `\u001B[2J\u202E\uD800"${"\u0000 x".repeat(100_000)}`;
  const url = `https://sync.example.com/${"y".repeat(100_000)}`;
  const shown = toldOf({
    ...told,
    request: { ...told.request, url },
    response: { ...told.response, body: hostile },
  });
  const found = worded(await judge([{ ...seen({ ...fine, problems: ["odd"] }), ...shown }]));
  const { actual = "" } = found as { actual?: string };
  expect(actual).toContain("/yyyy");
  expect(actual.length).toBeLessThan(500);
  expect(actual).not.toMatch(/\p{C}/u);
});

describe("a violation is confirmed", () => {
  const right = answer(401);
  test("if any wrong answer is wrong again", async () => {
    const answers = [seen(empty, right), seen({ ...empty, problems: ["other"] })];
    expect((await judge(answers, true)).kind).toBe("fail");
  });
  test("but not if the answer is right the second time", async () => {
    expect((await judge([seen(empty, right)], true)).kind).toBe("pass");
  });
  test.each([
    ["a gateway's answer", answer(503, "")],
    ["an answer that is no longer an error", answer(200, "{}")],
  ])("but not by %s", async (_what, next) => {
    expect((await judge([seen(empty, next)], true)).kind).toBe("inconclusive");
  });
});
