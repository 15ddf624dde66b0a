import { expect, test } from "vitest";

import type { Said } from "../../src/explore/contract-says.ts";
import type { Draw } from "../../src/explore/draws.ts";
import { exploredCase } from "../../src/explore/explored-case.ts";
import { casesOf } from "../../src/report/report.ts";
import { RULES } from "../../suites/index.ts";
import { exploreReference } from "./support.ts";

/** What the contract says of a token of another issuer. */
const BY_ISSUER: Said = {
  says: "rejected",
  rule: "receiver.issuer",
  level: "MUST",
  sentence: "checks.issuer",
  check: "issuer",
};

/** A request to view the organization with a bound token, in which one thing is judged. */
function viewing(judged: Draw["judged"], open: Draw["open"] = []): Draw {
  return { operation: "viewOrganization", bound: true, judged, open, before: [] };
}

/** What exploration once called a violation of a conforming receiver, as small as it came. A new one is a new row. */
const FOUND: readonly (readonly [variant: string, why: string, said: Said, draw: Draw])[] = [
  [
    "strays-answered",
    "a path that is not exactly a route's may be answered 2xx to anybody, with something else",
    BY_ISSUER,
    viewing(
      {
        of: "claim",
        name: "iss",
        value: { near: "issuer", edits: [{ how: "more after", n: 0 }] },
      },
      [{ of: "path", how: "slash after" }],
    ),
  ],
  [
    "urls-normalised",
    "a URL without one of the slashes after its scheme is another spelling of it to parsers of the URL Standard",
    {
      says: "rejected",
      rule: "receiver.audience",
      level: "MUST",
      sentence: "checks.audience",
      check: "audience",
    },
    viewing({
      of: "claim",
      name: "aud",
      value: { near: "audience", edits: [{ how: "without a part", n: 1 }] },
    }),
  ],
  [
    "urls-normalised",
    "a control character is no part of a URL, though parsers remove those around one",
    BY_ISSUER,
    viewing({
      of: "claim",
      name: "iss",
      value: { near: "issuer", edits: [{ how: "more before", n: 57 }] },
    }),
  ],
  [
    "urls-normalised",
    "a backslash after a host is a slash to parsers of the URL Standard",
    BY_ISSUER,
    viewing({
      of: "claim",
      name: "iss",
      value: { near: "issuer", edits: [{ how: "more after", n: 19 }] },
    }),
  ],
  [
    "long-headers-refused",
    "431 is about the length of the request, whatever must come of it",
    {
      says: "accepted",
      rule: "receiver.scope-sufficient",
      level: "MUST",
      sentence: "endpoints.view-organization",
    },
    viewing({
      of: "claim",
      name: "scope",
      value: { near: "scope", edits: [{ how: "after many words", n: 63 }] },
    }),
  ],
  [
    "long-headers-refused",
    "431 is no other answer than 403 to a subject that local policy may refuse",
    {
      says: "rejected",
      rule: "receiver.local-policy",
      level: "MUST",
      status: 403,
      sentence: "checks.local-policy-status",
      check: "policy",
    },
    viewing({
      of: "claim",
      name: "sub",
      value: { near: "subject", edits: [{ how: "before many words", n: 63 }] },
    }),
  ],
  [
    "skew-none",
    "a time that is just ahead has passed when the request arrives",
    { says: "accepted", rule: "receiver.claims-accepted", level: "SHOULD", sentence: "claims.exp" },
    viewing({
      of: "claim",
      name: "exp",
      value: { near: "time", seconds: 0, edits: [{ how: "number: fraction", n: 0 }] },
    }),
  ],
];

test.each(FOUND)("%s: %s", async (variant, _why, said, draw) => {
  const owner = RULES.find(({ id }) => id === said.rule);
  expect(owner).toBeDefined();
  if (!owner) return;
  const rule = { ...owner, dependsOn: [], cases: () => [exploredCase(owner, "found", draw, said)] };
  const { report } = await exploreReference({ variants: [variant] }, { rules: [rule] });
  expect(casesOf(report).map(({ outcome }) => outcome)).not.toContain("fail");
  expect(casesOf(report).map(({ outcome }) => outcome)).not.toContain("warn");
  expect(casesOf(report)).toHaveLength(1);
});
