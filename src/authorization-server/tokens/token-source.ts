import { createPublicKey, type JsonWebKey } from "node:crypto";

import { OPERATION_IDS, OPERATIONS, SCOPES } from "../../contract/operations.ts";
import { isSameUuid } from "../../contract/uuid.ts";
import type { IssuedTokenSource } from "../../engine/side.ts";
import type { JsonObject } from "../../lib/json.ts";
import { Finding, notProvisioned } from "../../probe/finding.ts";
import { lacksSubject, noClient, scopesInWords } from "../../probe/no-client.ts";
import { type Fact, listFact, type Phrase, phrase, valueFact } from "../../probe/phrase.ts";
import type { NoToken, TokenRequest } from "../../probe/token-source.ts";
import type { IssuerKey, Target } from "../../profile/target.ts";
import type { TokenDraft } from "../../tokens/draft.ts";
import { type AskedToken, deniesAnotherSubject } from "../../tokens/issuing-clients.ts";
import type { Failed } from "../protocol/failed.ts";
import { ASYMMETRIC, type KeySet } from "../protocol/key-set.ts";
import { inline } from "../protocol/token-response.ts";
import type { SuppliedToken, TokenSupply } from "./token-supply.ts";

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
  const isCommand = target.issued?.command !== undefined;
  const none = (because: Phrase): NoToken => ({
    lacking: {
      ...notProvisioned(isCommand ? "tokens.command" : "authorizationServer.clients"),
      because,
    },
  });

  const source: IssuedTokenSource = {
    async draft(request) {
      const { wish } = request;
      const plain: AskedToken = {
        scopes: request.form.scopes === "all" ? SCOPES : [request.operation.scope],
        exact: false,
        organization: (request.form.bound && request.organization) || null,
        denied: false,
      };
      if (request.form.bound && request.organization === undefined) {
        return none(phrase`no organization is known to which a token could be bound`);
      }
      if (!wish) return first(plain, request);
      const asked: AskedToken = {
        scopes: wish.scopes ?? plain.scopes,
        exact: wish.scopes !== undefined,
        organization: wish.organization === undefined ? plain.organization : wish.organization,
        denied: wish.denied === true && deniesAnotherSubject(target),
        fresh: wish.fresh,
      };
      if (asked.denied) {
        const got = await first(asked, request);
        const isNone = "lacking" in got && got.lacking.kind === "not-provisioned";
        // A second client could have the denied subject, unless the profile says that each has its own.
        return isNone && !isCommand
          ? { lacking: lacksSubject(target, noClient(target, asked)) }
          : got;
      }
      const good = await first(plain, request);
      const subject = "lacking" in good ? undefined : good.claims["sub"];
      const same = await first(asked, request, subject);
      if (!("lacking" in same) || subject === undefined) return same;
      const other = await first(asked, request);
      return "lacking" in other ? same : { ...other, ofAnotherSubject: true };
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
    const misfits: Phrase[] = [];
    for (const get of supply(asked)) {
      const got = await get();
      if ("failed" in got) {
        if (!("cannot" in got)) failure ??= undecided(`no token was issued: ${got.failed}`);
        continue;
      }
      const problem = unusable(got);
      if (problem !== undefined) failure ??= undecided(`the issued token is unusable: ${problem}`);
      else {
        const misfit = misfitOf(got, asked, operation.scope, subject);
        if (!misfit) return draftOf(got, await keys());
        const who = got.client ? phrase`the client ${got.client.name}` : phrase`tokens.command`;
        misfits.push(phrase`${who} got a token that ${misfit}`);
      }
    }
    if (failure) return failure;
    if (misfits.length > 0) return none(phrase`${listFact(misfits, "; ")}`);
    return none(isCommand ? phrase`\`tokens.command\` has no such token` : noClient(target, asked));
  }

  function keys(): Promise<readonly IssuerKey[]> {
    known ??= keySet ? keySet().then(publicKeys) : Promise.resolve([]);
    return known;
  }

  /**
   * In what a token is not as requested; `undefined` where it is. Rules about the authorization server judge whether
   * a difference is a fault.
   */
  function misfitOf(
    { claims }: SuppliedToken,
    { scopes, exact, organization }: AskedToken,
    required: string,
    subject: unknown,
  ): Phrase | undefined {
    const granted = scopesIn(claims);
    const isGranted = exact
      ? SCOPES.every((scope) => granted.has(scope) === scopes.includes(scope))
      : granted.has(required);
    if (!isGranted) {
      const wanted = phrase`${exact ? "exactly " : ""}${scopesInWords(exact ? scopes : [required])}`;
      return typeof claims["scope"] === "string"
        ? phrase`has ${scopesInWords(SCOPES.filter((scope) => granted.has(scope)))}, not ${wanted}`
        : withoutScope(claims);
    }
    const { bindingClaim } = target;
    const binding = bindingClaim === undefined ? undefined : (claims[bindingClaim] ?? undefined);
    if (organization === null && binding !== undefined) {
      return phrase`is bound to ${shown(binding)}, not unbound`;
    }
    if (organization !== null && binding === undefined) {
      return phrase`has no claim ${bindingClaim ?? "of an organization"}`;
    }
    const isOther = typeof binding !== "string" || !isSameUuid(binding, organization ?? "");
    if (organization !== null && isOther) {
      return phrase`is bound to ${shown(binding)}, not to ${valueFact(organization)}`;
    }
    if (subject === undefined || claims["sub"] === subject) return undefined;
    return phrase`has the \`sub\` ${shown(claims["sub"])}, not ${shown(subject)} as that of the other client`;
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
  return { lacking: Finding.inconclusive(phrase`${reason}`) };
}

/** Why a token cannot be used; `undefined` where it can. */
function unusable({ unreadable, header: { alg } }: SuppliedToken): string | undefined {
  if (unreadable !== undefined) return `it is not a signed JWT: ${unreadable}`;
  return typeof alg === "string" && ASYMMETRIC.test(alg)
    ? undefined
    : "its `alg` is not an asymmetric algorithm, which a JWKS could verify";
}

/** In what the scopes of a token are not a `scope` claim of the contract. */
function withoutScope({ scope, scp }: JsonObject): Phrase {
  if (Array.isArray(scope)) return phrase`has a \`scope\` claim that is an array, not a string`;
  if (scope !== undefined) return phrase`has a \`scope\` claim that is no string`;
  return scp === undefined
    ? phrase`has no \`scope\` claim`
    : phrase`has \`scp\` in place of a \`scope\` claim`;
}

/** A value of a token, cut to what a sentence has room for. */
function shown(value: unknown): Fact {
  return valueFact(inline(typeof value === "string" ? value : (JSON.stringify(value) ?? "absent")));
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
