import { expect, test } from "vitest";

import { type Front, type FrontAnswer, runBehind } from "../support/front.ts";

const REFUSED: FrontAnswer = {
  status: 403,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ status: 403, message: "The policy of the route forbids it.", errors: [] }),
};
const PATTERNS = ["receiver.{issuer,audience,expiry}", "resources.*"];
const CAUSE = /had accepted before (?:was|were) refused on [A-Z]+ \/orgs\S*, where a fresh twin/;

/** A gateway that keeps the policy of the first route with the token. */
function cachingPolicies(): Front {
  const routes = new Map<string, string>();
  return (method, path, { authorization = "" }) => {
    if (!authorization.startsWith("Bearer ")) return undefined;
    const route = `${method} ${path.replace(/\?.*/, "").replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "{id}")}`;
    const first = routes.get(authorization) ?? route;
    routes.set(authorization, first);
    return first === route ? undefined : REFUSED;
  };
}

/** Refuses everything for a while, whatever came before. */
function refusingForAMoment(): Front {
  let requests = 0;
  return () => {
    requests += 1;
    return requests > 60 && requests < 100 ? REFUSED : undefined;
  };
}

test.concurrent("tokens that are held to the route of their first use are named as the cause", async () => {
  const { finished } = await runBehind(cachingPolicies(), { patterns: PATTERNS });
  expect(finished.setup[0]?.problem).toMatch(CAUSE);
  // Which route is the first one is chance, and so is whether a MUST is left without a verdict.
  const saysWhy = finished.verdict !== "incomplete" || CAUSE.test(finished.verdictText);
  expect(saysWhy).toBe(true);
});

test.concurrent("a moment in which good requests are refused has another cause", async () => {
  const { finished } = await runBehind(refusingForAMoment(), { patterns: PATTERNS });
  expect(finished.setup.map(({ problem }) => problem).join(" ")).not.toMatch(CAUSE);
  expect(finished.verdictText).not.toMatch(CAUSE);
});
