import { readFileSync } from "node:fs";

import { packageRoot } from "../../src/lib/package-root.ts";
import type { AuthorizationServer, Client, Flow } from "../../src/profile/authorization-server.ts";

/** The command that gives consent for clients under test. */
export const CONSENT_COMMAND: readonly string[] = [
  process.execPath,
  `${packageRoot}/fixtures/consent.mjs`,
];

const SECRET = readFileSync(`${packageRoot}/keys/client-secret`, "utf8").trim();

/** A client as a profile would describe it. */
export function client(name: string, flow: Flow, more: Partial<Client> = {}): Client {
  return {
    name,
    id: name,
    flow,
    secret: SECRET,
    authentication: "client_secret_basic",
    scopes: ["org:read"],
    authorizationParameters: {},
    tokenParameters: {},
    ...(flow === "authorization_code" && {
      redirectUri: "http://127.0.0.1:0/callback",
      consent: CONSENT_COMMAND,
    }),
    ...more,
  };
}

/** A server that uses the contract's names of scopes. */
export function serverOf(
  issuer: string,
  more: Partial<AuthorizationServer> = {},
): AuthorizationServer {
  return {
    issuer,
    narrowing: true,
    probes: true,
    waitSeconds: 30,
    scopes: {
      "org:read": "org:read",
      "org:write": "org:write",
      "org.changes:read": "org.changes:read",
      "org.changes:write": "org.changes:write",
    },
    clients: [],
    ...more,
  };
}
