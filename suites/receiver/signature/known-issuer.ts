import type { Facts } from "../../../src/profile/facts.ts";
import type { IssuerKey } from "../../../src/profile/target.ts";
import type { TokenDraft } from "../../../src/tokens/draft.ts";
import { signRaw } from "../../../src/tokens/sign.ts";

/**
 * Delays a test of the issuer's keys until they are known. Where tokens are issued, the plan is made
 * before the first token arrives.
 */
export function onceKnown(
  why: (facts: Facts) => string | undefined,
): (facts: Facts) => string | undefined {
  return (target) => (target.testIssuer.algorithms.length === 0 ? undefined : why(target));
}

/** The issuer's key of a kind to sign with: the control's, else of a declared algorithm, else any; the one if tokens are issued. */
export function keyInUse(
  { issued, testIssuer }: Facts,
  isOfKind: (alg: string) => boolean,
): IssuerKey | undefined {
  const all = issued ? [testIssuer.key] : [testIssuer.key, ...testIssuer.keys];
  const keys = all.filter(({ alg }) => isOfKind(alg));
  return keys.find(({ alg }) => testIssuer.algorithms.includes(alg)) ?? keys[0];
}

/** The issuer's own signature: that of the issued token, or otherwise made with the key of the draft. */
export function validSignature(input: string, { key, issued }: TokenDraft): Buffer {
  return issued ? Buffer.from(issued.signature, "base64url") : signRaw(key.alg, key, input);
}

/**
 * The keys with a name for each: its algorithm in lower case. Several keys of one algorithm are numbered in the order of
 * the file: "rs256", "rs256-2".
 */
export function namedKeys(
  keys: readonly IssuerKey[],
): { readonly name: string; readonly key: IssuerKey }[] {
  return keys.map((key, at) => {
    const nth = keys.slice(0, at + 1).filter(({ alg }) => alg === key.alg).length;
    return { name: keyName(key.alg, nth), key };
  });
}

/** The name of the key that is the nth for its algorithm, counted from 1. */
export function keyName(alg: string, nth: number): string {
  return `${alg.toLowerCase()}${nth > 1 ? `-${nth}` : ""}`;
}
