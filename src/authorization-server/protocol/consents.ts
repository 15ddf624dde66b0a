import PQueue from "p-queue";

import type { Scope } from "../../contract/operations.ts";
import { Interrupted } from "../../http/client.ts";
import { SuiteError } from "../../lib/errors.ts";
import { type Client, isUnattended } from "../../profile/authorization-server.ts";
import {
  type AuthorizationAnswer,
  type ParameterChange,
  type AuthorizationDraft,
  type AuthorizationRequest,
  authorize,
  draftRequest,
  withoutQuery,
} from "./authorization-request.ts";
import type { Credentials } from "./client-authentication.ts";
import type { Failed } from "./failed.ts";
import { scopeWords } from "./grants.ts";
import {
  composeRequest,
  hasToPush,
  pushDraft,
  type PushedAnswer,
  type NotPushed,
  refusalBeforeLogin,
  type RequestSender,
} from "./pushed-request.ts";
import { listenForRedirects, type RedirectListener } from "./redirect-listener.ts";

export interface Coded {
  readonly request: AuthorizationRequest;
  readonly answer: AuthorizationAnswer;
}

/** Differences from the usual authorization request. */
export interface RequestOptions {
  readonly change?: ParameterChange | undefined;
  /** Whether the request is pushed. Default: where the server has the client do so. */
  readonly pushed?: boolean | undefined;
}

/** Differences from the usual consent. */
export interface ConsentOptions extends RequestOptions {
  /** A URL without query at which the redirect may arrive too, on a loopback host. Default: none. */
  readonly alsoAt?: string | undefined;
  /** Whether consent is refused, by the client's `refusal`. Default: false. */
  readonly refuse?: boolean | undefined;
}

/** The steps of the code flow before a code is redeemed, RFC 6749 section 4.1.1. */
export interface Consents {
  /** The authorization request that a browser would make. Sends at most its parameters, to push them. */
  request(
    client: Client,
    scopes: readonly Scope[],
    options?: RequestOptions,
  ): Promise<AuthorizationRequest | NotPushed | Failed>;
  /** Obtains consent and waits for the redirect. One consent runs at a time. */
  obtain(
    client: Client,
    scopes: readonly Scope[],
    options?: ConsentOptions,
  ): Promise<Coded | Failed>;
  /** Whether the server has a client push its authorization requests. It is determined once. */
  pushes(client: Client): Promise<boolean>;
  /** Pushes a client's good authorization request, by its own credentials or by others. */
  push(client: Client, credentials?: Credentials): Promise<PushedAnswer | Failed>;
  /** Where the suite listens for a client's redirects. */
  listener(client: Client): Promise<RedirectListener | Failed>;
  close(): Promise<void>;
}

/** Where redirects arrive, and who follows an authorization request to them. */
export interface ConsentSurroundings {
  /** Where the suite listens for a client's redirects. */
  readonly listenerOf: (client: Client) => Promise<RedirectListener | Failed>;
  /** Listens at a further URL. */
  listenAt(url: string): Promise<RedirectListener | Failed>;
  readonly authorize: typeof authorize;
  readonly hasToPush: typeof hasToPush;
  close(): Promise<void>;
}

export interface ConsentsOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: listeners on loopback, and what each client's `consent` names. */
  readonly surroundings?: ConsentSurroundings | undefined;
  /** Called before each consent: whose, how many before, and whether to refuse. */
  readonly onConsent?: ((client: Client, count: number, refuse: boolean) => void) | undefined;
}

/**
 * Creates the consents of a connection. Only one consent is under way at a time; its steps reject with Interrupted when the signal aborts.
 */
