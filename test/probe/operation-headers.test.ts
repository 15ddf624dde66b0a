import { expect, test } from "vitest";

import { accepting, runTiny } from "../engine/tiny.ts";

test("headers of an operation are sent only with it, and ${unique} is new in each request and the same as in its body", async () => {
  const { calls } = await runTiny([accepting(["editOrganization", "viewOrganization"])], {
    profile: {
      writes: true,
      operations: {
        editOrganization: {
          body: { mission: "${unique}" },
          headers: { "Idempotency-Key": "k-${unique}" },
        },
      },
    },
  });
  const keys = calls.map(({ headers }) => headers["idempotency-key"]);
  const edits = calls.filter(({ operation }) => operation === "editOrganization");
  expect(edits.length).toBeGreaterThan(1);
  expect(new Set(edits.map(({ headers }) => headers["idempotency-key"])).size).toBe(edits.length);
  for (const { headers, body } of edits) {
    expect(headers["idempotency-key"]).toBe(
      `k-${(JSON.parse(body) as { mission: string }).mission}`,
    );
  }
  expect(keys.filter((key) => key !== undefined)).toHaveLength(edits.length);
});

test("an edit sends the ETag of the last view", async () => {
  let version = 1;
  const { finished, outcomes, calls } = await runTiny([accepting(["editOrganization"])], {
    profile: {
      writes: true,
      operations: {
        editOrganization: { body: { mission: "${unique}" }, headers: { "If-Match": "${etag}" } },
      },
    },
    behaviour: ({ operation, claims, headers, organization }) => {
      if (!claims) return undefined;
      const etag = `"v${version}"`;
      if (operation === "viewOrganization") {
        return { status: 200, body: { id: organization }, headers: { etag } };
      }
      if (operation !== "editOrganization") return undefined;
      const wanted = headers["if-match"];
      if (wanted !== etag) return { status: wanted === undefined ? 428 : 412, body: {} };
      version += 1;
      return { status: 200, body: { id: organization } };
    },
  });
  expect(new Set(Object.values(outcomes))).toEqual(new Set(["pass"]));
  expect(finished.verdict).not.toBe("incomplete");
  expect(calls.some(({ headers }) => headers["if-match"]?.includes("$"))).toBe(false);
  expect(version).toBeGreaterThan(2);
});
