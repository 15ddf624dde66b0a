import { KeyObject } from "node:crypto";

import { onTestFinished } from "vitest";

import { OPERATIONS } from "../../src/contract/operations.ts";
import { createListener } from "../../src/http/listener.ts";
import { mintMutated } from "../../src/mutations/mint.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import type { IssuerKey, Target } from "../../src/profile/target.ts";
import { draftToken } from "../../src/tokens/draft.ts";
import { remoteDocuments } from "../../src/tokens/remote-documents.ts";
import { rule as audienceRule } from "../../suites/receiver/audience.ts";
import { rule as expiryRule } from "../../suites/receiver/expiry.ts";
import { rule as issuerRule } from "../../suites/receiver/issuer.ts";
import { rule as scopeRule } from "../../suites/receiver/scope.ts";
import { rule as signatureRule } from "../../suites/receiver/signature.ts";
import { referenceTarget } from "../support/target.ts";
import type { Showing } from "./access-showings.ts";
import {
  FOREIGN_KEY,
  JWKS,
  mint,
  PAIRS,
  organization,
  SECOND_KEY,
  send,
  type Receiver,
} from "./client.ts";

/** Faults of check 1, by the change that the suite would show each of them with. */
const BY_CHANGE: Readonly<Record<string, string>> = {
  "alg-none-respelled-accepted": "alg-none-capitalized",
  "alg-missing-unsigned-accepted": "alg-missing-unsigned",
  "alg-unknown-accepted": "forged-unknown-alg",
  "signature-empty-accepted": "stripped",
  "signature-missing-accepted": "signature-segment-missing",
  "signature-by-length": "signature-arbitrary",
  "verification-not-awaited": "forged",
  "eddsa-unverified": "forged-under-eddsa",
  "unknown-kid-unverified": "forged-unknown-kid",
  "absent-kid-unverified": "forged-without-kid",
  "payload-reserialized": "payload-respaced",
  "alg-ignored": "alg-missing",
  "alg-in-any-case": "alg-lower-case",
  "alg-not-tied-to-key": "alg-other-hash",
  "crit-ignored": "crit-unknown",
  "b64-false-ignored": "b64-false",
  "ecdsa-zero-accepted": "ecdsa-zero",
  "ecdsa-der-accepted": "ecdsa-der",
  "ecdsa-padded-accepted": "ecdsa-padded",
  "rsa-garbage-accepted": "rsa-garbage-after",
  "rsa-padding-ignored": "rsa-no-padding",
  "rsa-any-hash": "rsa-sha1",
  "hmac-by-public-key": "hs256-spki-pem",
  "hmac-by-jwk": "hs256-jwk",
  "hmac-by-empty-key": "hs256-empty-unknown-kid",
  "hmac-by-default-secret": "hs256-word-secret",
  "jwk-trusted": "jwk",
  "x5c-trusted": "x5c",
  "jku-trusted": "jku",
  "jku-with-issuer-trusted": "jku-query",
  "x5u-trusted": "x5u",
  "kid-as-url": "kid-url",
  "kid-as-path": "kid-empty-file",
  "kid-in-sql": "kid-sql",
  "kid-inherited": "kid-inherited-text",
  "any-issuer-discovered": "iss-url",
  "json-serialization-accepted": "json-flattened",
  "further-segments-ignored": "segments-four",
  "empty-segments-skipped": "dot-doubled",
  "claims-encrypted-accepted": "jwe-public-key-as-password",
  "repeated-claims-first": "repeated-claims",
  "repeated-alg-first": "repeated-alg",
  "payload-rest-ignored": "payload-followed",
  "payload-array-accepted": "payload-array",
  "payload-text-accepted": "payload-string",
  "payload-null-breaks": "payload-null",
  "crit-text-ignored": "crit-string",
  "signature-junk-ignored": "signature-junk",
  "payload-not-utf-8-accepted": "payload-invalid-utf-8",
  "alg-array-breaks": "alg-array",
  "claim-names-case-ignored": "iss-in-capitals",
  "claim-aud-case-ignored": "aud-in-capitals",
  "claim-exp-case-ignored": "exp-in-capitals",
  "claim-scope-case-ignored": "scope-in-capitals",
  "claims-from-header": "claims-in-header",
  "claims-from-prototype": "claims-in-prototype",
};

const keys = await Promise.all(
  PAIRS.map(async ({ alg, privateKey }): Promise<IssuerKey> => {
    const privateJwk = KeyObject.from(privateKey).export({ format: "jwk" });
    const publicJwk = JWKS.keys.find(({ kid }) => kid === alg);
    return { kid: alg, alg, privateJwk: { ...privateJwk }, publicJwk: { ...publicJwk } };
  }),
);

