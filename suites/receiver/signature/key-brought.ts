import { createHash } from "node:crypto";

import {
  type InvalidMutation,
  type MutationContext,
  type Patch,
  type TokenChange,
  withToken,
} from "../../../src/mutations/mutation.ts";
import { forgedSignature, signForeign } from "../../../src/mutations/token/signature.ts";
import type { TokenDraft } from "../../../src/tokens/draft.ts";
import { foreignCertificate, foreignKey } from "../../../src/tokens/foreign-keys.ts";
import { REMOTE } from "../../../src/tokens/remote-documents.ts";
import { hmacOf } from "./hmac.ts";

/** Forgeries that carry their key in the header or refer to it by a URL. */

const source = "contract, Receiver checks 1; RFC 7515 §10.3; RFC 8725 §3.10; CVE-2018-0114";

function brings(
  name: string,
  what: string,
  header: NonNullable<TokenChange["header"]>,
): InvalidMutation {
  return {
    ...forgedSignature,
    name,
    what: `signed with a key that is not the issuer's and that ${what}`,
    refused: {
      ...forgedSignature.refused,
      why: "only the keys of the issuer's JWKS count, not a key that the token supplies",
      source,
      requirement: "rfc7515.key-origin",
    },
    token: { ...forgedSignature.token, header },
  };
}

function foreignJwk({ key }: TokenDraft, kid: string | undefined): object {
  const { publicJwk } = foreignKey(key.alg);
  return { ...publicJwk, ...(kid !== undefined && { kid }), alg: key.alg, use: "sig" };
}

const OCTETS = Buffer.from("conformance-conformance-conformance");

export const embeddedKeys: readonly InvalidMutation[] = [
  brings("jwk", "is in `jwk`", (draft) => ({ jwk: foreignJwk(draft, draft.key.kid) })),
  brings("jwk-without-kid", "is in `jwk`, under no `kid`", (draft) => ({
    kid: undefined,
    jwk: foreignJwk(draft, undefined),
  })),
  brings("jwk-unknown-kid", "is in `jwk`, under its own `kid`", (draft) => ({
    kid: "foreign",
    jwk: foreignJwk(draft, "foreign"),
  })),
  {
    ...withToken(
      brings("jwk-symmetric", "", () => ({
        alg: "HS256",
        jwk: { kty: "oct", k: OCTETS.toString("base64url") },
      })),
      { sign: (input) => hmacOf("HS256", OCTETS, input) },
    ),
    what: "`alg` is HS256, and the secret is in `jwk`",
  },
  brings("x5c", "has its certificate in `x5c`", ({ key }) => ({
    x5c: [foreignCertificate(key.alg)],
  })),
  brings("x5c-without-kid", "has its certificate in `x5c`, under no `kid`", ({ key }) => ({
    kid: undefined,
    x5c: [foreignCertificate(key.alg)],
  })),
  brings("x5t", "has the thumbprint of its certificate in `x5t#S256`", ({ key }) => ({
    "x5t#S256": createHash("sha256")
      .update(Buffer.from(foreignCertificate(key.alg), "base64"))
      .digest("base64url"),
  })),
];

/** A forgery whose key is published on the suite's own listener. */
function refers(
  name: string,
  what: string,
  header: (place: string, context: MutationContext) => Patch,
): InvalidMutation {
  return {
    ...brings(name, what, (_draft, context) => header(context.callback ?? "", context)),
    remote: true,
  };
}

/** The issuer's host, or its whole name where it is not a URL, encoded for use in an authority. */
function issuerHost({ target }: MutationContext): string {
  const { url } = target.testIssuer;
  return (URL.canParse(url) && new URL(url).host) || encodeURIComponent(url);
}

export const keysBehindUrls: readonly InvalidMutation[] = [
  refers("jku", "is at the URL in `jku`", (place) => ({ jku: place + REMOTE.jwks })),
  refers("jku-unknown-kid", "is at the URL in `jku`, under its own `kid`", (place) => ({
    kid: "foreign",
    jku: place + REMOTE.jwks,
  })),
  refers("x5u", "has its certificate at the URL in `x5u`", (place) => ({
    x5u: place + REMOTE.certificate,
  })),
  refers(
    "x5u-unknown-kid",
    "has its certificate at the URL in `x5u`, under its own `kid`",
    (place) => ({
      kid: "foreign",
      x5u: place + REMOTE.certificate,
    }),
  ),
  refers("kid-url", "is at the URL in `kid`", (place) => ({ kid: place + REMOTE.publicKey })),
];

/** URLs that look like the issuer's in a careless comparison. */
export const keysBehindIssuerUrls: readonly InvalidMutation[] = [
  refers(
    "jku-userinfo",
    "is at the URL in `jku`, in which the issuer's host is the user name",
    (place, context) => ({
      jku: (place + REMOTE.jwks).replace("://", `://${issuerHost(context)}@`),
    }),
  ),
  refers(
    "jku-query",
    "is at the URL in `jku`, in which the issuer's URL is the query",
    (place, { target }) => ({ jku: `${place}${REMOTE.jwks}?${target.testIssuer.url}` }),
  ),
  refers(
    "jku-fragment",
    "is at the URL in `jku`, in which the issuer's URL is the fragment",
    (place, { target }) => ({ jku: `${place}${REMOTE.jwks}#${target.testIssuer.url}` }),
  ),
];

/** A complete authorization server that is not trusted, with metadata, keys, and a token. */
export const liveIssuer: InvalidMutation = {
  name: "iss-url",
  what: "`iss` is an authorization server that exists but is not trusted, and its key signed the token",
  refused: {
    check: "issuer",
    why: "`iss` must be a known, trusted authorization server",
    source: "contract, Receiver checks 2; RFC 8725 §3.8 and §3.10",
  },
  token: {
    claims: (_draft, { callback }) => ({ iss: callback }),
    header: { kid: "foreign" },
    sign: signForeign,
  },
  remote: true,
};
