import { expect, test } from "vitest";

import { parseJson } from "../../src/lib/json.ts";
import { judgeErrorBody, owesErrorBody } from "../../src/probe/errors/error-record.ts";

test.each([
  [[400, 401, 403, 404, 409, 422, 499, 500, 501, 599], true],
  [[200, 204, 302, 399, 600], false],
  [[408, 414, 429, 431, 502, 503, 504], false],
])("whether answers of %j must have an Error body: %s", (statuses, expected) => {
  expect(statuses.map(owesErrorBody)).toEqual(statuses.map(() => expected));
});

test.each<[unknown, number | undefined]>([
  [401, 401],
  [0, 0],
  ["401", undefined],
  [401.5, undefined],
  [null, undefined],
  [undefined, undefined],
])("a status of %j in the body is read as %j", (status, expected) => {
  const body = { status, message: "no", errors: [] };
  const reply = { status: 401, headers: {}, hasBody: true, cut: false };
  const judged = judgeErrorBody({ ...reply, json: () => body });
  expect(judged.bodyStatus).toBe(expected);
});

test("an Error body in another encoding than UTF-8 is none", () => {
  const reply = { status: 401, headers: {}, hasBody: true, cut: false };
  const problems = (isUtf8: boolean): readonly string[] =>
    judgeErrorBody({
      ...reply,
      isUtf8,
      json: () => ({ status: 401, message: "\uFFFD", errors: [] }),
    }).problems;
  expect(problems(true)).toEqual([]);
  expect(problems(false)).toEqual(["the body is not UTF-8"]);
});

test("a body that is not in the coding that it claims is named", () => {
  const reply = { status: 401, headers: { "content-encoding": "gzip" }, hasBody: true, cut: false };
  expect(judgeErrorBody({ ...reply, undecoded: true, json: () => undefined }).problems).toEqual([
    "the body is not in the coding that it claims (`Content-Encoding: gzip`)",
  ]);
});

test("a byte order mark before an Error body is a problem, although it is parsed", () => {
  const text = JSON.stringify({ status: 401, message: "no", errors: [] });
  const reply = { status: 401, headers: {}, hasBody: true, cut: false };
  const problems = (body: string): readonly string[] =>
    judgeErrorBody({ ...reply, body, json: () => parseJson(body) }).problems;
  expect(problems(text)).toEqual([]);
  expect(problems(`\uFEFF${text}`)).toEqual(["the body begins with a byte order mark"]);
});
