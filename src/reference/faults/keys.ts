import { fetchedKeys } from "../fetched-keys.ts";
import { readKeys } from "../keys.ts";
import type { Call } from "../model.ts";
import { accepting, keyNamed, take, type Received } from "../received.ts";
import { passing, refusing, type Fault } from "./fault.ts";
import { fetchText, keyAt, verifiesWith } from "./signature-keys.ts";

/** Faults of where keys come from: those of the issuer that are not used, and others that a token leads to. */
export const KEY_FAULTS: readonly Fault[] = [
  {
    name: "rs256-only",
    title: "Accepts RS256 only, though the issuer has keys for more and all are declared",
    rule: "receiver.keys",
    how: "The list of algorithms is the default of the library.",
    step: "verifySignature",
    patch: refusing("verifySignature", (call) => algorithmOf(call) !== "RS256"),
  },
  {
    name: "eddsa-refused",
    title: "Does not accept EdDSA, though the issuer has a key for it and it is declared",
    rule: "receiver.keys",
    how: "The library does not know the algorithm, and nobody has had a token with it yet.",
    step: "verifySignature",
    patch: refusing("verifySignature", (call) => algorithmOf(call) === "EdDSA"),
  },
  {
    name: "first-key-alone",
    title: "Takes the first key for the algorithm, whatever `kid` says",
    rule: "receiver.keys",
    how: "The code takes `keys[0]` of what it has fetched: the issuer had one key when it was written.",
    step: "verifySignature",
    patch: refusing("verifySignature", (call) => {
      const named = keyNamed(take(call.token ?? "") ?? { header: {} }, call);
      const { published } = call.receiver.keys;
      return named !== undefined && published.find(({ alg }) => alg === named.alg) !== named;
    }),
  },
  {
    name: "any-issuer-discovered",
    title: "Asks whatever `iss` says for its keys, and trusts them",
    rule: "receiver.issuer",
    how: "Keys are found by discovery, and a token that verifies with what was found is taken for good.",
    step: "verifySignature",
    patch: accepting(({ payload, header }, call) =>
      verifiesWith(call, () => keyAt(`${issuerOf(payload)}/jwks.json`, header)),
    ),
    more: [{ step: "checkIssuer", patch: passing((call) => !keyNamed(call, call)) }],
  },
  {
    name: "keys-fetched-once",
    title: "Fetches the issuer's keys once and keeps them for good",
    rule: "receiver.rotation",
    how: "The keys are read when the process starts, and a rotation needs a restart.",
    observed: "not accepted within",
    variants: ["keys-fetched"],
    step: "issuerKeys",
    patch: () => fetchedKeys(Number.POSITIVE_INFINITY),
  },
  {
    name: "withdrawn-keys-kept",
    title: "Adds new keys of the issuer to those it has, and forgets none",
    rule: "receiver.rotation",
    how: "Keys are kept in a map by `kid`, and whatever is fetched is put into it.",
    observed: "still accepted within",
    variants: ["keys-fetched"],
    step: "issuerKeys",
    patch: () =>
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
  fetches("jku-fetched", {
    title: "Fetches the URL in `jku`, though it does not trust what it finds",
    how: "The library fetches the keys first and asks which of them are trusted then.",
    url: ({ header }) => header["jku"],
  }),
  fetches("x5u-fetched", {
    title: "Fetches the URL in `x5u`, though it does not trust what it finds",
    how: "The certificate is needed to tell whether its chain is trusted.",
    url: ({ header }) => header["x5u"],
  }),
  fetches("kid-fetched", {
    title: "Fetches a `kid` that is a URL, though it does not trust what it finds",
    how: "A look-up of keys that takes names, paths and URLs serves other purposes too.",
    url: ({ header }) => header["kid"],
  }),
  fetches("issuer-discovered", {
    title: "Fetches the metadata of whatever `iss` says before it asks whether that is trusted",
    how: "Keys are found by discovery, and the list of trusted issuers is looked at with the claims.",
    url: ({ payload }) => `${issuerOf(payload)}/.well-known/openid-configuration`,
  }),
];

function algorithmOf({ token = "" }: Call): unknown {
  return take(token)?.header["alg"];
}

function issuerOf(claims: unknown): string {
  return String((claims as { iss?: unknown } | undefined)?.iss);
}

function fetches(
  name: string,
  { url, ...words }: { title: string; how: string; url: (token: Received) => unknown },
): Fault {
  return {
    name,
    rule: "receiver.outbound",
    ...words,
    step: "verifySignature",
    patch: (original) => async (call) => {
      const token = take(call.token ?? "");
      try {
        if (token) await fetchText(url(token));
      } catch {
        // What cannot be fetched is as good as what is not trusted.
      }
      return original(call);
    },
  };
}
