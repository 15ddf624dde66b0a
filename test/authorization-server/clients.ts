import { readFileSync } from "node:fs";

import { onTestFinished } from "vitest";

import { connect, type Connection } from "../../src/authorization-server/protocol/connection.ts";
import type { Exchange } from "../../src/http/exchange.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import type { AuthorizationServer, Client, Flow } from "../../src/profile/authorization-server.ts";
import { startAuthorizationServer } from "../../src/reference/authorization-server/index.ts";
import { SERVER_STEPS } from "../../src/reference/authorization-server/steps.ts";

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
function serverOf(issuer: string): AuthorizationServer {
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
  };
}

export const AUDIENCE = "http://127.0.0.1:9/common-grants";
export const BINDING = "https://example.com/org_id";

/** The reference authorization server and a connection to it, for one test. */
export async function connected(): Promise<{
  connection: Connection;
  exchanges: Exchange[];
  consents: unknown[];
  issuer: string;
}> {
  const running = await startAuthorizationServer({
    steps: SERVER_STEPS,
    audience: () => AUDIENCE,
    bindingClaim: BINDING,
  });
  const exchanges: Exchange[] = [];
  const consents: unknown[] = [];
  const connection = connect(serverOf(running.issuer), {
    timeoutMs: 30_000,
    onExchange: (exchange) => exchanges.push(exchange),
    onConsent: ({ name }, count, refuse) => consents.push([name, count, refuse]),
  });
  onTestFinished(async () => {
    await connection.close();
    await running.close();
  });
  return { connection, exchanges, consents, issuer: running.issuer };
}
