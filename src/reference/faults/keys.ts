import { fetchedKeys } from "../fetched-keys.ts";
import { readKeys } from "../keys.ts";
import type { Call } from "../model.ts";
import { passing, refusing } from "../patches.ts";
import { accepting, keyNamed, splitToken, type Received } from "../received.ts";
import { type FaultEntry, type Faults, ownedBy } from "./fault.ts";
import { fetchText, keyAt, verifiesWith } from "./signature-keys.ts";

/** Faults in the source of keys: keys of the issuer that are not used, and other keys that a token refers to. */
export const KEY_FAULTS: Faults = ownedBy("receiver.outbound", {
  "rs256-only": {
    title: "Accepts only RS256, although the issuer has keys for other declared algorithms",
    rule: "receiver.keys",
    how: "The list of algorithms is the library's default.",
    verifySignature: refusing("verifySignature", (call) => algorithmOf(call) !== "RS256"),
  },
  "eddsa-refused": {
    title: "Does not accept EdDSA, although the issuer has a key for it and declares it",
    rule: "receiver.keys",
    how: "The library does not support the algorithm, and nobody has sent such a token yet.",
    verifySignature: refusing("verifySignature", (call) => algorithmOf(call) === "EdDSA"),
  },
  "first-key-alone": {
    title: "Uses the first key for the algorithm, whatever `kid` says",
    rule: "receiver.keys",
    how: "The code uses `keys[0]` of the fetched set, because the issuer had one key when it was written.",
    verifySignature: refusing("verifySignature", (call) => {
      const named = keyNamed(splitToken(call.token ?? "") ?? { header: {} }, call);
      const { published } = call.receiver.keys;
      return named !== undefined && published.find(({ alg }) => alg === named.alg) !== named;
    }),
  },
  "any-issuer-discovered": {
    title: "Fetches the keys of any `iss`, and trusts them",
    rule: "receiver.issuer",
    how: "Discovery finds the keys, and a token that they verify is accepted.",
    verifySignature: accepting(({ payload, header }, call) =>
      verifiesWith(call, () => keyAt(`${issuerOf(payload)}/jwks.json`, header, call)),
    ),
    checkIssuer: passing((call) => !keyNamed(call, call)),
  },
  "keys-fetched-once": {
    title: "Fetches the issuer's keys once and keeps them forever",
    rule: "receiver.rotation",
    how: "The process reads the keys when it starts, so a rotation needs a restart.",
    observed: "not accepted within",
    variants: ["keys-fetched"],
    issuerKeys: () => fetchedKeys(Number.POSITIVE_INFINITY),
  },
  "withdrawn-keys-kept": {
    title: "Adds new keys of the issuer to its own, and removes none",
    rule: "receiver.rotation",
    how: "A map by `kid` holds the keys, and every fetched key is added to it.",
    observed: "still accepted within",
    variants: ["keys-fetched"],
    issuerKeys: () =>
      fetchedKeys(20, (before, now) =>
        readKeys({
          keys: [
            ...now.published,
            ...(before?.published ?? []).filter(
              ({ kid }) => !now.published.some((key) => key.kid === kid),
            ),
          ],
        }),
      ),
  },
  "jku-fetched": fetches({
    title: "Fetches the URL in `jku`, although it does not trust the result",
    how: "The library fetches the keys first, and then checks which of them are trusted.",
    url: ({ header }) => header["jku"],
  }),
  "x5u-fetched": fetches({
    title: "Fetches the URL in `x5u`, although it does not trust the result",
    how: "The code needs the certificate to check whether its chain is trusted.",
    url: ({ header }) => header["x5u"],
  }),
  "kid-fetched": fetches({
    title: "Fetches a `kid` that is a URL, although it does not trust the result",
    how: "A key lookup that accepts names, paths and URLs serves other purposes too.",
    url: ({ header }) => header["kid"],
  }),
  "issuer-discovered": fetches({
    title: "Fetches the metadata of any `iss` before it checks whether the issuer is trusted",
    how: "Discovery finds the keys, and the list of trusted issuers is checked together with the claims.",
    url: ({ payload }) => `${issuerOf(payload)}/.well-known/openid-configuration`,
  }),
});

function algorithmOf({ token = "" }: Call): unknown {
  return splitToken(token)?.header["alg"];
}

function issuerOf(claims: unknown): string {
  return String((claims as { iss?: unknown } | undefined)?.iss);
}

/** A fault of check 1: it fetches a URL first, and makes nothing of what is there. */
function fetches({
  url,
  ...fault
}: FaultEntry & { readonly url: (token: Received) => unknown }): FaultEntry {
  return {
    ...fault,
    verifySignature: (original) => async (call) => {
      const token = splitToken(call.token ?? "");
      try {
        if (token) await fetchText(url(token), call);
      } catch {
        // A document that cannot be fetched is treated like one that is not trusted.
      }
      return original(call);
    },
  };
}
