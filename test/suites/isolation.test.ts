import { expect, test } from "vitest";

import { rule } from "../../suites/receiver/isolation.ts";
import { OTHER, PRIMARY, refusal, runTiny } from "../engine/tiny.ts";

const patterns = ["receiver.isolation/side-by-side@viewOrganization"];

test("where nothing overlaps, nothing is concluded", async () => {
  const { results } = await runTiny([rule], {
    patterns,
    concurrency: 1,
    behaviour: ({ claims, organization }) =>
      String(claims?.["scope"]).split(" ").includes("org:read")
        ? { status: 200, body: { id: organization } }
        : refusal(403),
  });
  const [{ outcome, reason } = {}] = results;
  expect(outcome).toBe("inconclusive");
  expect(reason).toMatch(/no two requests were under way at once/);
});

test("a limit of what is asked at once is no crossing of tokens", async () => {
  let underWay = 0;
  const { results } = await runTiny([rule], {
    patterns,
    async behaviour({ claims, organization }) {
      underWay += 1;
      await new Promise((done) => setImmediate(done));
      const crowded = underWay > 1;
      underWay -= 1;
      return !crowded && String(claims?.["scope"]).split(" ").includes("org:read")
        ? { status: 200, body: { id: organization === OTHER ? OTHER : PRIMARY } }
        : refusal(403);
    },
  });
  expect(results.map(({ outcome }) => outcome)).not.toContain("fail");
});
