import { CHECKED_CLAIMS } from "../../../src/contract/claims.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import {
  because,
  type InvalidMutation,
  type Mutation,
  open,
  type Patch,
  type TokenChange,
} from "../../../src/mutations/mutation.ts";

/** Tokens with the issuer's signature whose JSON is not a valid claims set. */

const HOUR_SECONDS = 3600;
/** The claims of the checks 2 to 5: all are wrong or missing, so no single omission accepts. */
const CHECKED = CHECKED_CLAIMS.map(({ name }) => name);
const withoutChecked: Patch = Object.fromEntries(CHECKED.map((name) => [name, undefined]));

/** Claims that each of the checks 2 to 5 rejects. */
function badClaims({ exp }: JsonObject): JsonObject {
  return {
    iss: "https://untrusted-issuer.example",
    aud: "https://another-deployment.example/common-grants",
    exp: Number(exp) - 3 * HOUR_SECONDS,
    scope: "conformance",
  };
}

/** Two objects written as one, so that names occur twice. */
function joined(first: JsonObject, second: JsonObject): string {
  return `${JSON.stringify(first).slice(0, -1)},${JSON.stringify(second).slice(1)}`;
}

function moved(claims: JsonObject): { left: JsonObject; taken: JsonObject } {
  const entries = Object.entries(claims);
  return {
    left: Object.fromEntries(entries.filter(([name]) => !CHECKED.includes(name))),
    taken: Object.fromEntries(entries.filter(([name]) => CHECKED.includes(name))),
  };
}

function repeated(
  name: string,
  what: string,
  source: string,
  requirement: string,
  token: TokenChange,
): InvalidMutation {
  const why = "a receiver must use the last of repeated members, or reject the token";
  return { name, what, refused: { check: "signature", why, source, requirement }, token };
}

export const repeatedMembers: readonly InvalidMutation[] = [
  repeated(
    "repeated-claims",
    "`iss`, `aud`, `exp` and `scope` occur twice in the payload, and the last ones are wrong",
    "RFC 7519 §4",
    "rfc7519.unique-claims",
    { payload: (claims) => joined(claims, badClaims(claims)) },
  ),
  repeated(
    "repeated-alg",
    "`alg` occurs twice in the header, and the last one is none",
    "RFC 7515 §4",
    "rfc7515.unique-header",
    { headerText: (header) => joined(header, { alg: "none" }) },
  ),
];

/** The token without the claims that `misplacedClaims` move. A receiver that requires none of them accepts it too. */
export const claimsLeftOut: Mutation = {
  name: "claims-left-out",
  what: "`iss`, `aud`, `exp` and `scope` are missing",
  token: { claims: withoutChecked },
};

const misplaced = {
  check: "signature",
  why: "claims are the members of the payload, and of nothing else",
  source: "contract, Token claims; RFC 7519 §4 and §7.2",
  requirement: "rfc7519.claims-set",
} as const;

export const misplacedClaims: readonly InvalidMutation[] = [
  {
    name: "claims-in-header",
    what: "`iss`, `aud`, `exp` and `scope` are in the header instead of the payload",
    refused: misplaced,
    token: { header: ({ claims }) => moved(claims).taken, claims: withoutChecked },
  },
  {
    name: "claims-in-prototype",
    what: "`iss`, `aud`, `exp` and `scope` are in a member `__proto__`",
    refused: misplaced,
    token: {
      payload: (claims) => {
        const { left, taken } = moved(claims);
        return `${JSON.stringify(left).slice(0, -1)},"__proto__":${JSON.stringify(taken)}}`;
      },
    },
  },
];

function payload(
  name: string,
  what: string,
  text: (claims: JsonObject) => string | Uint8Array,
): InvalidMutation {
  return {
    name: `payload-${name}`,
    what,
    refused: {
      check: "signature",
      why: "the payload of a JWT is one JSON object",
      source: "contract, Model; RFC 7519 §7.2",
      requirement: "rfc7519.claims-set",
    },
    token: { payload: text },
  };
}

export const payloadsThatAreNoClaims: readonly InvalidMutation[] = [
  payload("array", "the claims are in an array", (claims) => JSON.stringify([claims])),
  payload("string", "the payload is a string with the claims", (claims) =>
    JSON.stringify(JSON.stringify(claims)),
  ),
  payload("null", "the payload is null", () => "null"),
  payload("number", "the payload is a number", () => "1"),
  payload("empty", "the payload is empty", () => ""),
  payload("cut", "the payload's last brace is missing", (claims) =>
    JSON.stringify(claims).slice(0, -1),
  ),
  payload(
    "followed",
    "other characters follow the claims",
    (claims) => `${JSON.stringify(claims)}junk`,
  ),
  payload(
    "followed-by-claims",
    "other claims follow the claims",
    (claims) => JSON.stringify(claims) + JSON.stringify(badClaims(claims)),
  ),
  {
    ...because(
      payload("invalid-utf-8", "an unknown claim is not in UTF-8", (claims) =>
        Buffer.concat([
          Buffer.from(`${JSON.stringify(claims).slice(0, -1)},"conformance":"`),
          Buffer.from([0xc0, 0xaf]),
          Buffer.from('"}'),
        ]),
      ),
      { source: "RFC 7519 §7.2; RFC 8725 §3.7" },
    ),
    level: "SHOULD",
  },
];

const DEPTH = 1000;

export const openJson: readonly Mutation[] = [
  open("repeated-alg-none-first", "`alg` occurs twice in the header, and the first one is none", {
    token: { headerText: (header) => joined({ alg: "none" }, header) },
  }),
  open("payload-byte-order-mark", "the payload begins with a byte order mark", {
    token: { payload: (claims) => `\uFEFF${JSON.stringify(claims)}` },
  }),
  open("payload-deep", `an unknown claim is an array ${DEPTH} levels deep`, {
    token: {
      payload: (claims) =>
        joined(
          claims,
          JSON.parse(`{"conformance":${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}`) as JsonObject,
        ),
    },
  }),
];
