import { readFileSync } from "node:fs";

import { expect, onTestFinished } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { startReference } from "../../src/reference/index.ts";
import { BUNDLED_JWKS, type Ran, runAgainst } from "../support/run-against.ts";
import { CONSENT_COMMAND } from "./clients.ts";
import type { Habits } from "./small-server-habits.ts";
import { smallServer } from "./small-server.ts";

export const SECRET_FILE: string = `${packageRoot}/keys/client-secret`;
/** The secret of both clients. */
export const SECRET: string = readFileSync(SECRET_FILE, "utf8").trim();
const SCOPES = ["org:read", "org:write", "org.changes:read", "org.changes:write"];

/** The two clients of the small server as a profile describes them, with the scopes that it says they have. */
export function describedClients(
  scopes: { readonly service?: readonly string[]; readonly web?: readonly string[] } = {},
): { readonly service: object; readonly web: object } {
  const client = { secretFile: SECRET_FILE };
  const { service, web = ["org:read", "org.changes:read"] } = scopes;
  return {
    service: {
      ...client,
      flow: "client_credentials",
      id: "service",
      authentication: "client_secret_post",
      ...(service && { scopes: service }),
    },
    web: {
      ...client,
      flow: "authorization_code",
      id: "web",
      scopes: web,
      redirectUri: "http://127.0.0.1:0/callback",
      consent: CONSENT_COMMAND,
      refusal: [...CONSENT_COMMAND, "--refuse"],
    },
  };
}

/**
 * Runs the rules of the authorization server against the small one, beside a receiver that trusts it alone.
 * @param more further members of the profile's `authorizationServer`
 * @param profile further members of the profile
 */
export async function judge(
  habits: Habits,
  more: Record<string, unknown> = {},
  patterns: readonly string[] = ["authorization-server.*"],
  profile: Record<string, unknown> = {},
): Promise<Ran> {
  let baseUrl = "";
  const server = await smallServer(SECRET, () => baseUrl, habits);
  const receiver = await startReference({ jwks: BUNDLED_JWKS, trusts: server });
  onTestFinished(() => receiver.close());
  ({ baseUrl } = receiver);
  const { prefix } = habits;
  return runAgainst(
    {
      ...receiver.profile,
      authorizationServer: {
        issuer: server.issuer,
        probes: true,
        ...(prefix !== undefined && {
          scopes: Object.fromEntries(SCOPES.map((scope) => [scope, prefix + scope])),
        }),
        clients: describedClients(),
        ...more,
      },
      ...profile,
    },
    { patterns },
  );
}

/** The outcome of one case of the authorization server's rules, by its id without `authorization-server.`; see `judge`. */
export async function outcomeOf(
  name: string,
  habits: Habits,
  more: Record<string, unknown> = {},
): Promise<string | undefined> {
  const { results, finished } = await judge(habits, more, [`authorization-server.${name}`]);
  expect(finished.suiteErrors).toEqual([]);
  expect(results).toHaveLength(1);
  return results[0]?.outcome;
}
