import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import { isObject } from "../lib/json.ts";
import {
  type AuthorizationServer,
  type Client,
  isUnattended,
} from "../profile/authorization-server.ts";
import type { OperationProfile } from "../profile/operation.ts";
import type { Denied, IssuerKey, Target } from "../profile/target.ts";

/**
 * The inputs of a plan that a report does not hold elsewhere; the same plan can be made from them
 * again. They hold nothing secret: of bodies, headers, claims and client secrets they only say that
 * these are present.
 */
export interface PlannedTarget {
  /** Full name of the organization-binding claim. */
  readonly bindingClaim?: string | undefined;
  readonly testIssuer: {
    /** The public halves, in the order of the issuer's folder. */
    readonly keys: readonly PublicKey[];
    /** The key that signs controls. Unknown where tokens are issued. */
    readonly key: PublicKey;
    readonly algorithms: readonly string[];
    /** Names of the claims that good tokens have in addition to the contract's. */
    readonly claims: readonly string[];
    /** Names of the header members in addition to `alg` and `kid`. */
    readonly header: readonly string[];
    /** Whether the run itself publishes the keys. */
    readonly serve: boolean;
  };
  /** Present where good tokens are issued. */
  readonly issued?:
    | { readonly leavesOutTestIssuer: boolean; readonly command: boolean }
    | undefined;
  readonly subject: string;
  readonly organizations: Target["organizations"];
  readonly denied?: Denied | undefined;
  readonly consent: boolean;
  readonly readOnly: boolean;
  /** Whether the profile names an OpenAPI document, and whether it was read. */
  readonly document: "none" | "unread" | "read";
  /** The operations that are offered. */
  readonly operations: Readonly<Partial<Record<OperationId, PlannedOperation>>>;
  /** Names of the header fields of every request. */
  readonly headers: readonly string[];
  readonly callback: boolean;
  readonly authorizationServer?: PlannedServer | undefined;
}

/** The other members of a target in a report. */
export interface ReportedTarget {
  readonly baseUrl: string;
  readonly audience: string;
  readonly issuer: string;
}

type PublicKey = Pick<IssuerKey, "kid" | "alg" | "publicJwk">;

/** What the plan needs of an operation. Of bodies it holds only what cases depend on. */
export interface PlannedOperation extends Omit<
  OperationProfile,
  "body" | "invalidBody" | "changeId" | "headers"
> {
  readonly body?: { readonly object: boolean; readonly unique: boolean } | undefined;
  readonly invalidBody?: boolean | undefined;
  /** Whether the profile names a change. */
  readonly change?: boolean | undefined;
}

/** What the plan needs of the authorization server. */
export interface PlannedServer extends Pick<
  AuthorizationServer,
  "issuer" | "narrowing" | "subjects" | "probes" | "scopes" | "waitSeconds"
> {
  readonly clients: readonly PlannedClient[];
}

/** What the plan needs of a client. */
export interface PlannedClient extends Pick<
  Client,
  "name" | "flow" | "id" | "authentication" | "scopes" | "organization" | "subject"
> {
  /**
   * A number for the client's secret, counted from 1. Clients with the same secret have the same
   * number.
   */
  readonly secret?: number | undefined;
  /** Whether its redirect URI has a query. */
  readonly redirectQuery?: boolean | undefined;
  /** Whether no person has to give its consent. */
  readonly unattended?: boolean | undefined;
  /** Whether the profile says how to refuse consent. */
  readonly refusal?: boolean | undefined;
}

const UNIQUE = "${unique}";

/** Extracts the inputs of a plan from a target. */
export function plannedTarget(target: Target): PlannedTarget {
  const { testIssuer, issued, openapi, document, authorizationServer, request } = target;
  return {
    bindingClaim: target.bindingClaim,
    testIssuer: {
      keys: testIssuer.keys.map(publicHalf),
      key: publicHalf(testIssuer.key),
      algorithms: testIssuer.algorithms,
      claims: Object.keys(testIssuer.claims),
      header: Object.keys(testIssuer.header),
      serve: testIssuer.serve !== undefined,
    },
    ...(issued && {
      issued: {
        leavesOutTestIssuer: issued.leavesOutTestIssuer,
        command: issued.command !== undefined,
      },
    }),
    subject: target.subject,
    organizations: target.organizations,
    denied: target.denied,
    consent: target.consent,
    readOnly: target.readOnly,
    document: openapi === undefined ? "none" : document ? "read" : "unread",
    operations: Object.fromEntries(
      OPERATION_IDS.flatMap((id) => {
        const operation = target.operations[id];
        return operation ? [[id, plannedOperation(operation)] as const] : [];
      }),
    ),
    headers: Object.keys(request.headers),
    callback: request.callback !== undefined,
    ...(authorizationServer && { authorizationServer: plannedServer(authorizationServer) }),
  };
}

