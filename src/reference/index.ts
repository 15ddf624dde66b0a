import { once } from "node:events";
import { type AddressInfo, createServer as createNetServer } from "node:net";

import { SuiteError } from "../lib/errors.ts";
import { type Arrival, recordArrivals } from "./arrivals.ts";
import type { ServerOptions } from "./authorization-server/configuration.ts";
import type { RunningServer } from "./authorization-server/index.ts";
import { askedAgain, type StepCalls } from "./authorization-server/step-calls.ts";
import { BASE_PATH } from "./document.ts";
import { COMMONGRANTS_FAULTS } from "./faults/commongrants/index.ts";
import { isOfDocument, isOfServer } from "./faults/fault.ts";
import { FAULTS } from "./faults/index.ts";
import { readKeys } from "./keys.ts";
import type { Receiver } from "./model.ts";
import { CLAIMS_NAMESPACE, describedBy, describeReceiver, type ProfileObject } from "./profile.ts";
import { ISSUER, ORGANIZATIONS, type ReferenceOptions, selected } from "./receiver.ts";
import { createServer } from "./server.ts";
import { applyPatches, STEPS } from "./steps.ts";
import { seededStore } from "./store.ts";
import { COMMONGRANTS_VARIANTS } from "./variants/commongrants/index.ts";
import { VARIANTS } from "./variants/index.ts";

// The door: whoever is outside of this folder imports this file alone.
export { type AnswersAgain, answersAgain, type Verified } from "./answer-again.ts";
export type { Arrival } from "./arrivals.ts";
export type { StepCalls } from "./authorization-server/step-calls.ts";
export { type Fault, isOfDocument, isOfServer } from "./faults/fault.ts";
export type { ReferenceOptions };
export type { WireAnswer } from "./model.ts";
export type { ProfileObject };
export { SERVER_STEPS, stepsOf } from "./steps.ts";
export { describedBy };
export { COMMONGRANTS_FAULTS, COMMONGRANTS_VARIANTS, FAULTS, VARIANTS };

export interface RunningReference {
  readonly baseUrl: string;
  /** A profile that provisions every operation; only `testIssuer.keys` is missing. */
  readonly profile: ProfileObject;
  /** Requests served so far. */
  readonly requests: number;
  /** The requests that it answered, in the order in which they were answered; empty unless it records. */
  readonly arrivals: readonly Arrival[];
  /** What the steps of its authorization server were asked; `undefined` without one, and unless it records. */
  readonly stepCalls: StepCalls | undefined;
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/**
 * Starts a receiver that conforms to the whole contract, except for the requested faults.
 * @throws SuiteError for an unknown fault or variant, an unreadable JWKS, a number of organizations out of
 * bounds, or a port that cannot be listened on
 */
export async function startReference(options: ReferenceOptions): Promise<RunningReference> {
  const { port = 0, host = "127.0.0.1", issuer = ISSUER, records = false } = options;
  const { faults, variants, patches } = selected(options);
  const steps = applyPatches(STEPS, patches);
  const bindingClaim = `${options.claimsNamespace ?? CLAIMS_NAMESPACE}/org_id`;
  const { authorizationServer = variants.some(({ server }) => server) || faults.some(isOfServer) } =
    options;
  const alone = authorizationServer === "alone";
  const beside = authorizationServer
    ? await startBeside({ steps, audience: () => receiver.baseUrl, bindingClaim, alone, records })
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
    fetch,
  };
  let requests = 0;
  const recorder = records ? recordArrivals() : undefined;
  const app = createServer(() => receiver, recorder);
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
    profile: describedBy(variants, profile),
    get requests() {
      return requests;
    },
    get arrivals() {
      return recorder?.arrivals() ?? [];
    },
    get stepCalls() {
      return beside?.stepCalls();
    },
    close: async () => {
      await Promise.all([app.close(), beside?.close()]);
    },
  };
}

/**
 * Asks the steps of another receiver's authorization server what those of a recording one were asked.
 * @returns the `Conformance-Case` of the requests for which some step gives something else; `undefined` stands for those without one,
 * and for the start of the server
 * @throws SuiteError for an unknown fault or variant
 */
export function stepsAskedAgain(
  calls: StepCalls,
  named: Pick<ReferenceOptions, "faults" | "variants">,
): ReadonlySet<string | undefined> {
  return askedAgain(calls, applyPatches(STEPS, selected(named).patches));
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
