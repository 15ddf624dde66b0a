import type { Grant } from "../../authorization-server/steps.ts";
import type { Fault } from "../fault.ts";

type Claims = Record<string, unknown>;

/** A fault in the claims of issued tokens. */
function claimsFault(
  fault: Pick<Fault, "name" | "title" | "how" | "rule"> & {
    readonly source?: string;
    readonly change: (claims: Claims, grant: Grant) => Claims;
  },
): Fault {
  const { change, ...about } = fault;
  return {
    ...about,
    step: "tokenClaims",
    patch: (original) => (claims, grant) => change(original(claims, grant), grant),
  };
}

/** The claims without one of them. */
function without(name: string): (claims: Claims) => Claims {
  return ({ [name]: _left, ...rest }) => rest;
}

const CLAIMS = "authorization-server.claims";

/** Faults in the claims of issued tokens. */
export const ISSUED_CLAIM_FAULTS: readonly Fault[] = [
  claimsFault({
    name: "server-token-aud-origin",
    title: "Issues tokens whose `aud` is the origin of the base URL, without its path",
    rule: CLAIMS,
    how: "One API is registered for all that the host has.",
    change: (claims) => ({ ...claims, aud: new URL(String(claims["aud"])).origin }),
  }),
  claimsFault({
    name: "server-token-aud-client",
    title: "Issues tokens whose `aud` is the client",
    rule: CLAIMS,
    how: "That is what `aud` of an ID token is.",
    change: (claims, { client }) => ({ ...claims, aud: client }),
  }),
  claimsFault({
    name: "server-token-without-sub",
    title: "Issues tokens without `sub` by client credentials",
    rule: CLAIMS,
    how: "There is no user.",
    change: (claims, { flow }) => (flow === "client_credentials" ? without("sub")(claims) : claims),
  }),
  claimsFault({
    name: "server-token-scope-array",
    title: "Issues tokens whose `scope` is an array",
    rule: CLAIMS,
    how: "The framework keeps scopes as a list.",
    source: "spring-authorization-server#877",
    change: (claims) => ({ ...claims, scope: String(claims["scope"]).split(" ") }),
  }),
  claimsFault({
    name: "server-token-exp-text",
    title: "Issues tokens whose `exp` is text",
    rule: CLAIMS,
    how: "A template puts all claims in quotes.",
    change: (claims) => ({ ...claims, exp: String(claims["exp"]) }),
  }),
  claimsFault({
    name: "server-token-other-organization",
    title: "Binds tokens to another organization than the client's",
    rule: CLAIMS,
    how: "The organization of the last session is kept.",
    change: (claims) =>
      Object.fromEntries(
        Object.entries(claims).map(([name, value]) =>
          name.endsWith("/org_id") ? [name, "0f0e0d0c-0b0a-4908-8706-050403020100"] : [name, value],
        ),
      ),
  }),
  claimsFault({
    name: "server-token-without-grant-type",
    title: "Issues tokens that do not say by which flow they came",
    rule: "authorization-server.recommended-claims",
    how: "No mapper was made for the claim.",
    change: without("grant_type"),
  }),
];
