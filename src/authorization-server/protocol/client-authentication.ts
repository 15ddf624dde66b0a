import { createPublicKey, type JsonWebKey, randomUUID } from "node:crypto";

import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT, UnsecuredJWT } from "jose";

import type { Client } from "../../profile/authorization-server.ts";

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"; // RFC 7523 section 2.2
const ASSERTION_SECONDS = 60;

/** The details of client authentication that servers interpret differently. */
export interface AuthenticationForm {
  /** RFC 6749 section 2.3.1 form-encodes Basic credentials, and some servers do not decode them. */
  readonly basic: "encoded" | "raw";
  /** The audience of an assertion: the issuer, or the token endpoint as in RFC 7523 section 3. */
  readonly assertionAudience: "issuer" | "token endpoint";
}

/** Differences from a good assertion. */
export interface AssertionChange {
  /**
   * How it is signed: not at all, with the algorithm `none`; by HMAC, with the client's public key as secret; or
   * by a new key that its header brings along. Default: by the client's key.
   */
  readonly signature?: "none" | "public key as secret" | "key in the header";
  /** A claim that it lacks. Default: none. */
  readonly without?: "aud" | "exp";
  /** Seconds since it was issued. Default: 0. */
  readonly ageSeconds?: number;
  readonly audience?: string;
  /** Its `iss`. Default: the client, as its `sub`. */
  readonly issuer?: string;
}

/** A client's credentials, as parts of a token request. */
export interface Credentials {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly parameters: Readonly<Record<string, string>>;
  /** The secret in the headers, as it is before it is encoded. */
  readonly password?: string | undefined;
}

/** The forms in which a client may have to authenticate, the RFCs' form first. */
export function formsOf(client: Client): AuthenticationForm[] {
  const plain: AuthenticationForm = { basic: "encoded", assertionAudience: "issuer" };
  switch (client.authentication) {
    case "client_secret_basic": {
      const differs = [client.id, client.secret ?? ""].some((half) => formEncoded(half) !== half);
      return differs ? [plain, { ...plain, basic: "raw" }] : [plain];
    }
    case "private_key_jwt":
      return [plain, { ...plain, assertionAudience: "token endpoint" }];
    default:
      return [plain];
  }
}

/**
 * The credentials of a client, RFC 6749 section 2.3 and RFC 7523.
 * @param at the server whose issuer or token endpoint is the audience of an assertion
 * @param change differences of the assertion; default: none
 */
export async function credentialsOf(
  client: Client,
  form: AuthenticationForm,
  at: { readonly issuer: string; readonly tokenUrl: string },
  change: AssertionChange = {},
): Promise<Credentials> {
  const { id, secret = "", authentication } = client;
  switch (authentication) {
    case "client_secret_basic": {
      const halves = [id, secret].map((half) => (form.basic === "raw" ? half : formEncoded(half)));
      const value = `Basic ${Buffer.from(halves.join(":")).toString("base64")}`;
      return { headers: [["authorization", value]], parameters: {}, password: secret };
    }
    case "client_secret_post":
      return { headers: [], parameters: { client_id: id, client_secret: secret } };
    case "private_key_jwt": {
      const audience = form.assertionAudience === "issuer" ? at.issuer : at.tokenUrl;
      const assertion = await assertionOf(client.key ?? {}, id, { audience, ...change });
      return byAssertion(client, assertion);
    }
    case "none":
      return namedOnly(client);
  }
}

/** The credentials of a client that presents an assertion, RFC 7523 section 2.2. */
function byAssertion({ id }: Pick<Client, "id">, assertion: string): Credentials {
  return {
    headers: [],
    parameters: {
      client_id: id,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: assertion,
    },
  };
}

/** What a client sends that names itself and does not authenticate, RFC 6749 section 3.2.1. */
export function namedOnly({ id }: Pick<Client, "id">): Credentials {
  return { headers: [], parameters: { client_id: id } };
}

/** The client as one that presents its secret by HTTP Basic. */
export function byBasic(client: Client): Client {
  return { ...client, authentication: "client_secret_basic" };
}

/** The client with a new private key in place of its own. The server has not registered that key. */
export async function withOtherKey(client: Client): Promise<Client> {
  const alg = algorithmOf(client.key ?? {});
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...client, key: { ...(await exportJWK(privateKey)), alg, kid: client.key?.["kid"] } };
}

function algorithmOf({ alg, kty = "" }: JWK): string {
  return alg ?? USUAL_ALGORITHM[kty] ?? "RS256";
}

async function assertionOf(
  jwk: JWK,
  client: string,
  {
    audience,
    issuer = client,
    ageSeconds = 0,
    without,
    signature,
  }: AssertionChange & { readonly audience: string },
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000) - ageSeconds;
  const claims = {
    iss: issuer,
    sub: client,
    aud: audience,
    jti: randomUUID(),
    iat,
    exp: iat + ASSERTION_SECONDS,
    ...(without && { [without]: undefined }),
  };
  const alg = algorithmOf(jwk);
  const kid = jwk.kid !== undefined && { kid: jwk.kid };
  switch (signature) {
    case "none":
      return new UnsecuredJWT(claims).encode();
    case "public key as secret": {
      const key = createPublicKey({ key: jwk as JsonWebKey, format: "jwk" });
      const secret = Buffer.from(key.export({ format: "pem", type: "spki" }));
      return new SignJWT(claims).setProtectedHeader({ alg: "HS256", ...kid }).sign(secret);
    }
    case "key in the header": {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
      const header = { alg, kid: randomUUID(), jwk: await exportJWK(publicKey) };
      return new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
    }
    default:
      return new SignJWT(claims)
        .setProtectedHeader({ alg, ...kid })
        .sign(await importJWK(jwk, alg));
  }
}

const USUAL_ALGORITHM: Readonly<Record<string, string>> = { EC: "ES256", OKP: "EdDSA" };

/** Encodes a value as `application/x-www-form-urlencoded`, RFC 6749 appendix B. */
function formEncoded(value: string): string {
  return new URLSearchParams({ v: value }).toString().slice(2);
}
