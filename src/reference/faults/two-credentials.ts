import { isObject } from "../../lib/json.ts";
import type { Call } from "../model.ts";
import { takingToken } from "../patches.ts";
import { splitToken } from "../received.ts";
import type { Patch } from "../steps.ts";
import { SUBJECT } from "../store.ts";
import { type FaultEntry, type Faults, ofEach, ownedBy } from "./fault.ts";

/** The tokens of a request that has two, in a certain order. */
type Pair = readonly [one: string, other: string];

/** Where a receiver finds a token that it verifies, and another one that it uses. */
interface Place {
  readonly name: string;
  readonly verified: string;
  readonly used: string;
  readonly find: (call: Call) => Pair | undefined;
}

const PLACES: readonly Place[] = [
  { name: "in-line", verified: "first", used: "last", find: inLine },
  { name: "line", verified: "first", used: "last", find: inLines },
  { name: "cookie", verified: "header's", used: "cookie's", find: inCookie },
  { name: "query", verified: "header's", used: "query's", find: inQuery },
];

/** Faults of receivers that verify one token, and read the claims of another one. */
export const TWO_CREDENTIALS_FAULTS: Faults = ownedBy("receiver.scope", {
  ...ofEach(PLACES, ({ name, verified, used, find }) => ({
    [`two-tokens-${name}-other-used`]: usingOther(verified, used, find),
    [`two-tokens-${name}-other-verified`]: usingOther(used, verified, (call) => {
      const [one, other] = find(call) ?? [];
      return one !== undefined && other !== undefined ? [other, one] : undefined;
    }),
  })),
  "two-tokens-merged": {
    title: "Merges the claims of two genuine tokens in two Authorization headers",
    how: "Each header is verified, and what the tokens claim is collected in one object.",
    source: "CWE-345",
    readCredentials: takingToken((call) => inLines(call)?.[0]),
    verifySignature: (original) => async (call) => {
      const [, second] = inLines(call) ?? [];
      await original(call);
      if (second === undefined) return;
      const { claims } = call;
      call.token = second;
      await original(call);
      const { scope, sub } = call.claims;
      const isAllowed = sub === SUBJECT;
      call.claims = {
        ...(isAllowed ? call.claims : claims),
        scope: `${String(claims["scope"])} ${String(scope)}`,
      };
    },
  },
});

function usingOther(verified: string, used: string, find: Place["find"]): FaultEntry & Patch {
  return {
    title: `Verifies the ${verified} of two tokens, and reads the claims of the ${used}`,
    how: "The middleware that verifies tokens and the one that reads their claims each find the token in their own way.",
    source: "CWE-345",
    readCredentials: takingToken((call) => find(call)?.[0]),
    verifySignature: (original) => async (call) => {
      await original(call);
      const claims = splitToken(find(call)?.[1] ?? "")?.payload;
      if (isObject(claims)) call.claims = claims;
    },
  };
}

function inLine({ authorization }: Call): Pair | undefined {
  const [, one, other] = /^Bearer (\S+), Bearer (\S+)$/.exec(authorization[0] ?? "") ?? [];
  return pairOf(one, other);
}

function inLines({ authorization }: Call): Pair | undefined {
  const [one, other] = authorization.map((line) => line.replace(/^Bearer /, ""));
  return pairOf(one, other);
}

function inCookie({ authorization: [line = ""], headers }: Call): Pair | undefined {
  const [, other] = /access_token=([\w.-]+)/.exec(String(headers.cookie)) ?? [];
  return line === "" ? undefined : pairOf(line.replace(/^Bearer /, ""), other);
}

function inQuery({ authorization: [line = ""], query }: Call): Pair | undefined {
  const other = query["access_token"];
  return line === "" || typeof other !== "string"
    ? undefined
    : pairOf(line.replace(/^Bearer /, ""), other);
}

function pairOf(one: string | undefined, other: string | undefined): Pair | undefined {
  return one === undefined || other === undefined ? undefined : [one, other];
}
