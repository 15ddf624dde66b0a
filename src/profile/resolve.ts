import { existsSync } from "node:fs";
import { join } from "node:path";

import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import { contractWords } from "../contract/words.ts";
import { lookupFor } from "../http/connection/addresses.ts";
import { PRIVATE_FILE, privateValues, PUBLIC_FILE } from "../keys/jwks-file.ts";
import { SuiteError } from "../lib/errors.ts";
import { displayPath } from "../lib/paths.ts";
import { isLoopbackHost } from "../lib/uri.ts";
import { clientSecrets, resolveAuthorizationServer } from "./authorization-server-resolve.ts";
import { namedUrls } from "./authorization-server.ts";
import { readCertificates, readPrivateKey } from "./certificates.ts";
import { BUNDLED_KEYS, hasBundledKey, loadIssuerKeys, refuseBundledKeys } from "./issuer-keys.ts";
import {
  type LoadedProfile,
  profileFromObject,
  ownFile,
  loadProfile,
  type Surroundings,
} from "./load.ts";
import type { OperationProfile } from "./operation.ts";
import { otherId, type Profile, type TestIssuerProfile } from "./profile.ts";
import { lowerCased, baseUrlProblem, httpUrlProblem } from "./schema-parts.ts";
import { DEFAULT_ISSUER } from "./schema.ts";
import type { RequestSettings, Target, TestIssuer, TokenCommand } from "./target.ts";

const CLAIM_NAME = "org_id";
const EXAMPLE = "https://sync.example.com/common-grants";
const LOOPBACK_CALLBACK = "http://127.0.0.1:0";

interface ResolveOptions {
  readonly profile?: LoadedProfile | undefined;
  readonly baseUrl?: string | undefined;
  /** Withdraws the profile's consent to writes; default false. */
  readonly readOnly?: boolean | undefined;
  /**
   * An absolute folder to which messages name files relatively, where there is no profile. Default:
   * the process's working directory.
   */
  readonly cwd?: string | undefined;
}

/**
 * Collects everything known of one deployment: the profile, the base URL of the command line and the
 * keys folder, with all defaults. Reads keys and certificates, and sends nothing.
 * @throws {SuiteError} when the base URL is malformed, a file that the profile names is missing or
 * unusable, or no key has the algorithm that the profile asks for
 */
export function resolveTarget(options: ResolveOptions): Target {
  const { baseUrl: override, readOnly = false, cwd } = options;
  const loaded =
    options.profile ?? profileFromObject({ baseUrl: checkedBaseUrl(override) }, ".", { cwd });
  const { profile, secrets, openly } = loaded;
  const baseUrl = override === undefined ? profile.baseUrl : checkedBaseUrl(override);
  const { origin, hostname, pathname } = new URL(baseUrl);
  const named = override === undefined ? undefined : origin;
  const issued = issuedTokensOf(loaded);
  const testIssuer = issued ? issuerOfIssued(profile) : issuerOf(loaded);
  const { claimsNamespace, denied, openapi, deployment } = profile;
  const { primary, other } = profile.organizations;
  const writes = profile.writes && primary !== undefined && !readOnly;

  const authorizationServer = resolveAuthorizationServer(loaded);
  const target: Target = {
    baseUrl,
    origin,
    deployment,
    basePath: pathname.replace(/\/+$/, ""),
    audience: profile.audience ?? baseUrl,
    bindingClaim: claimsNamespace === undefined ? undefined : `${claimsNamespace}/${CLAIM_NAME}`,
    testIssuer,
    issued,
    subject: profile.subject,
    organizations: idsOf(profile),
    denied: denied && { ...denied, subject: deniedSubject(profile) },
    packs: profile.packs,
    consent: profile.writes,
    readOnly,
    // Consent applies to a named organization. Without one there is nothing to change.
    writes,
    otherWrites: writes && typeof other === "object" && other.writes,
    openapi: openapi === undefined ? undefined : openapiSource(openapi, loaded),
    operations: offeredOperations(profile.operations),
    request: requestSettings(loaded, hostname),
    authorizationServer,
    untrusted: loaded.untrusted ? { named } : undefined,
    withheld: [
      ...(loaded.file === undefined ? [] : [loaded.file]),
      ...(issued ? [] : [keysFolder(loaded)]),
    ],
    openly: `${openly}\n${contractWords}`,
    secrets: [
      ...new Set([
        ...secrets,
        ...clientSecrets(authorizationServer),
        ...testIssuer.keys.flatMap(({ privateJwk }) => privateValues(privateJwk ?? {})),
      ]),
    ],
  };
  const server = authorizationServer
    ? [authorizationServer.issuer, ...namedUrls(authorizationServer)]
    : [];
  for (const url of server) lookupFor({ ...target, origin: new URL(url).origin });
  return target;
}

