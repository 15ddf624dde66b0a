import { expect, test } from "vitest";

import { type AnyReport, behaviourOf, differences } from "../../src/proof/behaviour.ts";

const REPORT: AnyReport = {
  verdict: "non-conformant",
  writes: { editOrganization: 2 },
  rules: [
    {
      cases: [
        { id: "a/b", level: "MUST", outcome: "fail", flaky: true },
        { id: "a/c", level: "SHOULD", outcome: "inconclusive", blamedOn: "a" },
      ],
    },
  ],
};
const REQUESTS = [
  { method: "GET", path: "/base/orgs?page=2" },
  { method: "GET", path: "/base/elsewhere" },
];
const was = behaviourOf(1, REPORT, REQUESTS);

test("a behaviour consists of the run's results and the requests to the receiver", () => {
  expect(was).toEqual({
    exit: 1,
    verdict: "non-conformant",
    cases: { "a/b": "MUST, fail, flaky", "a/c": "SHOULD, inconclusive, blamed on a" },
    requests: { listOrganizations: 1, other: 1 },
    writes: { editOrganization: 2 },
  });
});

test("differences are named, except those between runs of the same version", () => {
  const is = behaviourOf(0, { ...REPORT, rules: [] }, REQUESTS);
  expect(differences([was], [was])).toEqual([]);
  expect(differences([was], [is])).toEqual([
    "exit code: 1 -> 0",
    "case a/b: MUST, fail, flaky -> absent",
    "case a/c: SHOULD, inconclusive, blamed on a -> absent",
  ]);
  expect(differences([was, is], [is, is])).toEqual([]);
});
