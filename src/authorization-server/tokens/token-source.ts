import { createPublicKey, type JsonWebKey } from "node:crypto";

import { OPERATION_IDS, OPERATIONS, SCOPES } from "../../contract/operations.ts";
import { isSameUuid } from "../../contract/uuid.ts";
import type { IssuedTokenSource } from "../../engine/side.ts";
import type { JsonObject } from "../../lib/json.ts";
import { notProvisioned } from "../../probe/not-provisioned.ts";
import { phrase } from "../../probe/phrase.ts";
import type { NoToken, TokenRequest } from "../../probe/token-source.ts";
import type { IssuerKey, Target } from "../../profile/target.ts";
import type { TokenDraft } from "../../tokens/draft.ts";
import { type AskedToken, deniesAnotherSubject } from "../../tokens/issuing-clients.ts";
import type { Failed } from "../protocol/failed.ts";
import { ASYMMETRIC, type KeySet } from "../protocol/key-set.ts";
import type { SuppliedToken, TokenSupply } from "./token-supply.ts";

const CLIENTS: NoToken = { lacking: notProvisioned("authorizationServer.clients") };
const COMMAND: NoToken = { lacking: notProvisioned("tokens.command") };
const UNBOUND = { typ: "JWT", bound: false, scopes: "required", clockOffsetSeconds: 0 } as const;

/**
 * A source of issued good tokens. It requests each token as narrowly as a case needs, and compares
 * the token with the request: a token with more scopes or another subject is no use to a case about
 * these.
 * @param supply where the tokens come from
 * @param keySet reads the issuer's JWKS; absent where its location is unknown
 */
export function issuedTokenSource(
  target: Target,
  supply: TokenSupply,
  keySet?: () => Promise<KeySet | Failed>,
): IssuedTokenSource {
  let known: Promise<readonly IssuerKey[]> | undefined;
  const none = target.issued?.command ? COMMAND : CLIENTS;

  const source: IssuedTokenSource = {
    async draft(request) {
      const { wish } = request;
      const plain: AskedToken = {
        scopes: request.form.scopes === "all" ? SCOPES : [request.operation.scope],
        exact: false,
        organization: (request.form.bound && request.organization) || null,
        denied: false,
      };
      if (request.form.bound && request.organization === undefined) return none;
      if (!wish) return first(plain, request);
      const asked: AskedToken = {
        scopes: wish.scopes ?? plain.scopes,
        exact: wish.scopes !== undefined,
        organization: wish.organization === undefined ? plain.organization : wish.organization,
        denied: wish.denied === true && deniesAnotherSubject(target),
        fresh: wish.fresh,
      };
      if (asked.denied) return first(asked, request);
      const good = await first(plain, request);
      return first(asked, request, "lacking" in good ? undefined : good.claims["sub"]);
    },
    async describe() {
      for (const id of OPERATION_IDS) {
        if (!target.operations[id]) continue;
        const organization = target.organizations.primary;
        for (const bound of [false, true]) {
          const request = { operation: OPERATIONS[id], form: { ...UNBOUND, bound }, organization };
          const draft = await source.draft(request);
          if (!("lacking" in draft)) return described(draft, await keys());
        }
      }
      return target;
    },
  };
  return source;

  /** The first token of the supply that is as requested. */
  async function first(
    asked: AskedToken,
    { operation }: TokenRequest,
    subject?: unknown,
  ): Promise<TokenDraft | NoToken> {
    let failure: NoToken | undefined;
    for (const get of supply(asked)) {
      const got = await get();
      if ("failed" in got) {
        if (!("cannot" in got)) failure ??= undecided(`no token was issued: ${got.failed}`);
        continue;
      }
      const problem = unusable(got);
      if (problem !== undefined) failure ??= undecided(`the issued token is unusable: ${problem}`);
      else if (fits(got, asked, operation.scope, subject)) return draftOf(got, await keys());
    }
    return failure ?? none;
  }

  function keys(): Promise<readonly IssuerKey[]> {
    known ??= keySet ? keySet().then(publicKeys) : Promise.resolve([]);
    return known;
  }

  /**
   * Whether a token is as requested. Rules about the authorization server judge whether a difference
   * is a fault.
   */
  function fits(
    { claims }: SuppliedToken,
    { scopes, exact, organization }: AskedToken,
    required: string,
    subject: unknown,
  ): boolean {
    const granted = scopesIn(claims);
    const isGranted = exact
      ? SCOPES.every((scope) => granted.has(scope) === scopes.includes(scope))
      : granted.has(required);
    const binding = target.bindingClaim === undefined ? undefined : claims[target.bindingClaim];
    const isBound =
      organization === null
        ? binding === undefined || binding === null
        : typeof binding === "string" && isSameUuid(binding, organization);
    return isGranted && isBound && (subject === undefined || claims["sub"] === subject);
  }

  function described({ key, claims }: TokenDraft, keysOfIssuer: readonly IssuerKey[]): Target {
    const { iss } = claims;
    return {
      ...target,
      testIssuer: {
        ...target.testIssuer,
        url: typeof iss === "string" ? iss : target.testIssuer.url,
        key,
        keys: keysOfIssuer,
        algorithms: [key.alg],
      },
    };
  }
}

function undecided(reason: string): NoToken {
  return { lacking: { kind: "inconclusive", reason: phrase`${reason}` } };
}

/** Why a token cannot be used; `undefined` where it can. */
function unusable({ unreadable, header: { alg } }: SuppliedToken): string | undefined {
  if (unreadable !== undefined) return `it is not a signed JWT: ${unreadable}`;
  return typeof alg === "string" && ASYMMETRIC.test(alg)
    ? undefined
    : "its `alg` is not an asymmetric algorithm, which a JWKS could verify";
}

function scopesIn({ scope }: JsonObject): ReadonlySet<string> {
  return new Set(typeof scope === "string" ? scope.split(" ") : []);
}

function draftOf({ token, header, claims }: SuppliedToken, keys: readonly IssuerKey[]): TokenDraft {
  const [head = "", payload = "", signature = ""] = token.split(".");
  const { kid, alg } = header as { kid?: unknown; alg: string };
  const name = typeof kid === "string" ? kid : "";
  const key = keys.find((one) => one.kid === name) ?? (keys.length === 1 ? keys[0] : undefined);
  return {
    header,
    claims,
    key: { publicJwk: {}, ...key, kid: name, alg },
    issued: { header: head, payload, signature },
  };
}

/** The usable public keys of a JWKS. */
function publicKeys(set: KeySet | Failed): readonly IssuerKey[] {
  if ("failed" in set) return [];
  return set.keys.flatMap((publicJwk): IssuerKey[] => {
    const { kid = "", alg = "" } = publicJwk;
    if (typeof kid !== "string" || typeof alg !== "string" || !isPublicKey(publicJwk)) return [];
    return [{ kid, alg, publicJwk }];
  });
}

function isPublicKey(jwk: KeySet["keys"][number]): boolean {
  try {
    createPublicKey({ key: jwk as JsonWebKey, format: "jwk" });
    return jwk["d"] === undefined;
  } catch {
    return false;
  }
}
