import { compactDecrypt } from "jose";

import { isObject } from "../../lib/json.ts";
import type { Call, Check } from "../model.ts";
import { keyNamed, parse, pem, type Received, take, taking, verifies } from "../received.ts";
import type { Fault, FaultWords } from "./fault.ts";

/** Faults of check 1 in what is taken for a token and its claims. */
export const SIGNATURE_FORM_FAULTS: readonly Fault[] = [
  {
    name: "json-serialization-accepted",
    title: "Accepts a token in the JSON serialization",
    rule: "receiver.signature",
    how: "The library reads every serialization of a JWS, and is asked for no particular one.",
    step: "readCredentials",
    patch: (original) => (call) => {
      const jws = parse(/^Bearer +(\{.+\})$/.exec(call.authorization[0] ?? "")?.[1]);
      if (!isObject(jws)) return original(call);
      const [first = jws] = (jws["signatures"] ?? []) as (typeof jws)[];
      call.token = [first["protected"], jws["payload"], first["signature"]].join(".");
    },
  },
  {
    name: "signature-junk-ignored",
    title: "Passes over characters in a token that base64url does not have",
    rule: "receiver.signature",
    how: "The platform's base64 decoder leaves out what it does not know; jose 4 read signatures so.",
    step: "readCredentials",
    patch: (original) => (call) => {
      const [, token] = /^Bearer ([\w.!-]+)$/.exec(call.authorization.join()) ?? [];
      if (token === undefined) return original(call);
      call.token = token.replaceAll("!", "");
    },
  },
  rewrites("further-segments-ignored", {
    title: "Ignores what follows the third segment of a token",
    how: "`const [header, payload, signature] = token.split('.')` takes any number of segments.",
    rewrite: (token) => token.split(".").slice(0, 3).join("."),
  }),
  rewrites("empty-segments-skipped", {
    title: "Ignores dots too many in a token",
    how: "The token is split with a function that leaves empty parts out.",
    rewrite: (token) =>
      token.endsWith(".") && token.split(".").length === 3
        ? token
        : token.split(".").filter(Boolean).join("."),
  }),
  takes("claims-encrypted-accepted", {
    title: "Accepts claims that are encrypted with the public key as password",
    how: "One function opens tokens of every kind with the one key that it is configured with.",
    source: "CVE-2026-29000",
    async claims({ segments, header }, call) {
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
    },
  }),
  replaces("repeated-claims-first", {
    title: "Reads the first of a repeated claim",
    how: "Claims are read by a parser of its own, which stops at the first that fits.",
    claims: ({ payload, payloadText }) => {
      const first = Object.entries(firstMembers(payloadText));
      const claims = payload as object;
      return {
        ...claims,
        ...Object.fromEntries(first.filter(([name]) => Object.hasOwn(claims, name))),
      };
    },
  }),
  takes("repeated-alg-first", {
    title: "Reads the first of a repeated header parameter",
    how: "The header is read by a parser of its own, which stops at the first that fits.",
    claims: (token, call) => {
      const { alg } = firstMembers(token.headerText);
      return alg !== token.header["alg"] && verifies(token, call, { alg })
        ? token.payload
        : undefined;
    },
  }),
  takes("payload-rest-ignored", {
    title: "Ignores what follows the claims in the payload",
    how: "The JSON decoder reads one value from a stream, and nobody asks whether that was all.",
    claims: (token, call) =>
      token.payload === undefined && verifies(token, call)
        ? parse(token.payloadText.slice(0, token.payloadText.indexOf("}") + 1))
        : undefined,
  }),
  takes("payload-array-accepted", {
    title: "Accepts a payload that is an array of claims",
    how: "The parser of the platform turns an array with one element into the element.",
    claims: (token, call) =>
      Array.isArray(token.payload) && verifies(token, call) ? token.payload[0] : undefined,
  }),
  takes("payload-text-accepted", {
    title: "Accepts a payload that is a string with the claims",
    how: "The payload is parsed once by the part that reads the JWS, and once more because it is a string then; jsonwebtoken 9 does.",
    claims: (token, call) =>
      typeof token.payload === "string" && verifies(token, call) ? parse(token.payload) : undefined,
  }),
  takes("payload-null-breaks", {
    title: "Breaks on a payload that is null",
    how: "Members are asked of whatever was parsed.",
    claims: ({ payload }) => {
      if (payload === null) throw new TypeError("null has no members");
      return undefined;
    },
  }),
  takes("payload-not-utf-8-accepted", {
    title: "Accepts a payload that is not in UTF-8",
    how: "The platform's decoder puts a replacement character in place of what it cannot read.",
    claims: (token, call) =>
      token.payloadText === "" && verifies(token, call)
        ? parse(Buffer.from(token.segments[1] ?? "", "base64url").toString())
        : undefined,
  }),
  takes("alg-array-breaks", {
    title: "Breaks on an `alg` that is no text",
    how: "`alg` is looked up in a table before anybody has asked what it is; authlib 1.8 does so.",
    claims: ({ header: { alg } }) => {
      if (Array.isArray(alg)) throw new TypeError("an array is no key of a table");
      return undefined;
    },
  }),
  replaces("claim-names-case-ignored", {
    rule: "receiver.issuer",
    title: "Reads claims whose names are in capitals",
    how: "The platform's JSON decoder, like Go's, fills in members whatever the case of their names.",
    claims: ({ payload }) => {
      const claims = payload as object;
      const respelled = ["iss", "aud", "exp", "scope"].map((name) => [
        name,
        (claims as Record<string, unknown>)[name.toUpperCase()],
      ]);
      const known = respelled.filter(([, value]) => value !== undefined);
      return { ...Object.fromEntries(known), ...claims };
    },
  }),
  ...[
    { name: "aud", rule: "receiver.audience" },
    { name: "exp", rule: "receiver.expiry" },
    { name: "scope", rule: "receiver.scope" },
  ].map(({ name, rule }) =>
    replaces(`claim-${name}-case-ignored`, {
      rule,
      title: `Reads \`${name}\` where it is \`${name.toUpperCase()}\``,
      how: "This claim is decoded into a field of its own, whatever the case of its name.",
      claims: ({ payload }) => {
        const claims = payload as Readonly<Record<string, unknown>>;
        const respelled = claims[name.toUpperCase()];
        return respelled === undefined ? claims : { [name]: respelled, ...claims };
      },
    }),
  ),
  replaces("claims-from-header", {
    title: "Reads claims from the header too",
    how: "Header and payload are put into one object, in which the rest of the service looks.",
    claims: ({ header, payload }) => ({ ...header, ...(payload as object) }),
  }),
  replaces("claims-from-prototype", {
    title: "Reads claims from a member `__proto__` too",
    how: "The claims are copied with `Object.assign`, which sets the copy's prototype then.",
    claims: ({ payload }) => Object.assign({}, payload),
  }),
];

