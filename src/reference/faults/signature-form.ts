import { compactDecrypt } from "jose";

import { isObject } from "../../lib/json.ts";
import type { Call } from "../model.ts";
import { type CheckPatch, takingToken } from "../patches.ts";
import {
  keyNamed,
  parse,
  pem,
  type Received,
  splitToken,
  acceptingClaims,
  verifies,
} from "../received.ts";
import { type Faults, ofEach, ownedBy } from "./fault.ts";

/** Faults of check 1 in what is accepted as a token and its claims. */
export const SIGNATURE_FORM_FAULTS: Faults = ownedBy("receiver.signature", {
  "json-serialization-accepted": {
    title: "Accepts a token in the JSON serialization",
    how: "The library reads every serialization of a JWS, and the code requires no particular one.",
    readCredentials: takingToken(({ authorization }) => {
      const jws = parse(/^Bearer +(\{.+\})$/.exec(authorization[0] ?? "")?.[1]);
      if (!isObject(jws)) return undefined;
      const [first = jws] = (jws["signatures"] ?? []) as (typeof jws)[];
      return [first["protected"], jws["payload"], first["signature"]].join(".");
    }),
  },
  "signature-junk-ignored": {
    title: "Ignores characters in a token that are not base64url",
    how: "The platform's base64 decoder skips unknown characters. jose 4 read signatures in this way.",
    readCredentials: takingToken(({ authorization }) =>
      /^Bearer ([\w.!-]+)$/.exec(authorization.join())?.[1]?.replaceAll("!", ""),
    ),
  },
  "further-segments-ignored": {
    title: "Ignores what follows the third segment of a token",
    how: "`const [header, payload, signature] = token.split('.')` accepts any number of segments.",
    verifySignature: rewriting((token) => token.split(".").slice(0, 3).join(".")),
  },
  "empty-segments-skipped": {
    title: "Ignores additional dots in a token",
    how: "The function that splits the token drops empty parts.",
    verifySignature: rewriting((token) =>
      token.endsWith(".") && token.split(".").length === 3
        ? token
        : token.split(".").filter(Boolean).join("."),
    ),
  },
  "claims-encrypted-accepted": {
    title: "Accepts claims that are encrypted with the public key as a password",
    how: "One function opens tokens of every kind with the one configured key.",
    source: "CVE-2026-29000",
    verifySignature: acceptingClaims(async ({ segments, header }, call) => {
      const key = keyNamed({ header }, call);
      if (segments.length !== 5 || !key) return undefined;
      try {
        const options = { keyManagementAlgorithms: ["PBES2-HS256+A128KW"] };
        const { plaintext } = await compactDecrypt(
          call.token ?? "",
          Buffer.from(pem(key)),
          options,
        );
        return parse(Buffer.from(plaintext).toString());
      } catch {
        return undefined;
      }
    }),
  },
  "repeated-claims-first": {
    title: "Reads the first of a repeated claim",
    how: "The code reads claims with its own parser, which stops at the first match.",
    verifySignature: replacing(({ payload, payloadText }) => {
      const first = Object.entries(firstMembers(payloadText));
      const claims = payload as object;
      return {
        ...claims,
        ...Object.fromEntries(first.filter(([name]) => Object.hasOwn(claims, name))),
      };
    }),
  },
  "repeated-alg-first": {
    title: "Reads the first of a repeated header parameter",
    how: "The code reads the header with its own parser, which stops at the first match.",
    verifySignature: acceptingClaims((token, call) => {
      const { alg } = firstMembers(token.headerText);
      return alg !== token.header["alg"] && verifies(token, call, { alg })
        ? token.payload
        : undefined;
    }),
  },
  "payload-rest-ignored": {
    title: "Ignores what follows the claims in the payload",
    how: "The JSON decoder reads one value from a stream, and the code does not check for more.",
    verifySignature: acceptingClaims((token, call) =>
      token.payload === undefined && verifies(token, call)
        ? parse(token.payloadText.slice(0, token.payloadText.indexOf("}") + 1))
        : undefined,
    ),
  },
  "payload-array-accepted": {
    title: "Accepts a payload that is an array of claims",
    how: "The platform's parser converts an array with one element into that element.",
    verifySignature: acceptingClaims((token, call) =>
      Array.isArray(token.payload) && verifies(token, call) ? token.payload[0] : undefined,
    ),
  },
  "payload-text-accepted": {
    title: "Accepts a payload that is a string with the claims",
    how: "The code that reads the JWS parses the payload, and other code parses the resulting string again, as jsonwebtoken 9 does.",
    verifySignature: acceptingClaims((token, call) =>
      typeof token.payload === "string" && verifies(token, call) ? parse(token.payload) : undefined,
    ),
  },
  "payload-null-breaks": {
    title: "Fails with an internal error on a payload that is null",
    how: "The code reads members of any parsed value.",
    verifySignature: acceptingClaims(({ payload }) => {
      if (payload === null) throw new TypeError("null has no members");
      return undefined;
    }),
  },
  "payload-not-utf-8-accepted": {
    title: "Accepts a payload that is not in UTF-8",
    how: "The platform's decoder replaces invalid bytes with a replacement character.",
    verifySignature: acceptingClaims((token, call) =>
      token.payloadText === "" && verifies(token, call)
        ? parse(Buffer.from(token.segments[1] ?? "", "base64url").toString())
        : undefined,
    ),
  },
  "alg-array-breaks": {
    title: "Fails with an internal error on an `alg` that is not a string",
    how: "`alg` is looked up in a table before its type is checked, as in authlib 1.8.",
    verifySignature: acceptingClaims(({ header: { alg } }) => {
      if (Array.isArray(alg)) throw new TypeError("an array is no key of a table");
      return undefined;
    }),
  },
  "claim-names-case-ignored": {
    rule: "receiver.issuer",
    title: "Reads claims whose names are in upper case",
    how: "The platform's JSON decoder, like Go's, matches member names without regard to case.",
    verifySignature: ignoringCase("iss", "aud", "exp", "scope"),
  },
  ...ofEach(
    Object.entries({ aud: "receiver.audience", exp: "receiver.expiry", scope: "receiver.scope" }),
    ([name, rule]) => ({
      [`claim-${name}-case-ignored`]: {
        rule,
        title: `Reads \`${name}\` from \`${name.toUpperCase()}\``,
        how: "This claim is decoded into its own field, and its name is matched without regard to case.",
        verifySignature: ignoringCase(name),
      },
    }),
  ),
  "claims-from-header": {
    title: "Reads claims from the header too",
    how: "Header and payload are merged into one object, which the rest of the service reads.",
    verifySignature: replacing(({ header, payload }) => ({ ...header, ...(payload as object) })),
  },
  "claims-from-prototype": {
    title: "Reads claims from a member `__proto__` too",
    how: "The claims are copied with `Object.assign`, which sets the prototype of the copy.",
    verifySignature: replacing(({ payload }) => Object.assign({}, payload)),
  },
});

