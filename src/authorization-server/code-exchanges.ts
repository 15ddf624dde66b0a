import type { Client } from "../profile/authorization-server.ts";
import { presenting } from "./client-authentication.ts";
import type { Redeemable } from "./probe.ts";
import type { TokenRequestChange } from "./token-request.ts";

/** Changes to the token request of a code. Each case uses its own code. */
export const CODE_EXCHANGES: Readonly<
  Record<
    string,
    {
      title: string;
      source: string;
      why: string;
      requirement: string;
      change: (coded: Redeemable, client: Client) => TokenRequestChange;
    }
  >
> = {
  altered: {
    title: "A code that was never issued gives no token",
    source: "RFC 6749 section 4.1.3",
    why: "codes could be guessed",
    requirement: "rfc6749.code-bound",
    change: ({ code }) => ({ parameters: { code: altered(code) } }),
  },
  "redirect-other": {
    title: "A redirect URI other than the one of the authorization request gives no token",
    source: "RFC 6749 section 4.1.3",
    why: "a code that was redirected to an attacker could be redeemed",
    requirement: "rfc6749.code-bound",
    change: ({ request }) => ({ parameters: { redirect_uri: `${request.redirectUri}/other` } }),
  },
  "redirect-missing": {
    title: "A token request without the redirect URI of the authorization request gives no token",
    source: "RFC 6749 section 4.1.3",
    why: "a code that was redirected to an attacker could be redeemed",
    requirement: "rfc6749.code-bound",
    change: () => ({ parameters: { redirect_uri: undefined } }),
  },
  "no-authentication": {
    title: "A client that has a secret gets no token without it",
    source: "RFC 6749 section 4.1.3",
    why: "an attacker who steals a code could redeem it",
    requirement: "rfc6749.client-authentication",
    change: (_coded, { id }) => ({ credentials: { headers: [], parameters: { client_id: id } } }),
  },
  "wrong-secret": {
    title: "A client gets no token with a wrong secret",
    source: "RFC 6749 section 4.1.3",
    why: "an attacker who steals a code could redeem it",
    requirement: "rfc6749.client-authentication",
    change: (_coded, client) => presenting(client, `${client.secret ?? ""}x`),
  },
  "empty-secret": {
    title: "A client that has a secret gets no token with an empty one",
    source: "RFC 6749 section 4.1.3, CVE-2026-73309",
    why: "an attacker who steals a code could redeem it",
    requirement: "rfc6749.client-authentication",
    change: (_coded, client) => presenting(client, ""),
  },
};

/** Which clients a change applies to. Default: every client. */
export const APPLIES_TO: Readonly<Record<string, (client: Client) => boolean>> = {
  "no-authentication": ({ authentication }) => authentication !== "none",
  "wrong-secret": ({ authentication }) => authentication.startsWith("client_secret"),
  "empty-secret": ({ authentication }) => authentication.startsWith("client_secret"),
};

/** The code with one letter in the middle replaced by another of the same alphabet. */
function altered(code: string): string {
  const at = Math.floor(code.length / 2);
  return code.slice(0, at) + (code[at] === "A" ? "B" : "A") + code.slice(at + 1);
}
