import type { TokenAnswer } from "../../authorization-server/steps.ts";
import type { Call } from "../../model.ts";
import { reject } from "../../reject.ts";
import type { Patch } from "../../steps.ts";
import { type Fault, trusted } from "../fault.ts";

/** Faults in the form of answers, and where server and receiver do not fit. */
export const RESPONSE_FAULTS: readonly Fault[] = [
  {
    name: "server-tokens-cached",
    title: "Does not forbid caches to keep a token response",
    rule: "authorization-server.responses",
    how: "The header was set by a proxy that is gone.",
    source: "pixelfed#6553",
    step: "tokenAnswer",
    patch: () => (answer) => {
      answer.headers["cache-control"] = "";
    },
  },
  {
    name: "server-errors-without-error",
    title: "Answers refused token requests without `error`",
    rule: "authorization-server.responses",
    how: "A gateway puts its own body in place of the server's.",
    step: "tokenAnswer",
    patch: () => (answer) => {
      if (answer.status >= 400) answer.body = { message: "Bad request" };
    },
  },
  {
    name: "server-tokens-not-accepted",
    title: "The receiver does not trust the deployment's own authorization server",
    rule: "authorization-server.accepted",
    how: "The issuer was renamed, and the receiver knows its former name.",
    step: "checkIssuer",
    patch: (original) => (call) => {
      const own = call.receiver.own?.issuer;
      if (own !== undefined && call.claims["iss"] === own) {
        throw reject(call, "checkIssuer", "The access token's issuer is not trusted.");
      }
      return original(call);
    },
  },
  {
    name: "server-empty-scope-refused",
    title: "Refuses an empty scope, where none at all is granted something",
    rule: "authorization-server.responses",
    how: "The parameter is there, and none of its words is known.",
    step: "tokenRequest",
    patch:
      () =>
      ({ form }) => {
        // The library takes it as left out; what is refused for lack of something else is refused as well.
        if (form.get("scope") === "") form.delete("grant_type");
      },
  },
  {
    name: "server-code-said-twice",
    title: "Sends the code twice in a redirect",
    rule: "authorization-server.responses",
    how: "Two layers add it to the redirect URI.",
    step: "clientRedirect",
    patch: () => (to) => {
      const code = to.searchParams.get("code");
      if (code !== null) to.searchParams.append("code", code);
    },
  },
  {
    name: "server-redirect-query-lost",
    title: "Leaves the redirect URI's own query out",
    rule: "authorization-server.responses",
    how: "The redirect is made of host and path.",
    source: "oidcc-redirect-uri-query-OK",
    step: "clientRedirect",
    patch: () => (to) => to.searchParams.delete("tenant"),
  },
  {
    name: "server-codes-accepted",
    title: "The receiver takes an authorization code for an access token",
    rule: "authorization-server.accepted",
    how: "What is no JWT is asked about at the server, which knows codes as well as tokens.",
    ...taking(({ memory }) => memory.codes.keys()),
  },
  {
    name: "server-refresh-tokens-accepted",
    title: "The receiver takes a refresh token for an access token",
    rule: "authorization-server.accepted",
    how: "What is no JWT is asked about at the server, and of its answer `active` alone is read.",
    variants: ["server-refresh-tokens"],
    ...taking(({ memory }) =>
      [...memory.redeemed.values()].flatMap((body) => String(body["refresh_token"])),
    ),
  },
];

/**
 * A receiver that accepts other values than access tokens.
 * @param known the values that the server has issued besides access tokens, from each of its answers
 */
function taking(known: (answer: TokenAnswer) => Iterable<string>): Pick<Fault, "more"> & Patch {
  const taken = new Set<string>();
  const isTaken = ({ authorization }: Call): boolean =>
    taken.has(/^Bearer (.+)$/.exec(authorization[0] ?? "")?.[1] ?? "");
  return {
    step: "checks",
    patch: (original) => (call) => (isTaken(call) ? trusted(call) : original(call)),
    more: [
      {
        step: "tokenAnswer",
        patch: (original) => (answer) => {
          original(answer);
          for (const one of known(answer)) taken.add(one);
        },
      },
    ],
  };
}
