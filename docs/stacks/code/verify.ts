import { decodeJwt, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from "jose";

export const CLAIMS_NAMESPACE = "https://example.com";

/** Who is trusted for what. */
export interface Trust {
  /** The receiver's own base URL, letter for letter. */
  readonly audience: string;
  /** The keys of each trusted issuer, by its `iss`. */
  readonly issuers: ReadonlyMap<string, JWTVerifyGetKey>;
}

/** A request that is refused, with the status of the answer. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Checks 1 to 4: signature, issuer, audience, expiry. */
export async function verify(authorization: string | undefined, trust: Trust): Promise<JWTPayload> {
  const [, token] = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? "") ?? [];
  if (token === undefined) throw new Refused(401, "A bearer token is needed");
  try {
    const { iss: issuer = "" } = decodeJwt(token);
    const keys = trust.issuers.get(issuer);
    if (!keys) throw new Error("The issuer is not trusted");
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience: trust.audience,
      algorithms: ["RS256", "ES256"],
      requiredClaims: ["sub", "iat", "exp", "scope"],
      clockTolerance: "30 s",
    });
    return payload;
  } catch {
    throw new Refused(401, "The token is not valid");
  }
}

/** Checks 5 and 6: scope and binding. Check 7, your own access policy, comes after them. */
export function authorize(claims: JWTPayload, scope: string, organization?: string): void {
  const { scope: granted, [`${CLAIMS_NAMESPACE}/org_id`]: bound } = claims;
  if (typeof granted !== "string" || !granted.split(" ").includes(scope)) {
    throw new Refused(403, `The token lacks the scope ${scope}`);
  }
  if (organization !== undefined && bound !== undefined && bound !== organization) {
    throw new Refused(403, "The token is bound to another organization");
  }
}

/** An Error body of the contract. */
export function errorBody(status: number, message: string): object {
  return { status, message, errors: [] };
}
