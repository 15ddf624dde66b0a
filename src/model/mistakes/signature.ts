import type { JsonObject } from "../../lib/json.ts";
import { algorithm } from "../checks/algorithm.ts";
import { extensions } from "../checks/extensions.ts";
import { serialization } from "../checks/serialization.ts";
import { signature } from "../checks/signature.ts";
import type { Check, Question } from "../question.ts";
import { also, instead, type Mistake } from "./mistake.ts";

function header({ token }: Question): Readonly<Record<string, unknown>> {
  return token?.header ?? {};
}

/** Whether the header names an algorithm that a verifier could apply. */
function isOrdinary(question: Question): boolean {
  return /^(?:[RPEH]S(?:256|384|512)|EdDSA|Ed25519)$/.test(String(header(question)["alg"]));
}

/** Whether a token is written as issuers write tokens, so that a receiver that does not verify it has no other reason to refuse it. */
function isPlain(question: Question): boolean {
  const { token } = question;
  const { kid, b64, typ } = header(question);
  return (
    token !== undefined &&
    token.flaws.size === 0 &&
    token.signature.is !== "empty" &&
    token.signature.spelled === undefined &&
    [kid, typ].every((one) => one === undefined || typeof one === "string") &&
    b64 === undefined
  );
}

/** That the text of the signature is odd, code that does not verify it need not notice. */
const unlessOddlySpelled: Check = (question) => {
  const { signature: found } = question.token ?? {};
  const isOdd = found !== undefined && found.is !== "empty" && found.spelled !== undefined;
  return isOdd ? instead(serialization, () => undefined)(question) : serialization(question);
};

function isUnsecured(question: Question): boolean {
  return String(header(question)["alg"]).trim().toLowerCase() === "none";
}

/** The keys that a receiver finds by `kid`: of those for other algorithms, it may know nothing. */
function kidsOf(question: Question): unknown[] {
  return keysOf(question).map((jwk) => jwk["kid"]);
}

function keysOf({ known: { issuers = [], algorithms } }: Question): JsonObject[] {
  const keys = issuers.flatMap((one) => one.keys ?? []);
  const isSupported = ({ alg }: JsonObject): boolean => algorithms?.includes(String(alg)) ?? true;
  return keys.filter(isSupported);
}

function ofUnsecured(right: Check): Check {
  return (question) => {
    if (!isUnsecured(question)) return right(question);
    const isPlainOne =
      header(question)["alg"] === "none" && question.token?.signature.is === "empty";
    return instead(right, () => (isPlainOne ? true : undefined))(question);
  };
}

const CONFUSED =
  "The list of accepted algorithms has HS256 beside those of public keys, or is taken from the token, and the same key is passed for all.";

/** What code passes as the secret of an HMAC, although everybody knows it. */
const HMAC_SECRETS = [
  { form: "PEM", fault: "hmac-by-public-key", secret: "the public key in PEM" },
  { form: "JWK", fault: "hmac-by-jwk", secret: "the text of the JWK" },
  { form: "DER", fault: "hmac-by-der", secret: "the bytes of the public key (DER)" },
  { form: "number", fault: "hmac-by-number", secret: "the number of the public key" },
  { form: "empty", fault: "hmac-by-empty-secret", secret: "the empty text" },
] as const;

/** Whether `kid` names no key of an issuer. Without a `kid`, it depends on how the key is found. */
function namesNoKey(question: Question): boolean | undefined {
  const { kid, alg } = header(question);
  if (kidsOf(question).includes(kid)) return false;
  // Code may ask for keys of this kind first, and there is none for an HMAC.
  return typeof kid === "string" && !String(alg).startsWith("HS") ? true : undefined;
}

/** Code that does not verify may look at `crit` and `b64`, or not. */
const extensionsUnsaid: Check = (question) => {
  const { crit, b64 } = header(question);
  return crit === undefined && b64 === undefined
    ? extensions(question)
    : instead(extensions, () => undefined)(question);
};

function namesKeyFor(question: Question, alg: string): boolean {
  const { kid } = header(question);
  return keysOf(question).some((jwk) => jwk["kid"] === kid && jwk["alg"] === alg);
}

/** Algorithms of which a receiver may forget to look at the result. */
const ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"];

/** A receiver that does not verify the signatures of some tokens: `undefined` where it depends on what this mistake does not say. */
function unverified(isMeant: (question: Question) => boolean | undefined): Mistake["checks"] {
  const decides =
    (right: Check, isPossible: (question: Question) => boolean): Check =>
    (question) => {
      const meant = isMeant(question);
      if (meant === false) return right(question);
      return instead(right, () => (meant && isPossible(question) ? true : undefined))(question);
    };
  return {
    signature: decides(signature, isPlain),
    algorithm: decides(algorithm, (question) => isPlain(question) && isOrdinary(question)),
    serialization: unlessOddlySpelled,
  };
}

