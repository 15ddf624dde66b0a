import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { JSONWebKeySet } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import type { RunningReceiver } from "../receivers/world.ts";
import { BUNDLED_JWKS, rulesWith, runAgainst, unsettled } from "../support/run-against.ts";
import { startCommonGrantsReceiver } from "./commongrants-receiver.ts";

/** The protocol's published document; it is not this project's, so the repository has no copy. */
const BESIDE = "../shared/commongrants/openapi.0.4.0.yaml";
const DOCUMENT = join(packageRoot, BESIDE);

describe.skipIf(!existsSync(DOCUMENT))(
  `a receiver built from the CommonGrants document (skipped if ${BESIDE} does not exist)`,
  () => {
    let receiver: RunningReceiver;
    beforeAll(async () => {
      receiver = await startCommonGrantsReceiver({
        jwks: JSON.parse(readFileSync(BUNDLED_JWKS, "utf8")) as JSONWebKeySet,
        issuer: "https://issuer.example.com",
        claimsNamespace: "https://example.com",
      });
    });
    afterAll(() => receiver.close());

    test("is certified with the document alone", async () => {
      expect(receiver.profile["operations"]).toEqual({});
      const profile = { ...receiver.profile, openapi: DOCUMENT };
      const { finished, results } = await runAgainst(profile);
      expect(unsettled(results)).toEqual([]);
      expect(finished.verdict).toBe("conformant");
      const judged = new Set(
        results.filter(({ outcome }) => outcome === "pass").map(({ operation }) => operation),
      );
      expect(OPERATION_IDS.filter((id) => !judged.has(id))).toEqual([]);
      expect(rulesWith(results, "not-provisioned")).toEqual([]);
    });
  },
);
