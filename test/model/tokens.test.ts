import { expect, test } from "vitest";

import { OPERATIONS } from "../../src/contract/operations.ts";
import { ask } from "../../src/model/ask.ts";
import { CHECKS } from "../../src/model/checks.ts";
import { passes } from "../../src/model/outcome.ts";
import { readToken } from "../../src/model/read-token.ts";
import { describeRequest } from "../../src/model/request.ts";
import { draftedToken } from "../../src/model/token.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { otherAudience } from "../../src/mutations/token/audience.ts";
import { forgedSignature } from "../../src/mutations/token/signature.ts";
import { draftToken } from "../../src/tokens/draft.ts";
import { mintGood } from "../../src/tokens/mint.ts";
import { referenceTarget } from "../support/target.ts";
import { answerTo, composed, knownAt } from "./support.ts";

const AT = Date.now();
const target = referenceTarget();
const known = knownAt(target, AT);
const organization = target.organizations.primary ?? "";

test("a draft is described as the token that is made of it", async () => {
  const form = {
    typ: "JWT",
    bound: true,
    scopes: "all",
    clockOffsetSeconds: 0,
    atMs: AT,
  } as const;
  const draft = draftToken(target, OPERATIONS.viewOrganization, form, organization);
  const { length, ...read } = readToken(await mintGood(draft), known.issuers);
  expect(length).toBeGreaterThan(100);
  expect({ ...draftedToken(draft, target.testIssuer.url), length: undefined }).toEqual({
    ...read,
    length: undefined,
  });
});

test("without the keys of the issuer, a signature is neither valid nor invalid", async () => {
  const unknown = { ...known, issuers: [{ url: target.testIssuer.url, keys: undefined }] };
  const request = await composed(target, forgedSignature, { operation: "viewOrganization" }, AT);
  expect(answerTo(unknown, request)).toMatchObject({
    says: "open",
    gap: { what: "keys not known" },
  });
  expect(answerTo(known, request)).toMatchObject({ says: "rejected" });
});

const longer: Mutation = {
  name: "longer",
  what: "`aud` begins with the right value",
  token: { claims: { aud: `${target.audience}/orgs` } },
};

test("with one check replaced, the model answers as a receiver would that makes it wrongly", async () => {
  const byPrefix = {
    ...CHECKS,
    audience: ((question) =>
      String(question.token?.claims?.["aud"]).startsWith(target.audience)
        ? passes("checks.audience")
        : CHECKS.audience(question)) satisfies typeof CHECKS.audience,
  };
  const answers = [];
  for (const mutation of [longer, otherAudience]) {
    const { request, token } = await composed(
      target,
      mutation,
      { operation: "viewOrganization" },
      AT,
    );
    const asked = [
      known,
      describeRequest(request, token),
      readToken(token, known.issuers),
    ] as const;
    answers.push([ask(...asked).says, ask(...asked, byPrefix).says]);
  }
  expect(answers).toEqual([
    ["rejected", "accepted"],
    ["rejected", "rejected"],
  ]);
});

test("a rejection names every check that fails, in the contract's order, and 403 only for local policy alone", async () => {
  const both: Mutation = {
    name: "both",
    what: "`aud` and `scope` are wrong",
    token: { claims: { scope: "openid", aud: "https://another.example" } },
  };
  const two = answerTo(known, await composed(target, both, { operation: "editOrganization" }, AT));
  expect(two).toMatchObject({
    says: "rejected",
    level: "MUST",
    by: [
      { check: "audience", sentence: "checks.audience", reason: { wanted: target.audience } },
      { check: "scope", sentence: "checks.scope", reason: { wanted: "org:write" } },
    ],
  });
  expect(two).not.toHaveProperty("status");
  const denied = target.denied?.organization;
  const nothing: Mutation = { name: "nothing", what: "nothing differs" };
  const forbidden = await composed(
    target,
    nothing,
    { operation: "viewOrganization", organization: denied },
    AT,
  );
  expect(answerTo(known, forbidden)).toMatchObject({
    says: "rejected",
    status: 403,
    by: [{ part: "policy" }],
  });
});
