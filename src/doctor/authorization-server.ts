import {
  connect,
  type Connection,
  type ConnectionOptions,
  createIssuedTokens,
  listenForRedirects,
  readKeySet,
} from "../authorization-server/index.ts";
import { SuiteError } from "../lib/errors.ts";
import type { Client } from "../profile/authorization-server.ts";
import type { Target } from "../profile/target.ts";
import { type Check, ok } from "./check.ts";

const SERVER = "the authorization server";

interface ServerChecks {
  readonly checks: readonly Check[];
  readonly requests: number;
  /** How many seconds the server's clock is ahead of this machine's, where its metadata tell. */
  readonly clockOffsetSeconds: number | undefined;
}

/**
 * Checks the authorization server: metadata, keys, and each client. Clients with client credentials get a
 * token. Nobody is asked for consent, but the check listens at the redirect URI to see that it can.
 * @returns no checks when the profile has no `authorizationServer`
 */
export async function authorizationServerChecks(
  target: Target,
  options: Pick<ConnectionOptions, "signal" | "secrets">,
): Promise<ServerChecks> {
  const { authorizationServer: server, request } = target;
  if (!server) return { checks: [], requests: 0, clockOffsetSeconds: undefined };
  const { timeoutMs, ca } = request;
  const connection = connect(server, { timeoutMs, ca, untrusted: target.untrusted, ...options });
  try {
    const checks = [await metadataCheck(connection), await keysCheck(connection)];
    for (const client of server.clients) {
      checks.push(
        client.flow === "client_credentials"
          ? await tokenCheck(connection, client)
          : await redirectCheck(client),
      );
    }
    const [document] = (await connection.endpoints()).documents;
    const { clockOffsetSeconds } = document ?? {};
    return { checks, requests: connection.origins.requests, clockOffsetSeconds };
  } finally {
    await connection.close();
  }
}

async function metadataCheck(connection: Connection): Promise<Check> {
  const line = { id: "authorization-server.metadata", title: SERVER };
  const { documents, token, missed } = await connection.endpoints();
  const [first] = documents;
  if (token === undefined) {
    const tried = missed.map(({ url, answer }) => `${url}: ${answer}`).join("; ");
    return {
      ...line,
      state: "problem",
      detail: `No token endpoint is known (${tried || "its metadata names none"}).`,
      remedy:
        "Name metadataUrl, or tokenUrl, authorizationUrl and jwksUrl, in authorizationServer.",
      side: "profile",
    };
  }
  return ok(line, first ? `metadata at ${first.url}` : "as the profile says");
}

async function keysCheck(connection: Connection): Promise<Check> {
  const line = { id: "authorization-server.keys", title: "its keys" };
  const keys = await readKeySet(connection, "doctor/keys");
  if ("failed" in keys) {
    const remedy = "Name jwksUrl in authorizationServer, if the server has a JWKS elsewhere.";
    return { ...line, state: "problem", detail: `${keys.failed}.`, remedy, side: "profile" };
  }
  return ok(line, `${keys.keys.length} at ${keys.url}`);
}

async function tokenCheck(connection: Connection, client: Client): Promise<Check> {
  const line = { id: `authorization-server.${client.name}`, title: `the client ${client.name}` };
  const token = await createIssuedTokens(connection).get(client);
  if ("failed" in token) {
    const remedy = "The client's id, secret, scopes and parameters must be the registered ones.";
    return { ...line, state: "problem", detail: `${token.failed}.`, remedy, side: "profile" };
  }
  return ok(line, `got a token for ${token.askedWords}`);
}

async function redirectCheck({ name, redirectUri = "" }: Client): Promise<Check> {
  const line = { id: `authorization-server.${name}`, title: `the client ${name}` };
  try {
    await (await listenForRedirects(redirectUri)).close();
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    const { message: detail, hint: remedy } = error;
    return { ...line, state: "problem", detail: `${detail}.`, remedy, side: "profile" };
  }
  return ok(
    line,
    `the suite can listen at ${redirectUri}; \`orgsync-conformance token --client ${name}\` asks for consent`,
  );
}
