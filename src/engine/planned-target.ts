import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import { isObject } from "../lib/json.ts";
import type { AuthorizationServer, Client } from "../profile/authorization-server.ts";
import type { OperationProfile } from "../profile/operation.ts";
import type { Denied, IssuerKey, Target } from "../profile/target.ts";

/**
 * What a plan follows from, as far as a report does not tell it already: the same plan can be made from it
 * again. Nothing of it is secret: of bodies, headers, claims and client secrets it says only that they are there.
 */
export interface PlannedTarget {
  /** Full name of the organization-binding claim. */
  readonly bindingClaim?: string | undefined;
  readonly testIssuer: {
    /** The public halves, in the order of the issuer's folder. */
    readonly keys: readonly PublicKey[];
    /** The key that signs controls; of issued tokens it is not known. */
    readonly key: PublicKey;
    readonly algorithms: readonly string[];
    /** Names of the claims of every good token beside those of the contract. */
    readonly claims: readonly string[];
    /** Names of the members of its header beside `alg` and `kid`. */
    readonly header: readonly string[];
    /** The run publishes the keys itself. */
    readonly serve: boolean;
  };
  /** Where good tokens are issued. */
  readonly issued?:
    | { readonly leavesOutTestIssuer: boolean; readonly command: boolean }
    | undefined;
  readonly subject: string;
  readonly organizations: Target["organizations"];
  readonly denied?: Denied | undefined;
  readonly consent: boolean;
  readonly readOnly: boolean;
  /** Whether the profile names an OpenAPI document, and whether it had been read. */
  readonly document: "none" | "unread" | "read";
  /** The operations that are offered. */
  readonly operations: Readonly<Partial<Record<OperationId, PlannedOperation>>>;
  /** Names of the headers of every request. */
  readonly headers: readonly string[];
  readonly callback: boolean;
  readonly authorizationServer?: PlannedServer | undefined;
}

/** What a report tells of the target besides. */
export interface ToldTarget {
  readonly baseUrl: string;
  readonly audience: string;
  readonly issuer: string;
}

type PublicKey = Pick<IssuerKey, "kid" | "alg" | "publicJwk">;

/** What is known of an operation; of its bodies only what cases depend on. */
export interface PlannedOperation extends Omit<
  OperationProfile,
  "body" | "invalidBody" | "changeId" | "headers"
> {
  readonly body?: { readonly object: boolean; readonly unique: boolean } | undefined;
  readonly invalidBody?: boolean | undefined;
  /** The profile names a change. */
  readonly change?: boolean | undefined;
}

export interface PlannedServer extends Pick<
  AuthorizationServer,
  "issuer" | "narrowing" | "probes" | "scopes" | "waitSeconds"
> {
  readonly clients: readonly PlannedClient[];
}

export interface PlannedClient extends Pick<
  Client,
  "name" | "flow" | "id" | "authentication" | "scopes" | "organization" | "subject"
> {
  /** Which of the clients' secrets it has, counted from 1: clients with the same one share the number. */
  readonly secret?: number | undefined;
  /** Its redirect URI has a query of its own. */
  readonly redirectQuery?: boolean | undefined;
  /** Somebody refuses consent. */
  readonly refusal?: boolean | undefined;
}

const UNIQUE = "${unique}";

/** What the plan for a target follows from. */
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
  const { issuer, narrowing, probes, waitSeconds, scopes, clients } = server;
  const secrets = [...new Set(clients.flatMap(({ secret }) => secret ?? []))];
  return {
    issuer,
    narrowing,
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
    ...(refusal !== undefined && { refusal: true }),
  };
}

/** Stands for what the note only says to be there. */
const THERE = "conformance";

/**
 * A target from which the same plan follows, made of what a report says. No request can be made with it.
 * @throws TypeError where the base URL is none
 */
export function targetOfPlan(
  planned: PlannedTarget,
  { baseUrl, audience, issuer }: ToldTarget,
): Target {
  const { origin, pathname } = new URL(baseUrl);
  const { testIssuer, issued, consent, readOnly, organizations, document } = planned;
  const present = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, THERE]));
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
      ...(testIssuer.serve && { serve: THERE }),
      bundled: false,
    },
    issued: issued && {
      leavesOutTestIssuer: issued.leavesOutTestIssuer,
      ...(issued.command && { command: { argv: [THERE], folder: THERE } }),
    },
    subject: planned.subject,
    organizations,
    denied: planned.denied,
    consent,
    readOnly,
    writes: consent && organizations.primary !== undefined && !readOnly,
    ...(document !== "none" && { openapi: THERE }),
    ...(document === "read" && { document: NO_DOCUMENT }),
    withheld: [],
    operations: Object.fromEntries(
      OPERATION_IDS.map((id) => [id, operationOfPlan(planned.operations[id])]),
    ) as Target["operations"],
    request: {
      headers: present(planned.headers),
      timeoutMs: 0,
      ...(planned.callback && { callback: THERE }),
    },
    authorizationServer: planned.authorizationServer && {
      ...planned.authorizationServer,
      clients: planned.authorizationServer.clients.map(
        ({ secret, redirectQuery, refusal, ...client }) => ({
          ...client,
          ...(redirectQuery && { redirectUri: `http://127.0.0.1/?${THERE}` }),
          ...(refusal && { refusal: [THERE] }),
          ...(secret !== undefined && { secret: `${THERE}-${secret}` }),
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
  const value = body?.unique ? UNIQUE : THERE;
  return {
    ...rest,
    ...(body && { body: body.object ? { [THERE]: value } : value }),
    ...(invalidBody && { invalidBody: THERE }),
    ...(change && { changeId: THERE }),
  };
}

/** Plans ask only whether there is one. */
const NO_DOCUMENT = {} as NonNullable<Target["document"]>;
