import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWK } from "jose";
import type { KoaContextWithOIDC } from "oidc-provider";

import { packageRoot } from "../../lib/package-root.ts";
import { CLIENTS, describeClients, FURTHER_CLIENTS, registration } from "./clients.ts";
import { configuration, type ServerOptions } from "./configuration.ts";
import { interact, INTERACTION_PATH } from "./interaction.ts";
import { passAnswer, passRequest } from "./passing.ts";
import { recordSteps, type StepCalls } from "./step-calls.ts";
import type { Memory } from "./steps.ts";

export interface RunningServer {
  readonly issuer: string;
  readonly jwks: JSONWebKeySet;
  /** The `authorizationServer` of a profile. */
  readonly profile: Readonly<Record<string, unknown>>;
  /** What its steps were asked so far; `undefined` unless it records. */
  stepCalls(): StepCalls | undefined;
  close(): Promise<void>;
}

/** The pair of keys of all servers of this process, because making one takes a third of a second. */
let keyPair: ReturnType<typeof generateKeyPair> | undefined;

/**
 * Starts the reference authorization server on a free port of loopback: client credentials, and the
 * authorization code flow with PKCE.
 */
export async function startAuthorizationServer(options: ServerOptions): Promise<RunningServer> {
  const { alone } = options;
  const clients = alone ? [...CLIENTS, ...FURTHER_CLIENTS] : CLIENTS;
  keyPair ??= generateKeyPair("RS256", { extractable: true });
  const { privateKey, publicKey } = await keyPair;
  const use = { kid: "reference", use: "sig", alg: "RS256" };
  const key: JWK = { ...(await exportJWK(privateKey)), ...use };
  const jwks: JSONWebKeySet = { keys: [{ ...(await exportJWK(publicKey)), ...use }] };

  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const unrecorded: Memory = {
    clients: clients.map(registration),
    requests: new Map(),
    codes: new Map(),
    redeemed: new Map(),
  };
  const recorder = options.records ? recordSteps(options.steps, unrecorded) : undefined;
  const { stepsFor, memory } = recorder ?? { stepsFor: () => options.steps, memory: unrecorded };
  const provider = await quietly(async () => {
    const { default: Provider } = await import("oidc-provider");
    return new Provider(issuer, configuration({ ...options, stepsFor }, clients, key, memory));
  });
  provider.use((ctx, next) =>
    passAnswer(ctx as unknown as KoaContextWithOIDC, next, stepsFor(ctx.req), memory),
  );
  const handle = provider.callback();
  server.on("request", (request, response) => {
    const steps = stepsFor(request);
    if (request.url?.startsWith(INTERACTION_PATH))
      void interact(provider, request, response, steps);
    else void passRequest(request, response, steps, memory, handle);
  });
  return {
    issuer,
    jwks,
    profile: {
      issuer,
      probes: true,
      clients: describeClients(clients, [
        process.execPath,
        join(packageRoot, "fixtures", "consent.mjs"),
      ]),
    },
    stepCalls: () => recorder?.calls(),
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Suppresses the library's warnings to operators: that its store is in memory, and that Node 20, on which
 * it works, is not supported.
 */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { info, warn } = console;
  Object.assign(console, { info: () => {}, warn: () => {} });
  try {
    return await work();
  } finally {
    Object.assign(console, { info, warn });
  }
}
