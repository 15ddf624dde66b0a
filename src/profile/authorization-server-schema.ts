import { z } from "zod";

import { SCOPES, type Scope } from "../contract/operations.ts";
import { isLoopbackHost } from "../lib/uri.ts";
import {
  type AuthenticationMethod,
  AUTHENTICATION_METHODS,
  type AuthorizationServer,
  type Flow,
  FLOWS,
} from "./authorization-server.ts";
import { maxRequestsPerSecond, retryAfterSeconds, stringThat, text, url } from "./schema-parts.ts";
import type { Problem } from "./text-file.ts";

/** The key `authorizationServer` of a profile. Paths are still relative to the profile's folder. */
export interface AuthorizationServerProfile extends Omit<
  AuthorizationServer,
  "scopes" | "clients"
> {
  readonly scopes: Readonly<Partial<Record<Scope, string>>>;
  readonly clients: Readonly<Record<string, ClientProfile>>;
}

export interface ClientProfile {
  readonly flow: Flow;
  readonly id: string;
  readonly secret?: string | undefined;
  readonly secretFile?: string | undefined;
  readonly authentication?: AuthenticationMethod | undefined;
  readonly key?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  readonly organization?: "primary" | "other" | undefined;
  readonly subject?: string | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  readonly authorizationParameters: Readonly<Record<string, string>>;
  readonly tokenParameters: Readonly<Record<string, string>>;
  readonly redirectUri?: string | undefined;
  readonly consent?: "browser" | readonly string[] | undefined;
  readonly refusal?: "browser" | readonly string[] | undefined;
}

/** RFC 6749 section 4.1.2 recommends that codes live 10 minutes at most. A receiver may allow some minutes of skew. */
const MOST_WAIT_SECONDS = 3600;
const USUAL_WAIT_SECONDS = 30;

const scope = z.enum(SCOPES);

/** Parameters that the suite sets itself; RFC 6749 sections 4.1 and 4.4, RFC 7636. */
const RESERVED: ReadonlySet<string> = new Set(
  `client_assertion client_assertion_type client_id client_secret code code_challenge
  code_challenge_method code_verifier grant_type redirect_uri response_type scope state`.split(
    /\s+/,
  ),
);

const parameters = z.record(z.string(), z.string()).check(({ value, issues }) => {
  for (const name of Object.keys(value)) {
    if (!RESERVED.has(name)) continue;
    const message = "is set by the suite itself; leave it out";
    issues.push({ code: "custom", input: value, path: [name], message, params: { at: "key" } });
  }
});

const loopbackUri = stringThat((value) =>
  URL.canParse(value) &&
  new URL(value).protocol === "http:" &&
  isLoopbackHost(new URL(value).hostname) &&
  !value.includes("#")
    ? undefined
    : "must be an http URL on loopback such as http://127.0.0.1:8400/callback, where the suite can listen",
);

const consent = z.union([z.literal("browser"), z.array(text).min(1, "must name a command")]);

