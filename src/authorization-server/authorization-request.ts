import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
} from "oauth4webapi";

import type { Client } from "../profile/authorization-server.ts";
import { askConsent, ConsentFailed } from "./consent.ts";
import type { RedirectListener } from "./redirect-listener.ts";

/** What differs from a good authorization request: parameters to set, or to leave out where `undefined`. */
export type AuthorizationChange = Readonly<Record<string, string | undefined>>;

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
  const parameters: Record<string, string | undefined> = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...client.authorizationParameters,
    ...change,
  };
  for (const [name, value] of Object.entries(parameters)) {
    // The endpoint's own query stays, RFC 6749 section 3.1.
    if (value !== undefined) url.searchParams.append(name, value);
  }
  return { url: url.href, state, verifier, challenge, redirectUri };
}

/**
 * Has an authorization request answered, and waits for the redirect.
 * @param options.state the one that the answer must name to be the answer to this request; default: the request's
 * @param options.timeoutMs how long consent may take
 * @returns why there is no answer, where there is none
 */
export async function authorize(
  request: AuthorizationRequest,
  client: Client,
  listener: RedirectListener,
  {
    timeoutMs,
    signal,
    path,
  }: { timeoutMs: number; signal?: AbortSignal | undefined; path?: string | undefined },
): Promise<AuthorizationAnswer | { readonly failed: string; readonly late: boolean }> {
  const consent = client.consent ?? "browser";
  const done = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    done.abort(new ConsentFailed(`no redirect within ${timeoutMs / 1000} s`));
  }, timeoutMs);
  const interrupt = (): void => done.abort(new ConsentFailed("interrupted"));
  signal?.addEventListener("abort", interrupt);
  const wanted = path ?? new URL(request.redirectUri).pathname;
  try {
    const redirected = listener.next((one) => one.path === wanted, done.signal);
    const asked = askConsent(consent, request.url, done.signal);
    // Whoever only opens a browser is done before the person is.
    const ended = asked.then(() =>
      consent === "browser" ? redirected : soonAfter(redirected, consent),
    );
    const { parameters } = await Promise.race([redirected, ended]);
    return {
      parameters,
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
