import { createHash } from "node:crypto";

import { changingForm } from "../../patches.ts";
import type { Patch } from "../../steps.ts";
import { type Faults, ownedBy } from "../fault.ts";
import { authenticate, authorizationOf } from "./requests.ts";

/** The example of RFC 7636 appendix B. */
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

export const PKCE_FAULTS: Faults = ownedBy("authorization-server.pkce", {
  "server-pkce-unchecked": {
    title: "Does not compare the PKCE verifier with the challenge",
    how: "The server stores the challenge and never uses it.",
    source: "authentik CVE-2023-48228",
    authorizationRequest: () => (query) => {
      if (query.has("code_challenge")) query.set("code_challenge", CHALLENGE);
    },
    ...changingForm((form) => {
      if (form.get("grant_type") === "authorization_code") form.set("code_verifier", VERIFIER);
    }),
  },
  "server-pkce-for-secret": {
    title: "Redeems a code without the client's secret if there is a `code_verifier`",
    rule: "authorization-server.authorization-code",
    how: "PKCE was made for clients without a secret, so it is taken to replace one.",
    source: "RFC 9700 section 2.1.1",
    tokenRequest: () => (request) => {
      const owner = authorizationOf(request)?.get("client_id");
      if (owner && request.form.has("code_verifier")) authenticate(request, owner);
    },
  },
  "server-pkce-any-challenge": {
    title: "Accepts the PKCE verifier of any earlier request",
    how: "The server looks up the challenge by the verifier's hash, and does not compare the code's.",
    ...withAnyChallenge(),
  },
  "server-pkce-downgraded": {
    title: "Does not require a challenge",
    how: "PKCE is checked if a client uses it, and no client has to use it.",
    source: "CVE-2024-22258",
    ...unchecked((query) => !query.has("code_challenge")),
  },
  "server-pkce-without-method-dropped": {
    title: "Drops a challenge that came without a method",
    how: "The code stores challenge and method together, and does so only if both are there.",
    source: "RFC 7636 section 4.3",
    ...unchecked((query) => query.has("code_challenge") && !query.has("code_challenge_method")),
  },
  "server-pkce-method-ignored": {
    title: "Treats every PKCE method as S256",
    how: "The server supports one method, and does not read the parameter that names it.",
    source: "hydra#1512",
    authorizationRequest: () => (query) => {
      if (query.has("code_challenge_method")) query.set("code_challenge_method", "S256");
    },
  },
});

/** Gives every request the same challenge, and its verifier to each token request with one that was made before. */
function withAnyChallenge(): Patch {
  const known = new Set<string>();
  return {
    authorizationRequest: () => (query) => {
      const challenge = query.get("code_challenge");
      if (challenge === null || query.get("code_challenge_method") !== "S256") return;
      known.add(challenge);
      query.set("code_challenge", CHALLENGE);
    },
    ...changingForm((form) => {
      const verifier = form.get("code_verifier") ?? "";
      const hash = createHash("sha256").update(verifier).digest("base64url");
      form.set(
        "code_verifier",
        known.has(hash) ? VERIFIER : "of no request at all, but long enough",
      );
    }),
  };
}

/** Requires no verifier if the authorization request is of a certain kind. */
function unchecked(condition: (query: URLSearchParams) => boolean): Patch {
  return {
    authorizationRequest: () => (query, memory) => {
      if (!condition(query)) return;
      query.set("code_challenge", CHALLENGE);
      query.set("code_challenge_method", "S256");
      memory.requests.get(query.get("state") ?? "")?.set("unchecked", "true");
    },
    tokenRequest: () => (request) => {
      const asked = authorizationOf(request);
      if (asked?.get("unchecked") === "true") request.form.set("code_verifier", VERIFIER);
    },
  };
}
