import { createHash } from "node:crypto";

import { generateRandomCodeVerifier, generateRandomState } from "oauth4webapi";

import type { Client, Consent } from "../../profile/authorization-server.ts";
import { askConsent, ConsentFailed } from "./consent.ts";
import type { RedirectListener } from "./redirect-listener.ts";

/**
 * Changes to a good request's parameters: a value to set, several values to send one after another,
 * or `undefined` to leave the parameter out.
 */
export type ParameterChange = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An authorization request, with what the token request after it needs. */
export interface AuthorizationRequest {
  /** The endpoint's URL, with the parameters or with the reference to pushed ones. */
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

/** The parameters that came back to the redirect URI. */
export interface AuthorizationAnswer {
  readonly parameters: URLSearchParams;
  readonly code?: string | undefined;
  readonly error?: string | undefined;
  /** The URL at which they arrived, without query. */
  readonly at: string;
  /** Whether the code of a POST was in its query: a redirect that kept the method of a form. */
  readonly resent: boolean;
}

/** Appends parameters in order: one entry for each value of a list, none for `undefined`. Nothing is replaced. */
export function appendParameters(to: URLSearchParams, parameters: ParameterChange): void {
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of value === undefined ? [] : [value].flat()) to.append(name, one);
  }
}

/** An authorization request before it is known how its parameters are sent. */
export interface AuthorizationDraft extends Omit<AuthorizationRequest, "url"> {
  readonly parameters: URLSearchParams;
}

/**
 * Drafts a good authorization request with PKCE, RFC 6749 section 4.1.1 and RFC 7636 section 4.3.
 * @param scope the server's names of the scopes, separated by spaces
 * @param redirectUri where the suite listens for this client
 * @param change differences from the good request; default: none
 */
export function draftRequest(
  client: Client,
  scope: string,
  redirectUri: string,
  change: ParameterChange = {},
): AuthorizationDraft {
  const verifier = generateRandomCodeVerifier();
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const state = generateRandomState();
  const parameters = new URLSearchParams();
  appendParameters(parameters, {
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
  return { parameters, state, verifier, challenge, redirectUri };
}

/** The endpoint's URL with these parameters. It keeps its own query, RFC 6749 section 3.1. */
export function urlWith(endpoint: string, parameters: Iterable<[string, string]>): string {
  const url = new URL(endpoint);
  for (const [name, value] of parameters) url.searchParams.append(name, value);
  return url.href;
}

/** The longest that one consent may take. */
const CONSENT_TIMEOUT_MS = 120_000;

/**
 * Obtains consent for an authorization request, and waits for the redirect.
 * @param consent who gives or refuses it
 * @param listeners where the redirect may arrive; the first one is the redirect URI's
 * @param at the URLs at which the redirect may arrive, without query
 * @returns the redirect, or why there is none and whether the time limit was reached
 */
export async function authorize(
  request: AuthorizationRequest,
  consent: Consent,
  listeners: readonly RedirectListener[],
  at: readonly string[],
  signal: AbortSignal | undefined,
): Promise<AuthorizationAnswer | { readonly failed: string; readonly late: boolean }> {
  const done = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    done.abort(new ConsentFailed(`no redirect within ${CONSENT_TIMEOUT_MS / 1000} s`));
  }, CONSENT_TIMEOUT_MS);
  const interrupt = (): void => done.abort(new ConsentFailed("interrupted"));
  signal?.addEventListener("abort", interrupt);
  try {
    const redirected = Promise.race(
      listeners.map((listener) => listener.next((one) => at.includes(one.at), done.signal)),
    );
    const asked = askConsent(consent, request.url, done.signal);
    // Opening a browser ends long before the person is done.
    const ended = asked.then(() =>
      consent === "browser" ? redirected : soonAfter(redirected, consent),
    );
    const { parameters, at: arrivedAt, posted } = await Promise.race([redirected, ended]);
    return {
      parameters,
      at: arrivedAt,
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

/** A URL without its query, as `Redirected.at` has it. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
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
