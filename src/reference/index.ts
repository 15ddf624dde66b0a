import { once } from "node:events";
import { type AddressInfo, createServer as createNetServer } from "node:net";

import type { JSONWebKeySet } from "jose";

import { didYouMean } from "../lib/did-you-mean.ts";
import { SuiteError } from "../lib/errors.ts";
import { type Arrival, recordArrivals } from "./arrivals.ts";
import type { ServerOptions } from "./authorization-server/configuration.ts";
import type { RunningServer } from "./authorization-server/index.ts";
import { BASE_PATH } from "./document.ts";
import { type Fault, isOfDocument, isOfServer } from "./faults/fault.ts";
import { FAULTS } from "./faults/index.ts";
import { readKeys } from "./keys.ts";
import type { Receiver } from "./model.ts";
import { CLAIMS_NAMESPACE, describeReceiver, type ProfileObject } from "./profile.ts";
import { createServer } from "./server.ts";
import { applyPatches, type Patch, STEPS } from "./steps.ts";
import { seededStore } from "./store.ts";
import { VARIANTS } from "./variants/index.ts";
import type { Variant } from "./variants/variant.ts";

export { FAULTS, VARIANTS };

const ISSUER = "https://issuer.example.com";
const ORGANIZATIONS = 25;

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
  /** Number of organizations, 3 to 100,000; default 25. */
  readonly organizations?: number;
  /** Whether it records what arrives, for `answerAgain`. Default: false. */
  readonly records?: boolean;
}

export interface RunningReference {
  readonly baseUrl: string;
  /** A profile that provisions every operation; only `testIssuer.keys` is missing. */
  readonly profile: ProfileObject;
  /** Requests served so far. */
  readonly requests: number;
  /** The requests that it answered, in the order in which they were answered; empty unless it records. */
  readonly arrivals: readonly Arrival[];
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/**
 * Starts a receiver that conforms to the whole contract, except for the requested faults.
 * @throws SuiteError for an unknown fault or variant, an unreadable JWKS, a number of organizations out of
 * bounds, or a port that cannot be listened on
 */
export async function startReference(options: ReferenceOptions): Promise<RunningReference> {
  const { port = 0, host = "127.0.0.1", issuer = ISSUER } = options;
  const { faults, variants, patches } = selected(options);
  const steps = applyPatches(STEPS, patches);
  const bindingClaim = `${CLAIMS_NAMESPACE}/org_id`;
  const { authorizationServer = variants.some(({ server }) => server) || faults.some(isOfServer) } =
    options;
  const alone = authorizationServer === "alone";
  const beside = authorizationServer
    ? await startBeside({ steps, audience: () => receiver.baseUrl, bindingClaim, alone })
    : undefined;
  const own = options.trusts ?? beside;
  const serve = variants.some(({ served }) => served)
    ? `http://127.0.0.1:${await freePort()}`
    : undefined;
  let receiver: Receiver = {
    steps,
    baseUrl: "",
    issuer,
    own: own && { issuer: own.issuer, keys: await readKeys(own.jwks) },
    bindingClaim,
    keys: await readKeys(options.jwks),
    keysUrl: serve && `${serve}/.well-known/jwks.json`,
    store: seededStore(options.organizations ?? ORGANIZATIONS),
  };
  let requests = 0;
  const recorder: { read: () => readonly Arrival[] } = { read: () => [] };
  const app = createServer(
    () => receiver,
    (server) => {
      if (options.records) recorder.read = recordArrivals(server);
    },
  );
  app.server.on("request", () => (requests += 1));
  try {
    await app.listen({ port, host });
  } catch (cause) {
    await beside?.close();
    const message = `Cannot listen on ${host} port ${port}: ${(cause as Error).message}`;
    throw new SuiteError("ERR_LISTEN", message, { cause });
  }
  receiver = {
    ...receiver,
    baseUrl: `${originOf(app.server.address() as AddressInfo, host)}${BASE_PATH}`,
  };

  // A fault or variant changes answers that the document describes, unless it states otherwise.
  const documented =
    options.patches === undefined &&
    variants.every((variant) => variant.documented) &&
    faults.every(isOfDocument);
  const profile = {
    ...describeReceiver(receiver, { documented, serve }),
    ...(beside && { authorizationServer: beside.profile }),
    ...(alone && { testIssuer: false }),
  };
  return {
    baseUrl: receiver.baseUrl,
    profile: variants.reduce<ProfileObject>(
      (described, variant) => variant.describe?.(described) ?? described,
      profile,
    ),
    get requests() {
      return requests;
    },
    get arrivals() {
      return recorder.read();
    },
    close: async () => {
      await Promise.all([app.close(), beside?.close()]);
    },
  };
}

/**
 * A receiver that no server serves, for `answersAgain`.
 * @param options its keys, faults and variants
 * @param baseUrl the base URL of the receiver whose requests it will answer
 * @param basis a patch of the conforming receiver, below faults and variants
 * @throws SuiteError as `startReference` does
 */
export async function unservedReceiver(
  options: Pick<ReferenceOptions, "jwks" | "faults" | "variants" | "organizations">,
  baseUrl: string,
  basis: Patch,
): Promise<Receiver> {
  return {
    steps: applyPatches(STEPS, [basis, ...selected(options).patches]),
    baseUrl,
    issuer: ISSUER,
    bindingClaim: `${CLAIMS_NAMESPACE}/org_id`,
    keys: await readKeys(options.jwks),
    keysUrl: undefined,
    store: seededStore(options.organizations ?? ORGANIZATIONS),
  };
}

/**
 * The faults and variants that the options name, those that a fault needs included, and the patches of all.
 * @throws SuiteError for an unknown name
 */
function selected(options: ReferenceOptions): {
  readonly faults: readonly Fault[];
  readonly variants: readonly Variant[];
  readonly patches: readonly Patch[];
} {
  const faults = (options.faults ?? []).map((name) => named("fault", name, FAULTS));
  const variants = [
    ...new Set([...(options.variants ?? []), ...faults.flatMap((fault) => fault.variants ?? [])]),
  ].map((name) => named("variant", name, VARIANTS));
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

/** The library is large, and most receivers are started alone. */
async function startBeside(options: ServerOptions): Promise<RunningServer> {
  const { startAuthorizationServer } = await import("./authorization-server/index.ts");
  return startAuthorizationServer(options);
}

/** A free loopback port on which the suite can publish its keys. */
async function freePort(): Promise<number> {
  const server = createNetServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function originOf(address: AddressInfo, host: string): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${address.port}`;
}
