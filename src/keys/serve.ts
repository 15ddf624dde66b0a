import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";

import { SuiteError } from "../lib/errors.ts";
import { systemReason } from "../lib/system-error.ts";
import { algorithmsFor, type Jwk, ALGORITHMS } from "./algorithms.ts";
import { newKey } from "./generate.ts";
import { PUBLIC_FILE, publicMembers, readJwks } from "./jwks-file.ts";

interface ListenOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** The address or name to listen on; IPv6 without brackets. */
  readonly host: string;
  /** The `issuer` of the metadata and `iss` of the tokens. Default: the URL that was used. */
  readonly issuer?: string | undefined;
  /** Advice for an address that it cannot listen on. */
  readonly hint: string;
}

export type ServeKeysOptions = Omit<ListenOptions, "hint"> & { readonly folder: string };

export interface KeyServer {
  /** The server's URL, without a trailing slash. */
  readonly url: string;
  /** How many times the JWK Set was requested. */
  readonly fetches: number;
  /** Closes the server and its open connections. Can be called twice. */
  readonly close: () => Promise<void>;
}

const JWKS_PATH = "/.well-known/jwks.json";

/**
 * Publishes a test issuer for deployments that fetch keys by URL: the JWK Set at `/.well-known/jwks.json` and
 * `/jwks.json`, issuer metadata at `/.well-known/oauth-authorization-server` (RFC 8414) and
 * `/.well-known/openid-configuration`. Serves only public members of asymmetric keys, whatever the file holds. Reads
 * the file once.
 * @throws {SuiteError} when `jwks.json` is unusable, the issuer is not a URL, or it cannot listen on the address
 */
export async function serveKeys({ folder, ...options }: ServeKeysOptions): Promise<KeyServer> {
  const keys = readJwks(folder, PUBLIC_FILE);
  const hint = "Choose another one with --host and --port; port 0 takes any free one.";
  return publishKeys(() => keys, { ...options, hint });
}

/**
 * Like `serveKeys`, for keys that may change while they are published.
 * @param current called for each request
 * @throws {SuiteError} when the issuer is not a URL, or it cannot listen on the address
 */
async function publishKeys(
  current: () => readonly Jwk[],
  options: ListenOptions,
): Promise<KeyServer> {
  const issuerPath = options.issuer === undefined ? "" : pathOfIssuer(options.issuer);
  const metadataPaths = new Set([
    "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server",
    `${issuerPath}/.well-known/openid-configuration`, // OpenID Connect Discovery 1.0 §4
    `/.well-known/oauth-authorization-server${issuerPath}`, // RFC 8414 §3
  ]);

  let fetches = 0;
  const server = createServer((request, response) => {
    const keys = current()
      .filter((jwk) => algorithmsFor(jwk).length > 0)
      .map(publicMembers);
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("Allow", "GET, HEAD");
      answer(request, response, 405, { error: "only GET and HEAD are answered here" });
    } else if (path === JWKS_PATH || path === "/jwks.json") {
      fetches += 1;
      answer(request, response, 200, { keys });
    } else if (metadataPaths.has(path)) {
      const reached = originReached(request) ?? url;
      answer(request, response, 200, issuerMetadata(options.issuer ?? reached, reached, keys));
    } else {
      answer(request, response, 404, { error: "only keys and issuer metadata are served here" });
    }
  });
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  const url = `http://${isIPv6(options.host) ? `[${options.host}]` : options.host}:${port}`;

  return {
    url,
    get fetches() {
      return fetches;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function pathOfIssuer(issuer: string): string {
  if (!URL.canParse(issuer)) {
    throw new SuiteError("ERR_FLAG", `The issuer ${issuer} is not a URL`, {
      hint: "It is the `iss` of the tokens, such as https://issuer.example.com.",
    });
  }
  return new URL(issuer).pathname.replace(/\/+$/, "");
}

/** The members that RFC 8414 §2 and OpenID Connect Discovery 1.0 §3 require. The two endpoints do not exist. */
function issuerMetadata(issuer: string, reached: string, keys: readonly Jwk[]): object {
  const algorithms = keys.map((jwk) => jwk["alg"] ?? algorithmsFor(jwk)[0]);
  return {
    issuer,
    jwks_uri: `${reached}${JWKS_PATH}`,
    authorization_endpoint: `${reached}/authorize`,
    token_endpoint: `${reached}/token`,
    response_types_supported: ["code"],
    grant_types_supported: ["client_credentials", "authorization_code"],
    code_challenge_methods_supported: ["S256"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [...new Set(algorithms)],
  };
}

/** Behind a published port or a wildcard address, only the client knows the name of this server. */
function originReached({ headers: { host } }: IncomingMessage): string | undefined {
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : undefined;
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  content: object,
): void {
  const body = JSON.stringify(content, null, 2);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-cache",
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

async function listen(server: Server, { port, host, hint }: ListenOptions): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (cause) {
    throw new SuiteError(
      "ERR_LISTEN",
      `Cannot serve keys on ${host}, port ${port}: ${systemReason(cause, { EACCES: "that port needs more rights" })}`,
      { hint, cause },
    );
  }
}

/** A key pair of the test issuer that exists only in memory. */
interface PublishedKey {
  readonly kid: string;
  readonly alg: string;
  /** Must never be recorded. */
  readonly privateJwk: Jwk;
  readonly publicJwk: Jwk;
}

/** The test issuer's JWK Set while a run publishes it. */
export interface KeyRotation extends KeyServer {
  /** Makes a key and adds it to the published set. Throws TypeError for an unknown algorithm. */
  add(alg: string): Promise<PublishedKey>;
  /** Removes a key from the published set. */
  withdraw(kid: string): void;
}

/**
 * Publishes the test issuer's JWK Set, and metadata that points to it.
 * @param address an http URL; the server listens on its host and port
 * @param issuer the `iss` of its tokens
 * @param keys the initial public keys
 * @throws {SuiteError} when the suite cannot listen on the address
 */
export async function openRotation(
  address: string,
  issuer: string,
  keys: readonly Readonly<Record<string, unknown>>[],
): Promise<KeyRotation> {
  const { hostname, port } = new URL(address);
  const published = new Map(keys.map((jwk) => [jwk["kid"], jwk as Jwk]));
  const server = await publishKeys(() => [...published.values()], {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || 80),
    // A test issuer's name need not be a URL. Then it has no path to publish metadata at.
    issuer: URL.canParse(issuer) ? issuer : undefined,
    hint: "`testIssuer.serve` in the profile names it.",
  });
  return Object.assign(server, {
    async add(alg: string) {
      const known = ALGORITHMS.find((one) => one === alg);
      if (!known) throw new TypeError(`no keys can be made for ${alg}`);
      const privateJwk = await newKey(known);
      const publicJwk = publicMembers(privateJwk);
      published.set(privateJwk.kid, publicJwk);
      return { kid: privateJwk.kid, alg, privateJwk, publicJwk };
    },
    withdraw(kid: string) {
      published.delete(kid);
    },
  });
}