/** The receiver as the suite would know it, with an issuer that signs with RS256. */
function targetOf(receiver: Receiver): Target {
  const { testIssuer, ...target } = referenceTarget();
  const key = keys.find(({ alg }) => alg === "RS256");
  if (!key) throw new Error("the tests have no key for RS256");
  const algorithms = keys.map(({ alg }) => alg);
  return {
    ...target,
    audience: receiver.baseUrl,
    testIssuer: { ...testIssuer, keys, key, algorithms },
  };
}

const nobody = { baseUrl: "", profile: {} };
/** A place of the listener, where URLs in a token lead to. */
export async function openPlace(): Promise<{
  readonly url: string;
  readonly hits: readonly string[];
}> {
  const listener = createListener("http://127.0.0.1:0", remoteDocuments(targetOf(nobody)));
  onTestFinished(() => listener.close());
  const place = await listener.open();
  if ("unreachable" in place) throw new Error(place.unreachable);
  return place;
}

/** A token that differs from a good one in a change, which is named as in the suite. */
export async function tokenWith(
  receiver: Receiver,
  name: string,
  callback?: string,
): Promise<string> {
  const target = targetOf(receiver);
  const operation = OPERATIONS.viewOrganization;
  const form = { typ: "JWT", bound: false, scopes: "required", clockOffsetSeconds: 0 } as const;
  const own = organization(receiver, "primary");
  const context = {
    target,
    operation,
    form,
    organization: own,
    otherOrganization: organization(receiver, "other"),
    uuid: () => own,
    callback,
  };
  const draft = draftToken(
    { ...target, subject: String(receiver.profile["subject"]) },
    operation,
    form,
    own,
  );
  return (await mintMutated(draft, changeNamed(target, name), context)).token;
}

function changeNamed(target: Target, name: string): Mutation {
  const rules = [signatureRule, issuerRule, audienceRule, expiryRule, scopeRule];
  const cases = rules.flatMap((rule) => rule.cases(target));
  const found = cases.find(({ id }) => id.startsWith(`${name}@`)) as
    | { mutation?: Mutation }
    | undefined;
  if (!found?.mutation) throw new Error(`no case is called ${name}`);
  return found.mutation;
}

const shownBy =
  (name: string): Showing =>
  async (receiver) => {
    const { url } = await openPlace();
    return { authorization: `Bearer ${await tokenWith(receiver, name, url)}` };
  };

/** A good token that is accepted first, and then sent with a change. */
const onceAccepted =
  (tamper: (parts: readonly string[]) => readonly string[]): Showing =>
  async (receiver) => {
    const token = await mint(receiver);
    await send(receiver, { authorization: `Bearer ${token}` });
    return { authorization: `Bearer ${tamper(token.split(".")).join(".")}` };
  };

export const SIGNATURE_SHOWINGS: Readonly<Record<string, Showing>> = {
  ...Object.fromEntries(
    Object.entries(BY_CHANGE).map(([fault, change]) => [fault, shownBy(change)]),
  ),
  "verification-remembered-by-payload": onceAccepted(([header = "", payload = ""]) => [
    header,
    payload,
    Buffer.alloc(64, 1).toString("base64url"),
  ]),
  "verification-remembered-by-claims": onceAccepted(([, payload = ""]) => [
    Buffer.from('{"alg":"none"}').toString("base64url"),
    payload,
    Buffer.alloc(64, 1).toString("base64url"),
  ]),
  "verification-remembered-by-signature": onceAccepted(([header = "", payload, signature = ""]) => [
    header,
    Buffer.from(`${Buffer.from(payload ?? "", "base64url").toString()} `).toString("base64url"),
    signature,
  ]),
  "verification-remembered-by-beginning": onceAccepted(
    ([header = "", payload = "", signature = ""]) => [
      header,
      payload,
      `${signature.slice(0, -4)}AAAA`,
    ],
  ),
  "verification-remembered-in-any-case": onceAccepted(
    ([header = "", payload = "", signature = ""]) => [
      header,
      payload,
      signature.replace(/[a-z]/, (letter) => letter.toUpperCase()),
    ],
  ),
  "verification-remembered-by-jti": async (receiver) => {
    const claims = { jti: "the-same" };
    await send(receiver, { token: { claims } });
    return { token: { claims, key: FOREIGN_KEY } };
  },
  "rs256-only": () => ({ token: { alg: "ES256" } }),
  "second-key-unverified": () => ({ token: { key: FOREIGN_KEY, header: { kid: "ES256-2" } } }),
  "first-key-alone": () => ({ token: { key: SECOND_KEY, header: { kid: "ES256-2" } } }),
  "eddsa-refused": () => ({ token: { alg: "EdDSA" } }),
};
