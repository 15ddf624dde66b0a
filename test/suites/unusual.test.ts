import { decodeJwt } from "jose";
import { expect, test } from "vitest";

import type { Patch } from "../../src/reference/steps.ts";
import { runAgainstReference } from "../support/run-against.ts";

test("the second subject is tried although another unusual part is refused", async () => {
  const forgotten: Patch = {
    checkExpiry: (original) => (call) =>
      call.claims["sub"] === "svc-partner" ? undefined : original(call),
  };
  const { results } = await runAgainstReference(
    { faults: ["scheme-case-sensitive"], patches: [forgotten] },
    { patterns: ["receiver.expiry/hour-ago-unusual@*"] },
  );
  expect(results.map(({ outcome, actual }) => [outcome, actual])).toEqual([
    ["fail", "200 OK, already if `sub` is the second subject, `denied.subject` of the profile"],
  ]);
});

test.each([
  ["verifySignature", "receiver.signature"],
  ["checkIssuer", "receiver.issuer"],
  ["checkAudience", "receiver.audience"],
  ["checkExpiry", "receiver.expiry"],
  ["checkScope", "receiver.scope"],
  ["checkBinding", "receiver.binding"],
  ["applyPolicy", "receiver.local-policy"],
] as const)("%s may not be left out for what the client has already", async (check, rule) => {
  const patch: Patch = {
    checks: (original) => (call) =>
      original(call).filter((one) => one !== check || !call.headers["if-none-match"]),
  };
  const unread: Patch = {
    readCredentials: (original) => async (call) => {
      await original(call);
      if (call.headers["if-none-match"]) call.claims = decodeJwt(call.token ?? "");
    },
  };
  const { results } = await runAgainstReference(
    { patches: [patch, unread] },
    { patterns: [`${rule}/*@viewOrganization`] },
  );
  const failed = results.filter(({ outcome }) => outcome === "fail").map(({ id }) => id);
  expect(failed).toEqual([expect.stringMatching(/-if-none-match@viewOrganization$/)]);
});