export function createConsents(
  sender: RequestSender,
  { signal, onConsent, surroundings = onLoopback() }: ConsentsOptions,
): Consents {
  const { listenerOf } = surroundings;
  const pushing = new Map<string, Promise<boolean>>();
  const queue = new PQueue({ concurrency: 1 });
  let asked = 0;

  function draftFor(
    client: Client,
    scopes: readonly Scope[],
    { redirectUri }: RedirectListener,
    change?: ParameterChange,
  ): AuthorizationDraft {
    return draftRequest(client, scopeWords(sender.server, scopes), redirectUri, change);
  }

  function pushes(client: Client): Promise<boolean> {
    const found = pushing.get(client.name) ?? findWhetherToPush(client);
    pushing.set(client.name, found);
    return found;
  }

  async function findWhetherToPush(client: Client): Promise<boolean> {
    const listener = await listenerOf(client);
    if ("failed" in listener) return false;
    return surroundings.hasToPush(sender, client, () => draftFor(client, client.scopes, listener));
  }

  async function request(
    client: Client,
    scopes: readonly Scope[],
    { change, pushed }: RequestOptions = {},
  ): Promise<AuthorizationRequest | NotPushed | Failed> {
    const listener = await listenerOf(client);
    if ("failed" in listener) return listener;
    const draft = draftFor(client, scopes, listener, change);
    return composeRequest(sender, client, draft, pushed ?? (await pushes(client)));
  }

  async function push(client: Client, credentials?: Credentials): Promise<PushedAnswer | Failed> {
    const listener = await listenerOf(client);
    if ("failed" in listener) return listener;
    const draft = draftFor(client, client.scopes, listener);
    return pushDraft(sender, client, draft, credentials);
  }

  async function obtain(
    client: Client,
    scopes: readonly Scope[],
    { change, alsoAt, refuse = false, pushed }: ConsentOptions,
  ): Promise<Coded | Failed> {
    const asking = await request(client, scopes, { change, pushed });
    if ("failed" in asking) return asking;
    const listener = await listenerOf(client);
    if ("failed" in listener) return listener;
    const isElsewhere =
      alsoAt !== undefined && new URL(alsoAt).host !== new URL(asking.redirectUri).host;
    const neighbour = isElsewhere ? await surroundings.listenAt(alsoAt) : undefined;
    if (neighbour && "failed" in neighbour) return neighbour;
    asked += 1;
    const consent = refuse ? client.refusal : client.consent;
    onConsent?.(client, asked, refuse);
    const at = [withoutQuery(asking.redirectUri), ...(alsoAt === undefined ? [] : [alsoAt])];
    const giver = consent ?? client.consent ?? "browser";
    const open = neighbour ? [listener, neighbour] : [listener];
    let answer: Awaited<ReturnType<typeof authorize>>;
    try {
      answer = await surroundings.authorize(asking, giver, open, at, signal);
    } finally {
      await neighbour?.close();
    }
    if (signal?.aborted) throw new Interrupted();
    if (!("failed" in answer)) return { request: asking, answer };
    // A person who sees an error page cannot report it, so a missing redirect proves nothing.
    const unclear = answer.late || !isUnattended({ consent });
    const isGood = change === undefined && pushed === undefined;
    // How the server refuses the good request to the suite itself.
    const seen =
      isGood && !unclear
        ? await refusalBeforeLogin(sender, client, draftFor(client, scopes, listener))
        : undefined;
    if (!seen) return { failed: answer.failed, ...(unclear && { unclear }) };
    // What the server asks of everybody is no fault of the command.
    return seen.unclear
      ? { failed: `the authorization endpoint answers by ${seen.by}`, unclear: true }
      : {
          failed: `${answer.failed}; the server answers this good request by ${seen.by} before any login`,
        };
  }

  return {
    request,
    obtain: (client, scopes, options = {}) => queue.add(() => obtain(client, scopes, options)),
    pushes,
    push,
    listener: listenerOf,
    close: () => surroundings.close(),
  };
}

/** Listens at the host of a redirect URI from the first request for it on. */
function onLoopback(): ConsentSurroundings {
  const listeners = new Map<string, Promise<RedirectListener | Failed>>();
  return {
    // Clients of one application often have redirect URIs that differ in the path only.
    async listenerOf({ redirectUri = "" }) {
      const { host, port } = new URL(redirectUri);
      const where = port === "0" ? redirectUri : host;
      const opened = listeners.get(where) ?? openListener(redirectUri);
      listeners.set(where, opened);
      const listener = await opened;
      return "failed" in listener || port === "0" ? listener : { ...listener, redirectUri };
    },
    listenAt: openListener,
    authorize,
    hasToPush,
    async close() {
      const open = await Promise.all(listeners.values());
      await Promise.all(open.flatMap((one) => ("close" in one ? [one.close()] : [])));
    },
  };
}

/** Listens at a redirect URI. That the suite cannot listen there says nothing about the server. */
function openListener(redirectUri: string): Promise<RedirectListener | Failed> {
  return listenForRedirects(redirectUri).catch((error: unknown): Failed => {
    if (error instanceof SuiteError) return { failed: error.message, unclear: true };
    throw error;
  });
}