function idsOf(profile: Profile): Target["organizations"] {
  const { primary } = profile.organizations;
  const other = otherId(profile);
  return { ...(primary !== undefined && { primary }), ...(other !== undefined && { other }) };
}

/** The test issuer of the profile, or the bundled one. */
function testIssuerOf({ profile: { testIssuer } }: LoadedProfile): TestIssuerProfile {
  return testIssuer || { url: DEFAULT_ISSUER, claims: {}, header: {} };
}

/** Where the profile names another source of tokens, the bundled keys are not used. */
function issuedTokensOf({ profile, folder, untrusted, where }: LoadedProfile): Target["issued"] {
  const { testIssuer, authorizationServer, tokens } = profile;
  const command = tokens?.command as TokenCommand["argv"] | undefined;
  if (command && untrusted) {
    throw new SuiteError("ERR_PROFILE", `${where(["tokens", "command"])} is a command`, {
      hint: "With --untrusted a profile may run no commands; name clients of authorizationServer.",
    });
  }
  if (testIssuer || !(authorizationServer ?? tokens)) return undefined;
  return {
    leavesOutTestIssuer: testIssuer === false,
    ...(command && { command: { argv: command, folder } }),
  };
}

/** The issuer's properties before the first issued token. */
function issuerOfIssued({ authorizationServer }: Profile): TestIssuer {
  return {
    url: authorizationServer?.issuer ?? "",
    keys: [],
    key: { kid: "", alg: "RS256", publicJwk: {} },
    algorithms: [],
    claims: {},
    header: {},
    bundled: false,
  };
}

/** The `sub` that local policy denies. For a client without `subject` it is the client's id. */
function deniedSubject({ denied, subject, authorizationServer }: Profile): string {
  const client = denied?.client && authorizationServer?.clients[denied.client];
  return client ? (client.subject ?? client.id) : (denied?.subject ?? subject);
}

function keysFolder(loaded: LoadedProfile): string {
  const { keys } = testIssuerOf(loaded);
  if (keys === undefined) return BUNDLED_KEYS;
  return naming(loaded.where(["testIssuer", "keys"]), () => {
    for (const file of [PUBLIC_FILE, PRIVATE_FILE]) ownFile(loaded, join(keys, file));
    return ownFile(loaded, keys);
  });
}

function checkedBaseUrl(baseUrl: string | undefined): string {
  if (baseUrl === undefined) {
    throw new SuiteError("ERR_PROFILE", "There is no base URL to certify", {
      hint: `Give one, such as ${EXAMPLE}, or a profile that has one.`,
    });
  }
  const problem = baseUrlProblem(baseUrl);
  if (problem)
    throw new SuiteError("ERR_PROFILE", `The base URL ${problem}`, {
      hint: `For example ${EXAMPLE}.`,
    });
  return baseUrl;
}

function issuerOf(loaded: LoadedProfile): TestIssuer {
  const { cwd, where } = loaded;
  const testIssuer = testIssuerOf(loaded);
  const folder = keysFolder(loaded);
  const place = (key: "keys" | "algorithm" | "algorithms"): string => where(["testIssuer", key]);
  const keys = naming(place("keys"), () => loadIssuerKeys(folder, cwd));
  const available = [...new Set(keys.map(({ alg }) => alg))].join(", ");

  const { algorithm, algorithms } = testIssuer;
  if (algorithm !== undefined && algorithms && !algorithms.includes(algorithm)) {
    throw new SuiteError(
      "ERR_PROFILE",
      `${place("algorithm")} is ${algorithm}, which \`testIssuer.algorithms\` does not list: good tokens must use an algorithm that the deployment supports`,
    );
  }
  const source =
    testIssuer.keys === undefined
      ? "none of the bundled keys"
      : `no key in ${displayPath(folder, cwd)}`;
  const wanted = algorithm === undefined ? algorithms : [algorithm];
  const key = keys.find(({ alg }) => wanted?.includes(alg) ?? true);
  if (!key) {
    throw new SuiteError(
      "ERR_PROFILE",
      `${place(algorithm === undefined ? "algorithms" : "algorithm")} asks for ${wanted?.join(", ")}, but ${source} signs with that`,
      {
        hint: `The keys sign with ${available}. \`orgsync-conformance keys generate <folder>\` makes others.`,
      },
    );
  }
  return {
    url: testIssuer.url,
    keys,
    key,
    algorithms: [...new Set(algorithms ?? [key.alg])],
    claims: testIssuer.claims,
    header: testIssuer.header,
    serve: testIssuer.serve,
    bundled: hasBundledKey(keys),
  };
}

