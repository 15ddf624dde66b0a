import type { JSONWebKeySet } from "jose";

import { didYouMean } from "../lib/did-you-mean.ts";
import { SuiteError } from "../lib/errors.ts";
import { COMMONGRANTS_FAULTS } from "./faults/commongrants/index.ts";
import type { Fault } from "./faults/fault.ts";
import { FAULTS } from "./faults/index.ts";
import { readKeys } from "./keys.ts";
import type { Receiver } from "./model.ts";
import { CLAIMS_NAMESPACE } from "./profile.ts";
import { applyPatches, type Patch, STEPS } from "./steps.ts";
import { seededStore } from "./store.ts";
import { COMMONGRANTS_VARIANTS } from "./variants/commongrants/index.ts";
import { VARIANTS } from "./variants/index.ts";
import type { Variant } from "./variants/variant.ts";

/** The test issuer that is trusted by default. */
export const ISSUER = "https://issuer.example.com";
/** How many organizations there are by default. */
export const ORGANIZATIONS = 25;

export interface ReferenceOptions {
  /** Port to listen on; default 0, a free one. */
  readonly port?: number;
  /** Interface to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** The trusted `iss`; default https://issuer.example.com. */
  readonly issuer?: string;
  /** The issuer's public keys: a JWKS, or the path or URL of one. */
  readonly jwks: JSONWebKeySet | string;
  /** Names of `FAULTS` to add. */
  readonly faults?: readonly string[];
  /** Names of `VARIANTS` to add. */
  readonly variants?: readonly string[];
  /** Further steps that replace the receiver's own, on top of faults and variants. */
  readonly patches?: readonly Patch[];
  /** An authorization server that it trusts beside the test issuer. */
  readonly trusts?: { readonly issuer: string; readonly jwks: JSONWebKeySet };
  /**
   * Starts an authorization server whose tokens the receiver also accepts. With `alone` the profile names no test issuer, and
   * the server has a client for each kind of token. Default: only if a fault or variant is of the authorization server.
   */
  readonly authorizationServer?: boolean | "alone";
  /** `{claims_namespace}` of the binding claim. Default: https://example.com. */
  readonly claimsNamespace?: string;
  /** Number of organizations, 3 to 100,000; default 25. */
  readonly organizations?: number;
  /** Whether it records what arrives, for `answersAgain`, and what the steps of its authorization server are asked. Default: false. */
  readonly records?: boolean;
}

/**
 * A receiver that no server serves, for `answersAgain`.
 * @param options its keys, faults and variants
 * @param baseUrl the base URL of the receiver whose requests it will answer
 * @param basis how it fetches, and a patch of the conforming receiver, below faults and variants
 * @throws SuiteError as `startReference` does
 */
export async function unservedReceiver(
  options: Pick<ReferenceOptions, "jwks" | "faults" | "variants" | "organizations">,
  baseUrl: string,
  { fetch, ...basis }: Pick<Receiver, "fetch"> & Patch,
): Promise<Receiver> {
  return {
    steps: applyPatches(STEPS, [basis, ...selected(options).patches]),
    baseUrl,
    issuer: ISSUER,
    bindingClaim: `${CLAIMS_NAMESPACE}/org_id`,
    keys: await readKeys(options.jwks),
    keysUrl: undefined,
    store: seededStore(options.organizations ?? ORGANIZATIONS),
    fetch,
  };
}

/**
 * The faults and variants that the options name, those that a fault needs included, and the patches of all.
 * @throws SuiteError for an unknown name
 */
export function selected(options: Pick<ReferenceOptions, "faults" | "variants" | "patches">): {
  readonly faults: readonly Fault[];
  readonly variants: readonly Variant[];
  readonly patches: readonly Patch[];
} {
  const faults = (options.faults ?? []).map((name) =>
    named("fault", name, [...FAULTS, ...COMMONGRANTS_FAULTS]),
  );
  const variants = [
    ...new Set([...(options.variants ?? []), ...faults.flatMap((fault) => fault.variants ?? [])]),
  ].map((name) => named("variant", name, [...VARIANTS, ...COMMONGRANTS_VARIANTS]));
  const patches = [...variants, ...faults, ...(options.patches ?? [])];
  return { faults, variants, patches };
}

/**
 * Finds a fault or variant by name.
 * @throws SuiteError that suggests the most similar names
 */
function named<Thing extends { readonly name: string }>(
  kind: "fault" | "variant",
  name: string,
  things: readonly Thing[],
): Thing {
  const found = things.find((thing) => thing.name === name);
  if (found) return found;
  const names = things.map((thing) => thing.name);
  const question = didYouMean(name, names, 3);
  throw new SuiteError("ERR_NO_MATCH", `The reference receiver has no ${kind} called "${name}".`, {
    hint: `${question}${question && " "}\`serve --list\` lists them all, \`serve --list <word>\` those with a word.`,
  });
}
