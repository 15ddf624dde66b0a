import { reject } from "../../reject.ts";
import type { Fault } from "../fault.ts";

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
];