/** Verifies correctly, and then uses claims other than the verified ones. */
function replacing(claims: (token: Received) => object): CheckPatch {
  return (original) => async (call) => {
    await original(call);
    const token = splitToken(call.token ?? "");
    if (token) call.claims = claims(token) as Call["claims"];
  };
}

/** Also reads claims whose names are in upper case. */
function ignoringCase(...names: readonly string[]): CheckPatch {
  return replacing(({ payload }) => {
    const claims = payload as Readonly<Record<string, unknown>>;
    const respelled = names.map((name) => [name, claims[name.toUpperCase()]] as const);
    const known = respelled.filter(([, value]) => value !== undefined);
    return { ...Object.fromEntries(known), ...claims };
  });
}

/** Changes the received token before it is verified. */
function rewriting(rewrite: (token: string) => string): CheckPatch {
  return (original) => (call) => {
    call.token = rewrite(call.token ?? "");
    return original(call);
  };
}

/** The members of a JSON object with scalar values; of repeated names, the first. */
function firstMembers(text: string): Readonly<Record<string, unknown>> {
  const members = [...text.matchAll(/("(?:[^"\\]|\\.)*"):("(?:[^"\\]|\\.)*"|[^,{}[\]]+)/g)];
  return Object.assign({}, ...members.map(([member]) => parse(`{${member}}`)).toReversed());
}
