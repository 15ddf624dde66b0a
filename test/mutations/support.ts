import { OPERATIONS } from "../../src/contract/operations.ts";
import { mintMutated } from "../../src/mutations/mint.ts";
import type { Mutation, MutationContext } from "../../src/mutations/mutation.ts";
import type { IssuerKey, Target } from "../../src/profile/target.ts";
import { draftToken, type TokenDraft, type TokenForm } from "../../src/tokens/draft.ts";
import { mintGood } from "../../src/tokens/mint.ts";
import { referenceTarget } from "../support/target.ts";

const ORGANIZATION = "11111111-1111-4111-8111-111111111111";

const form: TokenForm = { typ: "JWT", bound: true, scopes: "required", clockOffsetSeconds: 0 };

/** A target whose controls are signed with the given algorithm, and which declares every key. */
export function targetFor(algorithm: string, url = "https://issuer.example.com"): Target {
  const algorithms = ["RS256", "PS256", "ES256", "EdDSA"];
  return referenceTarget({ testIssuer: { url, algorithm, algorithms } });
}

/** A good draft for viewing an organization, and the context of its mutations. */
export function drafted(target: Target): { draft: TokenDraft; context: MutationContext } {
  const operation = OPERATIONS.viewOrganization;
  const draft = draftToken(target, operation, form, ORGANIZATION);
  const context: MutationContext = {
    target,
    operation,
    form,
    organization: ORGANIZATION,
    otherOrganization: "22222222-2222-4222-8222-222222222222",
    uuid: () => "99999999-9999-4999-8999-999999999999",
    callback: "http://127.0.0.1:9/place",
  };
  return { draft, context };
}

/** A good token and the same with one mutation, from one draft. */
export async function mintBoth(
  target: Target,
  mutation: Mutation,
): Promise<{ good: string; changed: string }> {
  const { draft, context } = drafted(target);
  return {
    good: await mintGood(draft),
    changed: (await mintMutated(draft, mutation, context)).token,
  };
}

/** The JSON text of a token's payload. */
export function payloadOf(token: string): string {
  return Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
}

/** The mutation of that name. */
export function named(mutations: readonly Mutation[], name: string): Mutation {
  const mutation = mutations.find((one) => one.name === name);
  if (!mutation) throw new Error(`no mutation ${name}`);
  return mutation;
}

/** The key of the bundled issuer for an algorithm. */
export function keyFor(target: Target, alg: string): IssuerKey {
  const key = target.testIssuer.keys.find((one) => one.alg === alg);
  if (!key) throw new Error(`the bundled issuer has no key for ${alg}`);
  return key;
}
