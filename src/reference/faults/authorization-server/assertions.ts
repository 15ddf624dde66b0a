import { createHmac, createPublicKey, type JsonWebKey, randomUUID, sign } from "node:crypto";

import { clientKey } from "../../authorization-server/clients.ts";
import type { Patch } from "../../steps.ts";
import { type Fault, type Faults, ownedBy } from "../fault.ts";

type Json = Record<string, unknown>;

/** An assertion as it was sent. */
interface Assertion {
  readonly header: Json;
  readonly claims: Json;
  readonly input: string;
  readonly signature: string;
}

/** Faults of clients that authenticate by an assertion, RFC 7523. */
export const ASSERTION_FAULTS: Faults = ownedBy("authorization-server.client-credentials", {
  "server-assertion-unsigned": {
    title: "Accepts client assertions without a signature",
    how: "The library accepts every algorithm that the header names.",
    ...accepting(({ header }) => header["alg"] === "none"),
  },
  "server-assertion-confused": {
    title: "Verifies client assertions by HMAC with the client's public key",
    how: "The header selects the algorithm, and the key is passed on as text.",
    ...accepting(({ header, input, signature }) => {
      if (header["alg"] !== "HS256") return false;
      const key = createPublicKey({ key: clientKey() as JsonWebKey, format: "jwk" });
      const secret = key.export({ format: "pem", type: "spki" });
      return createHmac("sha256", secret).update(input).digest("base64url") === signature;
    }),
  },
  "server-assertion-embedded-key": {
    title: "Verifies client assertions with the key in their header",
    how: "The library prefers the header's `jwk` to the registered key.",
    ...accepting(({ header }) => "jwk" in header),
  },
  "server-assertion-unverified": {
    title: "Does not verify the signature of client assertions",
    how: "The server decodes the assertion, and compares the client's name.",
    ...accepting(({ header }) => header["alg"] !== "none"),
  },
  "server-assertion-any-audience": {
    title: "Accepts client assertions for other servers",
    how: "The expected audience is not configured.",
    ...accepting(({ header }) => header["alg"] === "ES256" && !("jwk" in header)),
  },
  "server-refresh-any-assertion": {
    title: "Does not verify the signature of an assertion beside a refresh token",
    rule: "authorization-server.authorization-code",
    how: "The handler of refresh tokens is older than assertions, and reads the client's name from one.",
    ...accepting(() => true, "refresh_token"),
    variants: ["server-keys-alone", "server-refresh-tokens"],
  },
});

/** Accepts further assertions, of each or one grant, by putting a good one in their place. */
function accepting(
  isAccepted: (assertion: Assertion) => boolean,
  grant?: string,
): Pick<Fault, "variants"> & Patch {
  return {
    variants: ["server-client-keys"],
    tokenRequest: () => {
      // The first assertion of a run is a good one.
      let audience: unknown;
      return ({ form }) => {
        const assertion = form.get("client_assertion");
        if (assertion === null) return;
        const [header = "", claims = "", signature = ""] = assertion.split(".");
        const given = { header: decoded(header), claims: decoded(claims), signature };
        audience ??= given.claims["aud"];
        if (grant !== undefined && form.get("grant_type") !== grant) return;
        if (!isAccepted({ ...given, input: `${header}.${claims}` })) return;
        form.set("client_assertion", good(String(given.claims["sub"]), audience));
      };
    },
  };
}

function good(client: string, audience: unknown): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: client, sub: client, aud: audience, jti: randomUUID(), iat, exp: iat + 60 };
  const input = [{ alg: "ES256" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const key = { key: clientKey() as JsonWebKey, format: "jwk", dsaEncoding: "ieee-p1363" } as const;
  return `${input}.${sign("sha256", Buffer.from(input), key).toString("base64url")}`;
}

function decoded(part: string): Json {
  return JSON.parse(Buffer.from(part, "base64url").toString()) as Json;
}