function offeredOperations(
  operations: LoadedProfile["profile"]["operations"],
): Target["operations"] {
  const entries = OPERATION_IDS.map((id) => [id, operations[id] ?? {}] as const);
  return Object.fromEntries(
    entries.map(([id, operation]) => [
      id,
      operation === false ? undefined : resolvedOperation(operation),
    ]),
  ) as Record<OperationId, OperationProfile | undefined>;
}

function resolvedOperation({
  path,
  headers,
  ...rest
}: OperationProfile & { readonly path?: string | undefined }): OperationProfile {
  return {
    ...rest,
    ...(path !== undefined && { trailingSlash: path.endsWith("/") }),
    ...(headers && { headers: lowerCased(headers) }),
  };
}

function openapiSource(openapi: string, loaded: LoadedProfile): string {
  const { cwd, where } = loaded;
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(openapi)) {
    const problem = httpUrlProblem(openapi);
    if (problem) throw new SuiteError("ERR_PROFILE", `${where(["openapi"])} ${problem}`);
    return openapi;
  }
  const file = naming(where(["openapi"]), () => ownFile(loaded, openapi));
  if (!existsSync(file)) {
    throw new SuiteError(
      "ERR_PROFILE",
      `${where(["openapi"])}: ${displayPath(file, cwd)} does not exist`,
      {
        hint: "It must be a file path, relative to the profile's folder, or an http or https URL.",
      },
    );
  }
  return file;
}

function requestSettings(loaded: LoadedProfile, hostname: string): RequestSettings {
  const { cwd, where } = loaded;
  const { request } = loaded.profile;
  const read = (
    name: "ca" | "cert" | "key",
    textOf: (file: string) => string,
  ): string | undefined => {
    const path = request[name];
    if (path === undefined) return undefined;
    return naming(where(["request", name]), () => textOf(ownFile(loaded, path)));
  };
  const ca = read("ca", (file) => readCertificates(file, cwd));
  const cert = read("cert", (file) => readCertificates(file, cwd));
  const key = read("key", (file) => readPrivateKey(file, cert ?? "", cwd));
  const callback = request.callback ?? (isLoopbackHost(hostname) ? LOOPBACK_CALLBACK : undefined);
  return { ...request, headers: lowerCased(request.headers), ca, cert, key, callback };
}

function naming<Result>(place: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof SuiteError)) throw cause;
    const { code, message, hint } = cause;
    throw new SuiteError(code, `${place}: ${message}`, { hint, cause });
  }
}

/** How to find a deployment, and what the suite may do to it. */
export interface TargetOptions extends Surroundings {
  /**
   * A profile's file (YAML or JSON), or a profile as an object. Its relative paths start at the
   * file's folder, or at `cwd`.
   */
  readonly profile?: string | Readonly<Record<string, unknown>> | undefined;
  /** Overrides the profile's base URL; needed where there is no profile. */
  readonly baseUrl?: string | undefined;
  /** Sends no PATCH and no POST, whatever the profile consents to; default false. */
  readonly readOnly?: boolean | undefined;
  /** Uses the bundled keys, which are public, against other machines; default false. */
  readonly allowBundledKeys?: boolean | undefined;
}

/**
 * The target of a profile, a base URL, or both. Reads files and sends nothing.
 * @throws SuiteError when the profile, the base URL or the keys are unusable
 */
export function findTarget(options: TargetOptions): Target {
  const { profile: source, baseUrl, readOnly, allowBundledKeys = false, cwd, env } = options;
  const surroundings = { cwd, env, untrusted: options.untrusted };
  const profile =
    typeof source === "string"
      ? loadProfile(source, surroundings)
      : source && profileFromObject(source, ".", surroundings);
  const target = resolveTarget({ profile, baseUrl, readOnly, cwd });
  refuseBundledKeys(target, allowBundledKeys);
  return target;
}
