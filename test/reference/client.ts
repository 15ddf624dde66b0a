import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JSONWebKeySet } from "jose";

import { OPERATIONS, SCOPES, type OperationId } from "../../src/contract/operations.ts";
import { DENIED } from "../../src/reference/store.ts";

const ISSUER = "https://issuer.example.com";
const NAMESPACE = "https://example.com";
export const BINDING: string = `${NAMESPACE}/org_id`;

interface Pair {
  readonly alg: string;
  readonly privateKey: CryptoKey;
}

const ALGORITHMS = ["ES256", "EdDSA", "RS256", "PS256"];

/** One key for each algorithm; `kid` is the algorithm's name. */
export const PAIRS: readonly Pair[] = [];
export const JWKS: JSONWebKeySet = { keys: [] };

for (const alg of ALGORITHMS) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  (PAIRS as Pair[]).push({ alg, privateKey });
  JWKS.keys.push({ ...(await exportJWK(publicKey)), kid: alg, alg, use: "sig" });
}

/** The part of a running receiver that the tests need. */
export interface Receiver {
  readonly baseUrl: string;
  readonly profile: Readonly<Record<string, unknown>>;
}

/** Changes to a good token. A claim or header that is undefined is left out. */
export interface TokenChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly alg?: string;
  readonly key?: CryptoKey;
}

/** A token that the receiver accepts for everything, except for the requested changes. */
export async function mint(receiver: Receiver, changes: TokenChanges = {}): Promise<string> {
  const { alg = "ES256" } = changes;
  const key = changes.key ?? PAIRS.find((pair) => pair.alg === alg)?.privateKey;
  if (!key) throw new Error(`no key for ${alg}`);
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: ISSUER,
    sub: receiver.profile["subject"],
    aud: receiver.baseUrl,
    iat: now - 60,
    exp: now + 600,
    scope: SCOPES.join(" "),
    ...changes.claims,
  };
  return new SignJWT(defined(claims))
    .setProtectedHeader({ alg, ...defined({ typ: "JWT", kid: alg, ...changes.header }) })
    .sign(key);
}

function defined(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

export interface Request {
  /** Default viewOrganization. */
  readonly operation?: OperationId;
  /** Default `organizations.primary`. */
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
export async function send(receiver: Receiver, request: Request = {}): Promise<Reply> {
  const { operation = "viewOrganization", query = "" } = request;
  const { method, path, writes } = OPERATIONS[operation];
  const authorization =
    request.authorization === undefined
      ? `Bearer ${await mint(receiver, request.token)}`
      : request.authorization;
  const body = request.body ?? (writes ? { mission: "changed" } : undefined);
  const url = path
    .replace("{orgId}", request.orgId ?? organization(receiver, "primary"))
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

export function organization(receiver: Receiver, which: "primary" | "other"): string {
  return (receiver.profile["organizations"] as Record<string, string>)[which] as string;
}

/** The organization that the receiver's usual subject may not act on. */
export function deniedOrganization({ profile }: Receiver): string {
  const denied = profile["denied"] as Record<"subject" | "organization", string>;
  return denied.subject === profile["subject"] ? denied.organization : DENIED;
}

function knownChange(receiver: Receiver): string {
  const operations = receiver.profile["operations"] as Record<string, { changeId?: string }>;
  return operations["readChange"]?.changeId ?? "";
}

/** The members of `body` by the name; undefined where it is no object. */
export function member(body: unknown, name: string): unknown {
  return (body as Record<string, unknown> | null)?.[name];
}
