import { existsSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import type { Patch } from "../../src/reference/steps.ts";
import { rulesWith, runAgainstReference, unsettled } from "../support/run-against.ts";

/** The protocol's published document; it is not this project's, so the repository has no copy. */
const BESIDE = "../shared/commongrants/openapi.0.4.0.yaml";
const DOCUMENT = join(packageRoot, BESIDE);

function revised(one: unknown): unknown {
  const isRevision = typeof one === "object" && one !== null && "createdAt" in one;
  return isRevision ? { ...one, lastModifiedAt: one.createdAt } : one;
}

/** The document's envelope, and the time that its revisions have besides. */
const asDocumented: Patch = {
  shape: (original) => (content) => {
    const named =
      "items" in content
        ? { ...content, items: content.items.map(revised) }
        : { data: revised(content.data) };
    return { status: 200, message: "Success", ...(original(named) as object) };
  },
};

test.skipIf(!existsSync(DOCUMENT))(
  `a receiver as the CommonGrants document has it is certified with that alone (skipped if ${BESIDE} does not exist)`,
  async () => {
    const { finished, results } = await runAgainstReference(
      { patches: [asDocumented] },
      { profile: { openapi: DOCUMENT, operations: null } },
    );
    expect(unsettled(results)).toEqual([]);
    expect(finished.verdict).toBe("conformant");
    const judged = new Set(
      results.filter(({ outcome }) => outcome === "pass").map(({ operation }) => operation),
    );
    expect(OPERATION_IDS.filter((id) => !judged.has(id))).toEqual([]);
    expect(rulesWith(results, "not-provisioned")).toEqual([]);
  },
);
