import { passUnless, shown, violation } from "../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import { wrongAnswer } from "../../src/authorization-server/protocol/failed.ts";
import {
  ASYMMETRIC,
  type KeySet,
  verifyingKey,
} from "../../src/authorization-server/protocol/key-set.ts";
import { forEach, ofServer } from "../../src/authorization-server/rule.ts";
import type { IssuedToken } from "../../src/authorization-server/tokens/issued.ts";
import { endCase, Finding } from "../../src/probe/finding.ts";
import { countFact, phrase, type Phrase, valueFact } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Client } from "../../src/profile/authorization-server.ts";
import { judgeCertificate, judgeIntegers, judgeWeak } from "./checks/key-members.ts";

/** The most characters of a value in a sentence. */
const SHOWN = 80;

/** Members of private keys, RFC 7518 sections 6.2.2 and 6.3.2. */
const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "oth"];

/** Members that may name a key in place of `kid`, RFC 7515 sections 4.1.7 and 4.1.8. */
const THUMBPRINTS = ["x5t", "x5t#S256"];

/** What the cases have in common in which the JWKS shows a key that signs. */
const SECRET_KEY = {
  requirement: "rfc7517.private",
  grounds: {
    why: "anybody who reads the JWKS could issue tokens",
    source: "RFC 7517 section 9.2",
  },
} as const;

export const rule: Rule = defineRule({
  side: "authorization-server",
  id: "authorization-server.keys",
  title: "The JWKS has the key of every issued token, and no private key",
  level: "MUST",
  verifies: [
    "checks.signature",
    "rfc7517.private",
    "rfc7517.kid",
    "rfc7517.use",
    "rfc7517.certificate",
    "rfc7518.rsa",
    "rfc7518.integers",
  ],
  // Last, to notice a key that was there at the start only.
  phase: "record",
  cases: ofServer({ endpoint: "jwks" }, (server) => [
    {
      id: "published",
      title: "There is a JWKS at the URL that the metadata names",
      requirement: "checks.signature",
      grounds: {
        why: "a receiver could not check the signature of any token",
        source: "RFC 7517 section 5",
      },
      judge: judgePublished,
    },
    ...forEach(server.clients, {
      id: "found",
      title: "A key of the JWKS verifies the client's tokens",
      requirement: "checks.signature",
      grounds: { why: "a receiver that checks the signature cannot accept these tokens" },
      judge: judgeFound,
    }),
    {
      id: "private",
      title: "No key has private members",
      ...SECRET_KEY,
      judge: judgePrivate,
    },
    {
      id: "symmetric",
      title: "No key is symmetric",
      ...SECRET_KEY,
      judge: judgeSymmetric,
    },
    ...forEach(server.clients, {
      id: "kid",
      title: "`kid`, if the token has it or there are several keys, names the key of the token",
      level: "SHOULD",
      requirement: "rfc7517.kid",
      grounds: { source: "RFC 7517 section 4.5" },
      judge: judgeKid,
    }),
    ...forEach(server.clients, {
      id: "use",
      title: "The key of the token is published for verifying signatures by its algorithm",
      level: "SHOULD",
      requirement: "rfc7517.use",
      grounds: {
        why: "a receiver that reads these members does not use the key",
        source: "RFC 7517 sections 4.2 to 4.4",
      },
      judge: judgeUse,
    }),
    {
      id: "weak",
      title: "RSA keys have 2048 bits or more",
      level: "SHOULD",
      requirement: "rfc7518.rsa",
      grounds: { source: "RFC 7518 section 3.3" },
      judge: judgeWeak,
    },
    {
      id: "integers",
      title:
        "The numbers of keys are base64url without padding, of an RSA key without leading zero bytes, of an elliptic curve's in full length",
      level: "SHOULD",
      requirement: "rfc7518.integers",
      grounds: {
        why: "some receivers cannot read such a key, or find another thumbprint for it",
        source: "RFC 7518 sections 2, 6.2.1 and 6.3.1",
      },
      judge: judgeIntegers,
    },
    {
      id: "certificate",
      title: "The certificate of a key, if it has one, is of this key",
      level: "SHOULD",
      requirement: "rfc7517.certificate",
      grounds: {
        why: "a receiver that takes the key from the certificate refuses the tokens",
        source: "RFC 7517 section 4.7",
      },
      judge: judgeCertificate,
    },
  ]),
});

async function tokensOf(probe: ServerProbe, client: Client): Promise<readonly IssuedToken[]> {
  await probe.token(client);
  const issued = probe.issued.filter((one) => one.client.name === client.name);
  const readable = issued.filter(
    ({ unreadable, header }) => unreadable === undefined && ASYMMETRIC.test(String(header["alg"])),
  );
  if (readable.length > 0) return readable;
  return endCase(
    Finding.inconclusive(
      phrase`proves nothing: authorization-server.claims reports why the token cannot be verified`,
    ),
  );
}

async function judgePublished(probe: ServerProbe): Promise<Finding> {
  const found = await probe.tryKeySet();
  if (!("failed" in found)) return Finding.pass({ probes: [found.exchange] });
  if (found.wrong === undefined) return Finding.inconclusive(phrase`${found.failed}`);
  return wrongAnswer(found.failed, found.wrong);
}