const client = z
  .strictObject({
    flow: z.enum(FLOWS).describe("The flow that it is registered for."),
    id: text.describe("Its client_id."),
    secret: text.optional().describe("Its client_secret, as ${env:NAME}; never literally."),
    secretFile: text.optional().describe("File with its client_secret alone."),
    authentication: z
      .enum(AUTHENTICATION_METHODS)
      .optional()
      .describe(
        "How it authenticates at the token endpoint; default: client_secret_basic with a secret, private_key_jwt with a key, else none.",
      ),
    key: text.optional().describe("File with its private JWK, for private_key_jwt."),
    scopes: z
      .array(scope)
      .min(1, "must name a scope")
      .optional()
      .describe("The contract's scopes that it is registered for; default: all four."),
    organization: z
      .enum(["primary", "other"])
      .optional()
      .describe("The one of organizations that its tokens are bound to; default: none."),
    subject: text.optional().describe("The `sub` of its tokens."),
    parameters: parameters.default({}).describe("Further parameters of both requests."),
    authorizationParameters: parameters
      .default({})
      .describe("Further parameters of the authorization request alone."),
    tokenParameters: parameters
      .default({})
      .describe("Further parameters of the token request alone."),
    redirectUri: loopbackUri
      .optional()
      .describe("Its redirect URI, where the suite listens; port 0 is any free one."),
    consent: consent
      .optional()
      .describe(
        "How consent is given: by a person in the browser (default), or by a command to which the authorization URL is appended.",
      ),
    refusal: consent
      .optional()
      .describe("How consent is refused, in the same form; default: no refusal is tested."),
  })
  .check(({ value, issues }) => {
    const complain = (key: string, message: string): void => {
      issues.push({ code: "custom", input: value, path: [key], message });
    };
    const { flow, authentication, secret, secretFile, key } = value;
    if (secret !== undefined && secretFile !== undefined) {
      complain("secretFile", "says the same as secret; leave one of them out");
    }
    const hasSecret = secret !== undefined || secretFile !== undefined;
    if (authentication?.startsWith("client_secret") && !hasSecret) {
      complain("authentication", "needs the client's secret or secretFile");
    }
    if (authentication === "private_key_jwt" && key === undefined) {
      complain("authentication", "needs the client's private JWK: key");
    }
    if (flow === "client_credentials" && !hasSecret && key === undefined) {
      complain("flow", "needs a client that can authenticate: secret, secretFile or key");
    }
    if (flow === "authorization_code" && value.redirectUri === undefined) {
      complain("flow", "needs the redirectUri at which the suite is to listen");
    }
  });

/** Secrets that a profile holds literally. That is an error, because profiles are shown to others. */
export function literalSecrets(profile: unknown): Problem[] {
  const clients = member(member(profile, "authorizationServer"), "clients");
  return Object.keys(clients).flatMap((name) => {
    const { secret } = member(clients, name);
    if (typeof secret !== "string" || /^\$\{[^}]*\}$/.test(secret)) return [];
    return {
      path: ["authorizationServer", "clients", name, "secret"],
      at: "value",
      text: "must be ${env:NAME}, read from the environment; or name a file in secretFile",
    };
  });
}

function member(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const found = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : {};
}

export const authorizationServer: z.ZodType<AuthorizationServerProfile> = z.strictObject({
  issuer: url.describe("Its issuer identifier, exactly: the `iss` of its tokens."),
  metadataUrl: url.optional().describe("Where its metadata is, if not where RFC 8414 puts it."),
  authorizationUrl: url
    .optional()
    .describe("Its authorization endpoint; default: from the metadata."),
  tokenUrl: url.optional().describe("Its token endpoint; default: from the metadata."),
  jwksUrl: url.optional().describe("Its JWKS; default: from the metadata."),
  maxRequestsPerSecond,
  retryAfterSeconds,
  narrowing: z
    .boolean()
    .default(true)
    .describe("Whether a client may ask for fewer scopes than it is registered for."),
  subjects: z
    .literal("client")
    .optional()
    .describe(
      "`client`: each client has a `sub` of its own. What then no client could show is left out, and the verdict is partial at best.",
    ),
  probes: z
    .boolean()
    .default(false)
    .describe(
      "Consent to requests that it has to refuse: wrong secrets, replayed codes and the like.",
    ),
  waitSeconds: z
    .int()
    .min(0)
    .max(MOST_WAIT_SECONDS)
    .default(USUAL_WAIT_SECONDS)
    .describe(
      "How long a case may wait for a token or a code to expire; codes are tested after 62 and 660 seconds. Default: 30.",
    ),
  scopes: z
    .partialRecord(scope, text)
    .default({})
    .describe("The server's own names for scopes, where they differ from the contract's."),
  clients: z
    .record(z.string().regex(/^[\w-]+$/, "must be a word"), client)
    .default({})
    .describe("The clients that are registered for the suite."),
});
