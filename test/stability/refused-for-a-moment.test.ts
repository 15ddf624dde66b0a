import { expect, test } from "vitest";

import { type Front, type FrontAnswer, runBehind } from "../support/front.ts";
import { rulesWith } from "../support/run-against.ts";

const BLOCKED: FrontAnswer = {
  status: 403,
  headers: { "content-type": "text/html" },
  body: "<h1>Blocked</h1>",
};

/** A firewall that counts refusals, and then refuses everything until so many requests have been refused by itself. */
function firewall(refusals: number, blocked: number): Front {
  let counted = 0;
  let left = 0;
  const front: Front = () => {
    if (left === 0) return undefined;
    left -= 1;
    return BLOCKED;
  };
  return Object.assign(front, {
    seen(status: number) {
      if (status < 400) return;
      counted += 1;
      if (counted % refusals === 0) left = blocked;
    },
  });
}

test.concurrent("a firewall that refuses everything for a moment makes no rule fail, and the run says so first", async () => {
  const { results, finished } = await runBehind(firewall(60, 40), {
    patterns: [
      "receiver.{order,scope-sufficient,claims-accepted,binding-accepted}",
      "errors.shape",
    ],
  });
  expect(rulesWith(results, "fail", "warn")).toEqual([]);
  expect(finished.setup[0]?.problem).toMatch(
    /^\d+ of \d+ good requests were refused, between \S+ and \S+, after \d+ refusals: 403/,
  );
  expect(finished.observations.map(({ id }) => id)).toContain("answers.refused-good");
});

test.concurrent("a case without controls is checked beside a good request at once", async () => {
  let odd = 0;
  const { results } = await runBehind(
    (_method, path) => {
      if (path.includes("page[]=1")) odd += 1;
      // From the odd request on, until it is sent a third time.
      return odd === 1 || odd === 2 ? BLOCKED : undefined;
    },
    { patterns: ["errors.shape/page-array@listOrganizations"], patienceMs: 300 },
  );
  expect(results.map(({ outcome, code }) => [outcome, code])).toEqual([
    ["inconclusive", "refused-for-a-moment"],
  ]);
});
