import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWK, SignJWT } from "jose";

import { listening } from "../support/listening.ts";
import type { Habits } from "./small-server-habits.ts";

export interface SmallServer {
  readonly issuer: string;
  readonly jwks: JSONWebKeySet;
  /** Values that only the recipient may see: tokens, codes, verifiers, cookies. */
  readonly secrets: ReadonlySet<string>;
}

const SCOPES: Readonly<Record<string, readonly string[]>> = {
  service: ["org:read", "org:write", "org.changes:read", "org.changes:write"],
  web: ["org:read", "org.changes:read"],
  second: ["org:read", "org.changes:read"],
};

const METHODS = ["client_secret_basic", "client_secret_post", "private_key_jwt"];

/** Whether a client is registered for the authorization code flow. */
function isForCodes(id: string | null): boolean {
  return id === "web" || id === "second";
}

function isEqual(one: string, other: string): boolean {
  return one === other;
}

/** A hand-written authorization server with the clients `service` and `web`, which have the given secret. */
export async function smallServer(
  secret: string,
  audience: () => string,
  habits: Habits = {},
): Promise<SmallServer> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const { publishedKey = {}, furtherKeys = [] } = habits;
  const key: JWK = { ...(await exportJWK(publicKey)), kid: "small", use: "sig" };
  const change = typeof publishedKey === "function" ? publishedKey(key) : publishedKey;
  const jwks = { keys: [...furtherKeys, { ...key, ...change }] };
  if (habits.otherKey) {
    const { publicKey: other } = await generateKeyPair("ES256");
    jwks.keys.push({ ...(await exportJWK(other)), kid: "other", use: "sig" });
  }
  const codes = new Map<string, URLSearchParams>();
  const pushed = new Map<string, URLSearchParams>();
  /** The scopes that were consented to, by refresh token. */
  const refreshable = new Map<string, string>();
  const secrets = new Set<string>();
  let origin = "";
  let consents = 0;
  let responses = 0;
  let latestChallenge = "";

  const granted = (client: string, asked: string): string[] => {
    const { prefix = "", grantsAll, defaults, sharedNames } = habits;
    const registered = SCOPES[client] ?? [];
    const words = asked.split(" ").map((word) => word.replace(prefix, ""));
    const nameOf = (scope: string): string => (sharedNames ? scope.replace(".changes", "") : scope);
    const own =
      grantsAll || (habits.defaultsUnsaid && asked === "")
        ? registered
        : registered.filter((scope) => words.includes(nameOf(scope)));
    const named = habits.ownWords ? own.map((scope) => prefix + scope) : own;
    return defaults ? [...named, "profile", "email"] : [...named];
  };

  const isLaxFor = (id: string | null): boolean => id === (habits.laxFor ?? id);
  const { lifetime = 300, sameUri = isEqual, sameHash = isEqual } = habits;

  async function idToken(client: string): Promise<object> {
    if (!habits.idTokens) return {};
    const isForReceiver = habits.idTokens === "for the receiver";
    const scope = { scope: (SCOPES[client] ?? []).join(" ") };
    const signed = await new SignJWT({
      sub: "svc-conformance",
      nonce: "n",
      ...(isForReceiver && scope),
    })
      .setProtectedHeader({ alg: "ES256", kid: "small" })
      .setIssuer(issuer())
      .setAudience(isForReceiver ? audience() : client)
      .setIssuedAt()
      .setExpirationTime(`${lifetime}s`)
      .sign(privateKey);
    secrets.add(signed);
    return { id_token: signed };
  }

  function refreshTokenFor(asked: string): object {
    if (!habits.refresh) return {};
    const refreshToken = habits.refreshToken?.() ?? randomBytes(16).toString("hex");
    refreshable.set(refreshToken, asked);
    secrets.add(refreshToken);
    return { refresh_token: refreshToken };
  }

  async function token(client: string, asked: string, flow: string): Promise<object> {
    const scope = granted(client, asked).join(" ");
    const isRight = habits.audienceFor?.(flow, asked) ?? true;
    const aud = habits.defaults ? [audience(), "account"] : isRight ? audience() : client;
    const iat = Math.floor(Date.now() / 1000);
    const times = { iat, exp: iat + lifetime };
    const claims = {
      iss: issuer(),
      sub: "svc-conformance",
      aud,
      scope,
      grant_type: flow === "refresh_token" ? "authorization_code" : flow,
      ...times,
    };
    const accessToken = await new SignJWT({ ...claims, ...habits.claims?.(claims, flow) })
      .setProtectedHeader({ alg: "ES256", kid: "small", ...habits.header })
      .sign(privateKey);
    secrets.add(accessToken).add(accessToken.slice(accessToken.lastIndexOf(".") + 1));
    return {
      access_token: accessToken,
      token_type: "bearer",
      expires_in: lifetime,
      ...(!habits.silent &&
        !(habits.defaultsUnsaid && (asked === "" || asked === scope)) && {
          scope:
            habits.anyOrder && ++responses % 2 === 0
              ? scope.split(" ").toReversed().join(" ")
              : scope,
        }),
      ...(flow === "authorization_code" && (await idToken(client))),
      ...((flow === "authorization_code" || (flow === "refresh_token" && habits.rotates)) &&
        refreshTokenFor(asked)),
    };
  }

  const issuer = (): string => origin + (habits.slash ? "/" : "");

  async function authenticated(
    form: URLSearchParams,
    basic: string | undefined,
  ): Promise<string | undefined> {
    if (habits.authenticates) return habits.authenticates(form, basic, issuer());
    const [id, given] = credentialsIn(form, basic);
    return given === secret ? id : undefined;
  }

  /** RFC 9126 section 2: a request that the client pushes is checked before the login. */
  async function answerPushed(
    form: URLSearchParams,
    basic: string | undefined,
  ): Promise<[number, object]> {
    const id = habits.openPush ? form.get("client_id") : await authenticated(form, basic);
    if (id === undefined) return [401, { error: "invalid_client" }];
    const isGood =
      isForCodes(id) &&
      form.get("client_id") === id &&
      isRegistered(form) &&
      form.get("response_type") === "code" &&
      form.get("code_challenge_method") === "S256";
    if (!isGood) return [400, { error: "invalid_request" }];
    const uri = `urn:ietf:params:oauth:request_uri:${randomBytes(16).toString("hex")}`;
    secrets.add(uri);
    pushed.set(uri, form);
    return [201, { request_uri: uri, expires_in: 60 }];
  }

  async function answerToken(
    form: URLSearchParams,
    basic: string | undefined,
  ): Promise<[number, object]> {
    const isOpen = habits.openRefresh && form.get("grant_type") === "refresh_token";
    const id = isOpen ? form.get("client_id") : await authenticated(form, basic);
    const code = form.get("code") ?? "";
    const verifier = form.get("code_verifier") ?? "";
    if (verifier.length >= 43) secrets.add(verifier);
    const request = codes.get(code);
    if (habits.burns) codes.delete(code);
    if (id === undefined || id === null) return [401, { error: "access_denied" }];
    if (form.get("grant_type") === "client_credentials") {
      if (id !== "service" && !(habits.bothFlows && id in SCOPES))
        return [400, { error: "unauthorized_client" }];
      return [200, await token(id, form.get("scope") ?? "", "client_credentials")];
    }
    if (form.get("grant_type") === "refresh_token") {
      const given = form.get("refresh_token") ?? "";
      const consented = refreshable.get(given) ?? habits.refreshesOther?.(given, refreshable);
      if (consented === undefined) return [400, { error: "invalid_grant" }];
      if (habits.rotates || habits.refreshesOnce) refreshable.delete(given);
      const asked = habits.refresh === "as asked" ? form.get("scope") : null;
      return [200, await token(id, asked ?? consented, "refresh_token")];
    }
    const hash = createHash("sha256").update(verifier).digest("base64url");
    const challenge = habits.latestChallenge ? latestChallenge : request?.get("code_challenge");
    const isUnproved =
      (habits.noPkce && isLaxFor(id)) ||
      (habits.methodNeeded && !request?.has("code_challenge_method")) ||
      (habits.comparesOnce && !request?.has("code_challenge"));
    const good =
      request?.get("client_id") === ((habits.codesByName && form.get("client_id")) || id) &&
      sameUri(form.get("redirect_uri") ?? "", request.get("redirect_uri") ?? "") &&
      (isUnproved || sameHash(hash, challenge ?? ""));
    if (habits.comparesOnce) request?.delete("code_challenge");
    if (!request || !good) return [400, { error: "invalid_grant" }];
    if (!habits.codesTwice) codes.delete(code);
    return [200, await token(id, request.get("scope") ?? "", "authorization_code")];
  }

  function isRegistered(query: URLSearchParams): boolean {
    const redirectUri = query.get("redirect_uri") ?? "";
    if (!URL.canParse(redirectUri)) return false;
    const { protocol, hostname, pathname, search, hash } = new URL(redirectUri);
    const path = habits.anyCase ? pathname.toLowerCase() : pathname;
    const isPlain = protocol === "http:" && search === "" && hash === "";
    const isHost = habits.anyHost || hostname === "127.0.0.1";
    return (
      isPlain &&
      isHost &&
      ((habits.anyPath && isLaxFor(query.get("client_id"))) || path === "/callback")
    );
  }

  function authorize(query: URLSearchParams, given: string | null, response: ServerResponse): void {
    const answer = habits.asksNobody ? "yes" : given;
    const redirectUri = query.get("redirect_uri") ?? "";
    const isHttp = URL.canParse(redirectUri) && redirectUri.startsWith("http:");
    if (habits.errorsFirst && query.get("response_type") !== "code" && isHttp) {
      const registered = new URL("/callback", redirectUri);
      registered.search = "error=unsupported_response_type";
      response.writeHead(302, { location: registered.href }).end();
      return;
    }
    const known = isRegistered(query) && isForCodes(query.get("client_id"));
    if (answer === null && (known || habits.loginFirst)) {
      response.setHeader("content-type", "text/html");
      const isAsked =
        !(habits.remembersConsent && consents > 0) || query.get("prompt") === "consent";
      const cancel = isAsked ? '<button name="login" value="no">Cancel</button>' : "";
      response.end(
        `<form method="post"><button name="login" value="yes">Log in</button>${cancel}</form>`,
      );
    } else if ((known || (habits.refusalAnywhere && isHttp)) && answer === "no") {
      if (habits.refusalPage) response.end("You have refused.");
      else {
        const back = backTo(redirectUri, query);
        back.searchParams.set("error", "access_denied");
        habits.refusal?.(back.searchParams);
        response.writeHead(302, { location: back.href }).end();
      }
    } else if (known) {
      consents += 1;
      const back = backTo(redirectUri, query);
      const code = habits.code?.() ?? randomBytes(16).toString("hex");
      const method = query.get("code_challenge_method");
      const isKnown =
        query.get("response_type") === "code" &&
        (method === "S256" || (habits.methodNeeded && method === null));
      if (query.has("code_challenge") && isKnown) {
        codes.set(code, query);
        latestChallenge = query.get("code_challenge") ?? "";
        secrets.add(code);
        back.searchParams.set("code", code);
      } else back.searchParams.set("error", "invalid_request");
      const location = habits.redirect?.(back) ?? back.href;
      response.writeHead(302, { location }).end();
    } else response.writeHead(400).end("This application is not known.");
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", origin);
    const body = String(await buffer(request));
    const { host = "" } = request.headers;
    if (habits.pagesElsewhere && url.pathname === "/authorize" && !host.startsWith("localhost")) {
      if (!isRegistered(url.searchParams) || !isForCodes(url.searchParams.get("client_id")))
        url.pathname = "/";
      url.hostname = "localhost";
      response.writeHead(302, { location: url.href }).end();
      return;
    }
    if (habits.jsonToScripts && request.headers["sec-fetch-mode"] === "cors") {
      response.end(JSON.stringify({ url: url.href }));
      return;
    }
    if (url.pathname === "/authorize" && habits.busy) {
      response.writeHead(429).end();
      return;
    }
    if (url.pathname === "/authorize") {
      const answer = request.method === "POST" ? new URLSearchParams(body).get("login") : null;
      const reference = url.searchParams.get("request_uri") ?? "";
      const given = pushed.get(reference);
      if (answer !== null) pushed.delete(reference);
      const isGiven = given?.get("client_id") === url.searchParams.get("client_id");
      const isLink = !habits.pushed || (habits.pushed === "only said" && reference === "");
      const query = isLink ? url.searchParams : new URLSearchParams(isGiven ? given : "");
      authorize(query, answer, response);
      return;
    }
    response.setHeader("content-type", "application/json");
    response.setHeader("cache-control", "no-store");
    const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    if (url.pathname === "/oauth/pushed") {
      const [status, json] = await answerPushed(new URLSearchParams(body), basic);
      response.writeHead(status).end(JSON.stringify(json));
    } else if (url.pathname === "/oauth/token") {
      const form = new URLSearchParams(body);
      const instead = habits.instead?.(form, basic);
      const [status, json] = instead === undefined ? await answerToken(form, basic) : [instead, {}];
      if (status === 429 && habits.retryAfter !== undefined) {
        response.setHeader("retry-after", habits.retryAfter);
      }
      const described = status >= 400 && { error_description: habits.errorDescription };
      response.writeHead(status).end(JSON.stringify({ ...json, ...described }));
    } else if (url.pathname === "/keys") response.end(JSON.stringify(jwks));
    else if (url.pathname === "/.well-known/openid-configuration") {
      if (habits.metadataType) response.setHeader("content-type", habits.metadataType);
      response.end(
        JSON.stringify({
          issuer: issuer(),
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/oauth/token`,
          response_types_supported: ["code"],
          jwks_uri: `${origin}/keys`,
          grant_types_supported: ["authorization_code", "client_credentials"],
          ...(habits.pushed && {
            pushed_authorization_request_endpoint: `${origin}/oauth/pushed`,
            require_pushed_authorization_requests: habits.pushed !== "unsaid",
          }),
          token_endpoint_auth_methods_supported: METHODS,
          ...habits.metadata?.({ issuer: issuer() }),
        }),
      );
    } else response.writeHead(habits.answersEverything ? 200 : 404).end("{}");
  }

  const server = createServer((request, response) => void handle(request, response));
  origin = await listening(server);
  return { issuer: issuer(), jwks, secrets };
}

/** A redirect URI with the state of a request. */
function backTo(redirectUri: string, query: URLSearchParams): URL {
  const back = new URL(redirectUri);
  const state = query.get("state");
  if (state !== null) back.searchParams.set("state", state);
  return back;
}

/** The id and the secret of a request. */
export function credentialsIn(form: URLSearchParams, basic: string | undefined): string[] {
  return basic === undefined
    ? [form.get("client_id") ?? "", form.get("client_secret") ?? ""]
    : Buffer.from(basic, "base64").toString().split(":");
}