function publicHalf({ kid, alg, publicJwk }: IssuerKey): PublicKey {
  return { kid, alg, publicJwk };
}

function plannedOperation(operation: OperationProfile): PlannedOperation {
  const { body, invalidBody, changeId, headers: _headers, ...rest } = operation;
  return {
    ...rest,
    ...(body !== undefined && {
      body: { object: isObject(body), unique: JSON.stringify(body).includes(UNIQUE) },
    }),
    ...(invalidBody !== undefined && { invalidBody: true }),
    ...(changeId !== undefined && { change: true }),
  };
}

function plannedServer(server: AuthorizationServer): PlannedServer {
  const { issuer, narrowing, subjects, probes, waitSeconds, scopes, clients } = server;
  const secrets = [...new Set(clients.flatMap(({ secret }) => secret ?? []))];
  return {
    issuer,
    narrowing,
    ...(subjects && { subjects }),
    probes,
    waitSeconds,
    scopes,
    clients: clients.map((client) => plannedClient(client, secrets)),
  };
}

function plannedClient(client: Client, secrets: readonly string[]): PlannedClient {
  const { name, flow, id, authentication, scopes, organization, subject } = client;
  const { secret, redirectUri, refusal } = client;
  return {
    name,
    flow,
    id,
    authentication,
    scopes,
    organization,
    subject,
    ...(secret !== undefined && { secret: secrets.indexOf(secret) + 1 }),
    ...(redirectUri?.includes("?") && { redirectQuery: true }),
    ...(isUnattended(client) && { unattended: true }),
    ...(refusal !== undefined && { refusal: true }),
  };
}

/** A value for everything that the note only says is present. */
const PLACEHOLDER = "conformance";

/**
 * Makes a target from a report that gives the same plan. It cannot be used to send requests.
 * @throws TypeError where the base URL is not a URL
 */
export function targetOfPlan(
  planned: PlannedTarget,
  { baseUrl, audience, issuer }: ReportedTarget,
): Target {
  const { origin, pathname } = new URL(baseUrl);
  const { testIssuer, issued, consent, readOnly, organizations, document } = planned;
  const present = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, PLACEHOLDER]));
  return {
    baseUrl,
    origin,
    basePath: pathname.replace(/\/+$/, ""),
    audience,
    bindingClaim: planned.bindingClaim,
    testIssuer: {
      url: issuer,
      keys: testIssuer.keys,
      key: testIssuer.key,
      algorithms: testIssuer.algorithms,
      claims: present(testIssuer.claims),
      header: present(testIssuer.header),
      ...(testIssuer.serve && { serve: PLACEHOLDER }),
      bundled: false,
    },
    issued: issued && {
      leavesOutTestIssuer: issued.leavesOutTestIssuer,
      ...(issued.command && { command: { argv: [PLACEHOLDER], folder: PLACEHOLDER } }),
    },
    subject: planned.subject,
    organizations,
    denied: planned.denied,
    consent,
    readOnly,
    writes: consent && organizations.primary !== undefined && !readOnly,
    ...(document !== "none" && { openapi: PLACEHOLDER }),
    ...(document === "read" && { document: NO_DOCUMENT }),
    withheld: [],
    operations: Object.fromEntries(
      OPERATION_IDS.map((id) => [id, operationOfPlan(planned.operations[id])]),
    ) as Target["operations"],
    request: {
      headers: present(planned.headers),
      timeoutMs: 0,
      ...(planned.callback && { callback: PLACEHOLDER }),
    },
    authorizationServer: planned.authorizationServer && {
      ...planned.authorizationServer,
      clients: planned.authorizationServer.clients.map(
        ({ secret, redirectQuery, unattended, refusal, ...client }) => ({
          ...client,
          ...(redirectQuery && { redirectUri: `http://127.0.0.1/?${PLACEHOLDER}` }),
          ...(unattended && { consent: [PLACEHOLDER] }),
          ...(refusal && { refusal: [PLACEHOLDER] }),
          ...(secret !== undefined && { secret: `${PLACEHOLDER}-${secret}` }),
          authorizationParameters: {},
          tokenParameters: {},
        }),
      ),
    },
    secrets: [],
  };
}

function operationOfPlan(planned: PlannedOperation | undefined): OperationProfile | undefined {
  if (!planned) return undefined;
  const { body, invalidBody, change, ...rest } = planned;
  const value = body?.unique ? UNIQUE : PLACEHOLDER;
  return {
    ...rest,
    ...(body && { body: body.object ? { [PLACEHOLDER]: value } : value }),
    ...(invalidBody && { invalidBody: PLACEHOLDER }),
    ...(change && { changeId: PLACEHOLDER }),
  };
}

/** A plan only asks whether there is a document. */
const NO_DOCUMENT = {} as NonNullable<Target["document"]>;
