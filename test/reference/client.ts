import { exportJWK, generateKeyPair, SignJWT, type JSONWebKeySet } from "jose";

import { OPERATIONS, SCOPES, type OperationId } from "../../src/contract/operations.ts";
import type { RunningReference } from "../../src/reference/index.ts";
import { PRIMARY, SUBJECT } from "../../src/reference/store.ts";

const ISSUER = "https://issuer.example.com";
export const BINDING = "https://example.com/org_id";

/** The issuer has one key for each; its `kid` is the algorithm's name. */
export const ALGORITHMS: readonly string[] = ["ES256", "EdDSA", "RS256", "PS256"];

const PAIRS = await Promise.all(
  ALGORITHMS.map(async (alg) => ({ alg, ...(await generateKeyPair(alg, { extractable: true })) })),
);

export const JWKS: JSONWebKeySet = {
  keys: await Promise.all(
    PAIRS.map(async ({ alg, publicKey }) => ({
      ...(await exportJWK(publicKey)),
      kid: alg,
      alg,
      use: "sig",
    })),
  ),
};

/** Changes to a good token. A claim or header that is undefined is left out. */
export interface TokenChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly alg?: string;
}

/** A token that the receiver accepts for everything, except for the requested changes. */
export async function mint(
  receiver: RunningReference,
  changes: TokenChanges = {},
): Promise<string> {
  const { alg = "ES256" } = changes;
  const pair = PAIRS.find((one) => one.alg === alg);
  if (!pair) throw new Error(`no key for ${alg}`);
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: ISSUER,
    sub: SUBJECT,
    aud: receiver.baseUrl,
    iat: now - 60,
    exp: now + 600,
    scope: SCOPES.join(" "),
    ...changes.claims,
  };
  return new SignJWT(defined(claims))
    .setProtectedHeader({ alg, ...defined({ typ: "JWT", kid: alg, ...changes.header }) })
    .sign(pair.privateKey);
}

function defined(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

export interface Request {
  /** Default viewOrganization. */
  readonly operation?: OperationId;
  /** Default: the primary one. */
  readonly orgId?: string;
  readonly changeId?: string;
  readonly query?: string;
  /** Replaces method and path. */
  readonly method?: string;
  readonly path?: string;
  /** `Authorization`, whole. Default: a good token; null sends none. */
  readonly authorization?: string | null;
  /** Changes to the good token. */
  readonly token?: TokenChanges;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is when it is a string. Default for writes: a valid patch. */
  readonly body?: unknown;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or the text if it is not JSON. */
  readonly body: unknown;
}

/** Sends one request, with a good token unless it says otherwise. */
export async function send(receiver: RunningReference, request: Request = {}): Promise<Reply> {
  const { operation = "viewOrganization", query = "" } = request;
  const { method, path, writes } = OPERATIONS[operation];
  const authorization =
    request.authorization === undefined
      ? `Bearer ${await mint(receiver, request.token)}`
      : request.authorization;
  const body = request.body ?? (writes ? { mission: "changed" } : undefined);
  const url = path
    .replace("{orgId}", request.orgId ?? PRIMARY)
    .replace("{changeId}", request.changeId ?? knownChange(receiver));
  const response = await fetch(receiver.baseUrl + (request.path ?? url) + query, {
    method: request.method ?? method,
    redirect: "manual",
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(authorization !== null && { authorization }),
      ...request.headers,
    },
    body: typeof body === "string" ? body : body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function knownChange({ profile }: RunningReference): string {
  const operations = profile["operations"] as Record<string, { changeId?: string }>;
  return operations["readChange"]?.changeId ?? "";
}