/**
 * Judges every token of a client by the keys of the JWKS.
 * @param faultOf what is wrong; `undefined` where nothing is
 */
async function judgeTokens(
  probe: ServerProbe,
  client: Client,
  expected: Phrase,
  faultOf: (token: IssuedToken, keys: KeySet["keys"]) => Promise<Phrase | undefined>,
): Promise<Finding> {
  const { keys, exchange } = await probe.keySet();
  for (const token of await tokensOf(probe, client)) {
    const actual = await faultOf(token, keys);
    if (actual) return violation(actual, expected, { probes: [token.exchange, exchange] });
  }
  return Finding.pass({ probes: [exchange] });
}

function judgeFound(probe: ServerProbe, client: Client): Promise<Finding> {
  const expected = phrase`a key of the JWKS verifies the signature`;
  return judgeTokens(probe, client, expected, async ({ token, header }, keys) =>
    (await verifyingKey(token, header, keys)) ? undefined : whyNone(header, keys),
  );
}

/** Why no key of the JWKS verifies a token. */
function whyNone(header: Readonly<Record<string, unknown>>, keys: KeySet["keys"]): Phrase {
  // RFC 7515 section 4.1.11: who does not know an extension must refuse the token.
  if (header["crit"] !== undefined)
    return phrase`its header has \`crit\`, ${valueFact(shown(header["crit"], SHOWN))}, an extension that receivers do not know`;
  return keys.some((key) => key["kid"] === header["kid"])
    ? phrase`neither the key that the token names nor another one verifies it`
    : phrase`it is verified by none of ${countFact(keys.length, "key")}, and none has the token's \`kid\``;
}

function judgeKid(probe: ServerProbe, client: Client): Promise<Finding> {
  const expected = phrase`\`kid\` of the token names the key that verifies it`;
  return judgeTokens(probe, client, expected, kidFault);
}

/** What is wrong with the `kid` of a token; `undefined` where nothing is, or where no key verifies the token. */
async function kidFault(
  { token, header }: IssuedToken,
  keys: KeySet["keys"],
): Promise<Phrase | undefined> {
  const { kid } = header;
  const key = await verifyingKey(token, header, keys);
  // Another case judges a token that no key verifies. One key needs no name.
  if (!key || (keys.length === 1 && (kid === undefined || key["kid"] === undefined)))
    return undefined;
  const named = keys.filter((one) => one["kid"] !== undefined && one["kid"] === kid);
  if (kid === undefined) {
    return THUMBPRINTS.some((name) => header[name] !== undefined && header[name] === key[name])
      ? undefined
      : phrase`it is absent, and the JWKS has ${countFact(keys.length, "key")}`;
  }
  if (named.length === 0) return phrase`no key of the JWKS has it`;
  if (!named.includes(key)) return phrase`it names another one`;
  // Keys of different types may share a `kid`, RFC 7517 section 4.5.
  const types = new Set(named.map(({ kty }) => kty));
  return types.size === named.length ? undefined : phrase`it names ${named.length}`;
}

function judgeUse(probe: ServerProbe, client: Client): Promise<Finding> {
  const expected = phrase`\`use\`, \`key_ops\` and \`alg\` of the key, if present, fit the token's signature`;
  return judgeTokens(probe, client, expected, async ({ token, header }, keys) => {
    const { alg } = header;
    const fitting = keys.filter((key) => !useFault(key, alg));
    if (await verifyingKey(token, header, fitting)) return undefined;
    // Another case judges a token that no key verifies.
    const key = await verifyingKey(token, header, keys);
    return key && useFault(key, alg);
  });
}

/** What a key says against verifying signatures by an algorithm; `undefined` where it says nothing. */
function useFault(key: KeySet["keys"][number], algorithm: unknown): Phrase | undefined {
  const { use, key_ops: operations, alg } = key;
  if (use !== undefined && use !== "sig") return phrase`use is ${valueFact(shown(use, SHOWN))}`;
  if (Array.isArray(operations) && !operations.includes("verify"))
    return phrase`key_ops is ${valueFact(shown(operations, SHOWN))}`;
  // Both name the same signatures with a key of the curve Ed25519, RFC 9864.
  const [one, other] = [alg ?? algorithm, algorithm].map((name) =>
    name === "Ed25519" ? "EdDSA" : name,
  );
  return one === other
    ? undefined
    : phrase`\`alg\` is ${valueFact(shown(alg, SHOWN))}, and that of the token ${valueFact(shown(algorithm, SHOWN))}`;
}

async function judgePrivate(probe: ServerProbe): Promise<Finding> {
  const { keys, exchange } = await probe.keySet();
  const bad = PRIVATE.find((name) => keys.some((key) => key["kty"] !== "oct" && name in key));
  const actual = bad === undefined ? undefined : phrase`a key has a private member: ${bad}`;
  return passUnless(actual, phrase`public members only`, { probes: [exchange] });
}

async function judgeSymmetric(probe: ServerProbe): Promise<Finding> {
  const { keys, exchange } = await probe.keySet();
  const isBad = keys.some((key) => key["kty"] === "oct" || "k" in key);
  const actual = isBad ? phrase`there is a key of type oct` : undefined;
  return passUnless(actual, phrase`asymmetric keys only`, { probes: [exchange] });
}
