import { SCOPES } from "../contract/operations.ts";
import { SuiteError } from "../lib/errors.ts";
import { parseJson } from "../lib/json.ts";
import type { ClientProfile } from "./authorization-server-schema.ts";
import type { AuthorizationServer, Client } from "./authorization-server.ts";
import { type LoadedProfile, ownFile } from "./load.ts";
import { otherId } from "./profile.ts";
import { readTextFile } from "./text-file.ts";

/**
 * The profile's authorization server with all defaults; `undefined` where the profile has none.
 * @throws SuiteError when a file that it names is unusable, or a client is bound to an organization
 * that the profile does not have
 */
export function resolveAuthorizationServer(loaded: LoadedProfile): AuthorizationServer | undefined {
  const server = loaded.profile.authorizationServer;
  if (!server) return undefined;
  const { scopes, clients, ...rest } = server;
  return {
    ...rest,
    scopes: Object.fromEntries(
      SCOPES.map((scope) => [scope, scopes[scope] ?? scope]),
    ) as AuthorizationServer["scopes"],
    clients: Object.entries(clients).map(([name, client]) => resolveClient(name, client, loaded)),
  };
}

export function clientSecrets(server: AuthorizationServer | undefined): string[] {
  return (server?.clients ?? []).flatMap(({ secret }) => secret ?? []);
}

function resolveClient(name: string, client: ClientProfile, loaded: LoadedProfile): Client {
  const { profile, where } = loaded;
  const { parameters, organization, secretFile, key: keyFile } = client;
  const place = (key: string): string => where(["authorizationServer", "clients", name, key]);
  const secret =
    secretFile === undefined
      ? client.secret
      : readTextFile(ownFile(loaded, secretFile), "client secret", "It holds the secret alone.", {
          cwd: loaded.cwd,
        }).trim();
  const jwk =
    keyFile === undefined ? undefined : readKey(ownFile(loaded, keyFile), loaded.cwd, place("key"));
  for (const key of ["consent", "refusal"] as const) {
    if (!loaded.untrusted || !Array.isArray(client[key])) continue;
    throw new SuiteError("ERR_PROFILE", `${place(key)} is a command`, {
      hint: `With --untrusted a profile may run no commands; \`${key}: browser\` asks a person.`,
    });
  }
  const { primary } = profile.organizations;
  const bound = organization && { primary, other: otherId(profile) }[organization];
  if (organization && bound === undefined) {
    throw new SuiteError(
      "ERR_PROFILE",
      `${place("organization")} is ${organization}, but the profile has no organizations.${organization}`,
    );
  }
  return {
    name,
    flow: client.flow,
    id: client.id,
    secret,
    key: jwk,
    authentication:
      client.authentication ??
      (secret !== undefined ? "client_secret_basic" : jwk ? "private_key_jwt" : "none"),
    scopes: client.scopes ?? SCOPES,
    organization: bound,
    subject: client.subject,
    authorizationParameters: { ...parameters, ...client.authorizationParameters },
    tokenParameters: { ...parameters, ...client.tokenParameters },
    redirectUri: client.redirectUri,
    consent: client.consent,
    refusal: client.refusal,
  };
}

function readKey(file: string, cwd: string, place: string): Readonly<Record<string, unknown>> {
  const jwk = parseJson(
    readTextFile(file, "client key", "It holds one private JWK, RFC 7517.", { cwd }),
  );
  if (typeof jwk === "object" && jwk !== null && "kty" in jwk && "d" in jwk) {
    return { ...jwk };
  }
  throw new SuiteError("ERR_PROFILE", `${place}: ${file} does not hold a private JWK`, {
    hint: 'A private JWK is a JSON object with "kty" and "d", RFC 7517.',
  });
}
