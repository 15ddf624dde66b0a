import { decodeJwt } from "jose";
import { expect, test } from "vitest";

import type { Patch } from "../../src/reference/steps.ts";
import { runCases } from "./support.ts";

test("the second subject is tried although another unusual part is refused", async () => {
  const forgotten: Patch = {
    checkExpiry: (original) => (call) =>
      call.claims["sub"] === "svc-partner" ? undefined : original(call),
  };
  const { results } = await runCases("receiver.expiry/hour-ago-unusual@*", {
    faults: ["scheme-case-sensitive"],
    patches: [forgotten],
  });
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
  const { results } = await runCases(`${rule}/*@viewOrganization`, { patches: [patch, unread] });
  const failed = results.filter(({ outcome }) => outcome === "fail").map(({ id }) => id);
  expect(failed).toEqual([expect.stringMatching(/-if-none-match@viewOrganization$/)]);
});
