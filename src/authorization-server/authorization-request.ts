import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
} from "oauth4webapi";

import type { Client, Consent } from "../profile/authorization-server.ts";
import { askConsent, ConsentFailed } from "./consent.ts";
import type { RedirectListener } from "./redirect-listener.ts";

/**
 * What differs from a good request: parameters to set, to send several times where there are several
 * values, or to leave out where `undefined`.
 */
export type ParameterChange = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What differs from a good authorization request. */
export type AuthorizationChange = ParameterChange;

/** An authorization request, and what the token request that follows it has to know. */
export interface AuthorizationRequest {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

/** What came back to the redirect URI. */
export interface AuthorizationAnswer {
  readonly parameters: URLSearchParams;
  readonly code?: string | undefined;
  readonly error?: string | undefined;
  /** The path that it came to. */
  readonly path: string;
  /** It came by POST, and its code in the query: a redirect that keeps the method, of a form that was sent. */
  readonly resent: boolean;
}

/** Appends parameters; those that are absent are left out. */
export function appendParameters(to: URLSearchParams, parameters: ParameterChange): void {
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of value === undefined ? [] : [value].flat()) to.append(name, one);
  }
}

/**
 * A good authorization request with PKCE, RFC 6749 section 4.1.1 and RFC 7636 section 4.3.
 * @param scope as the server calls them, separated by spaces
 * @param redirectUri where the suite listens for this client
 */
export async function authorizationRequest(
  authorizationUrl: string,
  client: Client,
  scope: string,
  redirectUri: string,
  change: AuthorizationChange = {},
): Promise<AuthorizationRequest> {
  const verifier = generateRandomCodeVerifier();
  const challenge = await calculatePKCECodeChallenge(verifier);
  const state = generateRandomState();
  const url = new URL(authorizationUrl);
  // The endpoint's own query stays, RFC 6749 section 3.1.
  appendParameters(url.searchParams, {
    response_type: "code",
    client_id: client.id,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...client.authorizationParameters,
    ...change,
  });
  return { url: url.href, state, verifier, challenge, redirectUri };
}

/**
 * Has an authorization request answered, and waits for the redirect.
 * @param options.consent who is asked; default: whoever gives consent for the client
 * @param options.timeoutMs how long consent may take
 * @param options.paths to any of which the answer may come; default: that of the redirect URI
 * @returns why there is no answer, where there is none
 */
export async function authorize(
  request: AuthorizationRequest,
  client: Client,
  listener: RedirectListener,
  {
    timeoutMs,
    signal,
    paths = [new URL(request.redirectUri).pathname],
    consent = client.consent ?? "browser",
  }: {
    timeoutMs: number;
    signal?: AbortSignal | undefined;
    paths?: readonly string[] | undefined;
    consent?: Consent | undefined;
  },
): Promise<AuthorizationAnswer | { readonly failed: string; readonly late: boolean }> {
  const done = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    done.abort(new ConsentFailed(`no redirect within ${timeoutMs / 1000} s`));
  }, timeoutMs);
  const interrupt = (): void => done.abort(new ConsentFailed("interrupted"));
  signal?.addEventListener("abort", interrupt);
  try {
    const redirected = listener.next((one) => paths.includes(one.path), done.signal);
    const asked = askConsent(consent, request.url, done.signal);
    // Whoever only opens a browser is done before the person is.
    const ended = asked.then(() =>
      consent === "browser" ? redirected : soonAfter(redirected, consent),
    );
    const { parameters, path, posted } = await Promise.race([redirected, ended]);
    return {
      parameters,
      path,
      resent: posted !== undefined && !posted.has("code") && parameters.has("code"),
      code: parameters.get("code") ?? undefined,
      error: parameters.get("error") ?? undefined,
    };
  } catch (error) {
    if (error instanceof ConsentFailed) return { failed: error.message, late };
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", interrupt);
    done.abort(new ConsentFailed("over"));
  }
}

/** A command that has ended has followed the redirect, if there was one. */
const GRACE_MS = 1000;

async function soonAfter<T>(redirected: Promise<T>, consent: unknown): Promise<T> {
  const who = Array.isArray(consent) ? `the command ${String(consent[0])}` : "the consent";
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ConsentFailed(`${who} ended without a redirect`)),
      GRACE_MS,
    );
  });
  try {
    return await Promise.race([redirected, over]);
  } finally {
    clearTimeout(timer);
  }
}
