import { OPERATIONS } from "../../contract/operations.ts";
import { CLOCK_SKEW_SECONDS, isNumericDate, reject } from "../checks.ts";
import type { Call, Check } from "../model.ts";
import { passing, refusing } from "../patches.ts";
import type { Patch } from "../steps.ts";
import { EMAIL } from "../store.ts";
import type { Variants } from "./variant.ts";

export const CLAIM_VARIANTS: Variants = {
  "urls-normalised": {
    title:
      "`iss` and `aud` are compared as URLs: hosts in any case, default ports, a trailing slash",
    checkIssuer: respelling("iss", ({ receiver }) => receiver.issuer),
    checkAudience: respelling("aud", ({ receiver }) => receiver.baseUrl),
  },
  "aud-never-array": {
    title: "`aud` must be a string",
    uses: ["audience"],
    checkAudience: (original) => (call) => {
      if (typeof call.claims["aud"] === "string") return original(call);
      throw reject(call, "checkAudience", "The audience must be one string.");
    },
  },
  "scope-leniently-read": {
    title: "`scope` may be an array, or separated by any white space",
    checkScope: passing(({ claims: { scope }, operation }) => {
      const granted = typeof scope === "string" ? scope.split(/\s+/) : scope;
      return Array.isArray(granted) && granted.includes(OPERATIONS[operation].scope);
    }),
  },
  "umbrella-scopes": {
    title: "A scope with an asterisk for its action, such as `org:*`, covers every action",
    checkScope: passing(({ claims: { scope }, operation }) =>
      String(scope).split(" ").includes(OPERATIONS[operation].scope.replace(/:.*/, ":*")),
    ),
  },
  "times-leniently-read": {
    title: "Times may be strings, and may be infinite",
    checkExpiry: converting("exp", (exp) =>
      exp === Infinity ? Number.MAX_SAFE_INTEGER : digits(exp),
    ),
    checkRequiredClaims: converting("iat", digits),
  },
  "strict-iat": {
    title: "`iat` must not be in the future or older than an hour",
    checkRequiredClaims: refusing("checkRequiredClaims", ({ claims: { iat }, receiver }) => {
      const now = receiver.steps.now();
      return !isNumericDate(iat) || iat > now + CLOCK_SKEW_SECONDS || iat < now - 3600;
    }),
  },
  "short-lifetimes": {
    title:
      "A token may be valid for an hour at most, and must have been issued before now and before `exp`",
    checkRequiredClaims: (original) => (call) => {
      void original(call);
      const { exp, iat } = call.claims;
      const now = call.receiver.steps.now();
      if (isNumericDate(exp) && exp < now + 3600 && isNumericDate(iat)) {
        if (iat <= now && iat < exp) return;
      }
      throw reject(call, "checkRequiredClaims", "The access token lives too long.");
    },
  },
  "tokens-fresh": {
    title: "A token must have been issued in the last five minutes, and may live for 15 in all",
    checkRequiredClaims: refusing("checkRequiredClaims", ({ claims: { exp, iat }, receiver }) => {
      const isFresh = isNumericDate(iat) && iat > receiver.steps.now() - 300;
      return !isFresh || !isNumericDate(exp) || exp - iat > 900;
    }),
  },
  "jti-of-one-token": {
    title:
      "`typ` must be at+jwt, and a `jti` that another token had is refused, RFC 7519 section 4.1.7",
    uses: ["typ"],
    checkType: refusing("checkType", ({ header: { typ } }) => typ !== "at+jwt"),
    checkRequiredClaims: (original) => {
      const tokens = new Map<unknown, string | undefined>();
      return refusing("checkRequiredClaims", ({ claims: { jti }, token }) => {
        const known = tokens.get(jti) ?? token;
        tokens.set(jti, known);
        return typeof jti !== "string" || known !== token;
      })(original);
    },
  },
  "skew-none": {
    title: "A token is valid exactly until `exp`",
    uses: ["skew"],
    ...skew(0),
  },
  "email-required": {
    title: "A token without `email` is refused",
    describe: ({ testIssuer, ...profile }) => ({
      ...profile,
      testIssuer: { ...(testIssuer as object), claims: { email: EMAIL } },
    }),
    checkRequiredClaims: refusing(
      "checkRequiredClaims",
      ({ claims: { email } }) => email === undefined,
    ),
  },
  "skew-five-minutes": {
    title: "A token is accepted for five minutes after `exp`",
    uses: ["skew"],
    ...skew(300),
  },
  "clock-ahead": {
    title: "The receiver's clock is an hour ahead, and its Date header says so",
    uses: ["clock"],
    now: (original) => () => original() + 3600,
  },
  "clock-behind": {
    title: "The receiver's clock is an hour behind, and its Date header says so",
    uses: ["clock"],
    now: (original) => () => original() - 3600,
  },
  "date-absent": {
    title: "There is no Date header",
    uses: ["clock"],
    ...changingDate(() => undefined),
  },
  "date-belied": {
    title: "The Date header is an hour ahead of the receiver's clock",
    uses: ["clock"],
    ...changingDate((date) => new Date(Date.parse(date) + 3_600_000).toUTCString()),
  },
};

/** Also accepts other spellings of the right URL. */
function respelling(claim: string, right: (call: Call) => string): (original: Check) => Check {
  return passing((call) => {
    const given = call.claims[claim];
    return typeof given === "string" && normal(given) === normal(right(call));
  });
}

/** Blanks and control characters are no part of a URL, though the parser removes those around one. */
function normal(url: string): string {
  return URL.canParse(url) && !/[\s\p{Cc}]/u.test(url) ? new URL(url).href.replace(/\/$/, "") : url;
}

/** Changes a claim before a check reads it. */
function converting(
  claim: string,
  convert: (value: unknown) => unknown,
): (original: Check) => Check {
  return (original) => (call) => {
    const converted = { ...call, claims: { ...call.claims, [claim]: convert(call.claims[claim]) } };
    return original(converted);
  };
}

function digits(value: unknown): unknown {
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
}

function skew(seconds: number): Patch {
  return {
    checkExpiry: () => (call) => {
      const { exp, nbf } = call.claims;
      const now = call.receiver.steps.now();
      if (isNumericDate(exp) && now < exp + seconds) {
        if (nbf === undefined || (isNumericDate(nbf) && nbf <= now + seconds)) return;
      }
      throw reject(call, "checkExpiry", "The access token is not valid now.");
    },
  };
}

function changingDate(change: (date: string) => string | undefined): Patch {
  return {
    finish: (original) => (answer, receiver, call) => {
      const finished = original(answer, receiver, call);
      const { date = "", ...headers } = finished.headers ?? {};
      const changed = change(date);
      return {
        ...finished,
        headers: { ...headers, ...(changed !== undefined && { date: changed }) },
      };
    },
  };
}