/** Accepts, besides what it must, tokens in which it finds claims. */
function takes(
  name: string,
  { claims, ...words }: FaultWords & { claims: (token: Received, call: Call) => unknown },
): Fault {
  const patch = taking(claims);
  return { name, rule: "receiver.signature", ...words, step: "verifySignature", patch };
}

/** Verifies as it must, and then takes other claims than those that were verified. */
function replaces(
  name: string,
  {
    rule = "receiver.signature",
    claims,
    ...words
  }: FaultWords & { rule?: string; claims: (token: Received) => object },
): Fault {
  const patch =
    (original: Check): Check =>
    async (call) => {
      await original(call);
      const token = take(call.token ?? "");
      if (token) call.claims = claims(token) as Call["claims"];
    };
  return { name, rule, ...words, step: "verifySignature", patch };
}

/** Makes another token of what came before it is verified. */
function rewrites(
  name: string,
  { rewrite, ...words }: FaultWords & { rewrite: (token: string) => string },
): Fault {
  const patch =
    (original: Check): Check =>
    (call) => {
      call.token = rewrite(call.token ?? "");
      return original(call);
    };
  return { name, rule: "receiver.signature", ...words, step: "verifySignature", patch };
}

/** The members with plain values of a JSON object, the first of each name. */
function firstMembers(text: string): Readonly<Record<string, unknown>> {
  const members = [...text.matchAll(/("(?:[^"\\]|\\.)*"):("(?:[^"\\]|\\.)*"|[^,{}[\]]+)/g)];
  return Object.assign({}, ...members.map(([member]) => parse(`{${member}}`)).toReversed());
}