/** Wrong checks of the signature (Receiver checks 1). */
export const SIGNATURE: readonly Mistake[] = [
  {
    fault: "signature-unchecked",
    isAbsence: true,
    behaves: "trusts claims without verifying the signature",
    look: "The token is decoded and not verified (`jwt.decode`, `decodeJwt`, `verify_signature: False`).",
    checks: {
      // Decoding takes any well-formed token. What it makes of an empty or odd part differs.
      signature: instead(signature, (question) => (isPlain(question) ? true : undefined)),
      algorithm: instead(algorithm, (question) => (isOrdinary(question) ? true : undefined)),
      serialization: unlessOddlySpelled,
      extensions: extensionsUnsaid,
    },
  },
  {
    fault: "verification-not-awaited",
    behaves: "accepts any signature once a key is found",
    look: "The call that verifies returns a promise, and nobody awaits it: what it rejects is thrown when the answer is already sent.",
    checks: {
      signature: instead(signature, (question) => {
        if (!isPlain(question)) return undefined;
        return kidsOf(question).includes(header(question)["kid"]) ? true : undefined;
      }),
      algorithm: instead(algorithm, (question) => (isOrdinary(question) ? true : undefined)),
      serialization: unlessOddlySpelled,
    },
  },
  {
    fault: "unknown-kid-unverified",
    behaves: "does not verify the signature of a token whose `kid` names no key",
    look: "The code looks the key up, and goes on where it finds none.",
    checks: {
      ...unverified(namesNoKey),
      extensions: (question) =>
        namesNoKey(question) === false ? extensions(question) : extensionsUnsaid(question),
    },
  },
  ...ALGORITHMS.map((alg): Mistake => ({
    fault: "algorithm-unverified",
    behaves: `does not verify the signature of a token with \`alg: ${alg}\``,
    look: "Each algorithm has a verifier of its own, and the code does not look at what this one says.",
    isWider: true,
    checks: unverified((question) => {
      if (header(question)["alg"] !== alg) return false;
      return namesKeyFor(question, alg) ? true : undefined;
    }),
  })),
  {
    fault: "alg-none-accepted",
    behaves: "requires no signature of a token with `alg: none`",
    look: "The list of accepted algorithms has `none`, or is not given.",
    source: "CVE-2015-9235; RFC 8725 §3.1",
    checks: {
      // Which spellings of `none` it takes, and whether a signature may be there, differs.
      algorithm: ofUnsecured(algorithm),
      signature: ofUnsecured(signature),
    },
  },
  ...HMAC_SECRETS.map(({ form, fault, secret }): Mistake => {
    // Which of the three hashes it takes, and whether the text ends in a newline, differs.
    const isKeyed = ({ token }: Question): boolean =>
      token?.signature.is === "invalid" && token.signature.keyedBy === form;
    return {
      fault,
      behaves: `verifies an HMAC with ${secret} as secret`,
      look:
        form === "empty"
          ? "The list of accepted algorithms has HS256, and its secret comes from a setting that is not there."
          : CONFUSED,
      source: "CVE-2016-10555; RFC 8725 §2.1",
      checks: {
        signature: (question) =>
          isKeyed(question) ? instead(signature, () => undefined)(question) : signature(question),
        algorithm: (question) =>
          isKeyed(question) ? instead(algorithm, () => undefined)(question) : algorithm(question),
      },
    };
  }),
  {
    fault: "jwk-trusted",
    behaves: "trusts the key in `jwk`",
    look: "The key is taken from the token itself in place of the issuer's JWKS.",
    source: "CVE-2018-0114; RFC 8725 §3.10",
    checks: {
      signature: also(signature, (question) => Object.hasOwn(header(question), "jwk")),
      algorithm: also(algorithm, (question) => Object.hasOwn(header(question), "jwk")),
    },
  },
  {
    fault: "crit-ignored",
    behaves: "ignores `crit`",
    look: "The library does not know `crit`, or nobody calls its check.",
    source: "RFC 7515 §4.1.11",
    checks: {
      // What it makes of `b64`, and of a list that is empty or none, is another question.
      extensions: (question) => {
        const { crit, b64 } = header(question);
        if (crit === undefined) return extensions(question);
        const isPlainOne = Array.isArray(crit) && crit.length > 0 && b64 === undefined;
        return instead(extensions, () => (isPlainOne ? true : undefined))(question);
      },
    },
  },
  {
    fault: "first-key-alone",
    behaves: "verifies every token with the first key of the JWKS, whatever `kid` says",
    look: "The code reads `keys[0]` of the JWKS. Find the key by `kid`.",
    checks: {
      signature: instead(signature, (question) => {
        const { token } = question;
        if (token?.signature.is !== "valid") return signature(question)?.is === "passes";
        return token.signature.kid === kidsOf(question)[0];
      }),
    },
  },
];
