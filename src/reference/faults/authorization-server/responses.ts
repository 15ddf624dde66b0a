import type { TokenAnswer } from "../../authorization-server/steps.ts";
import { reject } from "../../checks.ts";
import type { Call } from "../../model.ts";
import { changingForm } from "../../patches.ts";
import type { Patch } from "../../steps.ts";
import { type Faults, ownedBy, trusted } from "../fault.ts";

/** Faults in the form of responses, and mismatches between server and receiver. */
export const RESPONSE_FAULTS: Faults = ownedBy("authorization-server.responses", {
  "server-tokens-cached": {
    title: "Allows caches to store a token response",
    how: "A proxy that was removed used to set the header.",
    source: "pixelfed#6553",
    tokenAnswer: () => (answer) => {
      answer.headers["cache-control"] = "";
    },
  },
  "server-tokens-as-text": {
    title: "Serves token responses as plain text",
    how: "The handler writes the JSON by itself, and sets no type.",
    tokenAnswer: () => (answer) => {
      if (answer.status === 200) answer.headers["content-type"] = "text/plain";
    },
  },
  "server-secrets-returned": {
    title: "Returns the records of its clients, with their secrets, beside a token",
    how: "The response is made from objects of the database, and nobody has said which members are hidden.",
    tokenAnswer: () => (answer) => {
      if (answer.status === 200) answer.body["clients"] = answer.memory.clients;
    },
  },
  "server-lifetime-in-milliseconds": {
    title: "States the lifetime of tokens in milliseconds",
    how: "The setting of the lifetime is in milliseconds, and is sent as it is.",
    tokenAnswer: () => (answer) => {
      if (answer.status === 200) answer.body["expires_in"] = 600_000;
    },
  },
  "server-errors-with-200": {
    title: "Answers refused token requests with the status 200",
    how: "The status says that the request arrived, and the body what became of it.",
    tokenAnswer: () => (answer) => {
      if (answer.status >= 400) answer.status = 200;
    },
  },
  "server-challenge-bearer": {
    title: "Asks a client that failed HTTP Basic for a bearer token",
    how: "The code that refuses API requests without a good token answers at the token endpoint too.",
    source: "RFC 6749 section 5.2",
    tokenAnswer: () => (answer) => {
      if (answer.status === 401) answer.headers["www-authenticate"] = 'Bearer realm="sync"';
    },
  },
  "server-tokens-wrapped": {
    title: "Wraps the token response of client credentials in an object of its own",
    rule: "authorization-server.client-credentials",
    how: "All answers of the API have the same envelope.",
    tokenAnswer: () => (answer) => {
      const grant = answer.form.get("grant_type");
      if (answer.status === 200 && grant === "client_credentials")
        answer.body = { data: answer.body };
    },
  },
  "server-errors-without-error": {
    title: "Answers refused token requests without `error`",
    how: "A gateway replaces the server's body with its own.",
    tokenAnswer: () => (answer) => {
      if (answer.status >= 400) answer.body = { message: "Bad request" };
    },
  },
  "server-errors-quoted": {
    title: "Describes errors of token requests with quotation marks",
    how: "The text is the message of an exception, which quotes the value that it is about.",
    source: "RFC 6749 section 5.2",
    tokenAnswer: () => (answer) => {
      if (answer.status >= 400)
        answer.body["error_description"] = 'the value of "grant" is not valid';
    },
  },
  "server-tokens-not-accepted": {
    title: "Does not trust the deployment's own authorization server",
    rule: "authorization-server.accepted",
    how: "The issuer was renamed, and the receiver knows its former name.",
    checkIssuer: (original) => (call) => {
      const own = call.receiver.own?.issuer;
      if (own !== undefined && call.claims["iss"] === own) {
        throw reject(call, "checkIssuer", "The access token's issuer is not trusted.");
      }
      return original(call);
    },
  },
  "server-tokens-by-any-key": {
    title: "Verifies tokens of the authorization server with the key of any trusted issuer",
    rule: "authorization-server.accepted",
    how: "The keys of all trusted issuers are in one set, and a token finds its key there by `kid`.",
    verifySignature: (original) => async (call) => {
      try {
        await original(call);
      } catch (refusal) {
        if (!call.receiver.own) throw refusal;
        const ofTestIssuer = { ...call, receiver: { ...call.receiver, own: undefined } };
        await original(ofTestIssuer);
        Object.assign(call, { header: ofTestIssuer.header, claims: ofTestIssuer.claims });
      }
    },
  },
  "server-empty-scope-refused": {
    title: "Refuses an empty scope, although it grants scopes if there is none",
    how: "The parameter is present, and none of its words is known.",
    ...changingForm((form) => {
      // The library treats it as omitted. Requests that lack something else are refused as usual.
      if (form.get("scope") === "") form.delete("grant_type");
    }),
  },
  "server-code-said-twice": {
    title: "Sends the code twice in a redirect",
    how: "Two layers add it to the redirect URI.",
    clientRedirect: () => (to) => {
      const code = to.searchParams.get("code");
      if (code !== null) to.searchParams.append("code", code);
    },
  },
  "server-redirect-query-lost": {
    title: "Omits the redirect URI's own query",
    how: "The code builds the redirect from host and path.",
    source: "oidcc-redirect-uri-query-OK",
    clientRedirect: () => (to) => to.searchParams.delete("tenant"),
  },
  "server-codes-accepted": {
    title: "Accepts an authorization code as an access token",
    rule: "authorization-server.accepted",
    how: "The receiver asks the server about values that are not JWTs, and the server knows codes as well as tokens.",
    ...acceptingOther(({ memory }) => memory.codes.keys()),
  },
  "server-refresh-tokens-accepted": {
    title: "Accepts a refresh token as an access token",
    rule: "authorization-server.accepted",
    how: "The receiver asks the server about values that are not JWTs, and reads only `active` of the answer.",
    variants: ["server-refresh-tokens"],
    ...acceptingOther(({ memory }) =>
      [...memory.redeemed.values()].flatMap((body) => String(body["refresh_token"])),
    ),
  },
});

/** A receiver that accepts other values, which each answer of its server makes known. */
function acceptingOther(known: (answer: TokenAnswer) => Iterable<string>): Patch {
  const taken = new Set<string>();
  const isTaken = ({ authorization }: Call): boolean =>
    taken.has(/^Bearer (.+)$/.exec(authorization[0] ?? "")?.[1] ?? "");
  return {
    checks: (original) => (call) => (isTaken(call) ? trusted(call) : original(call)),
    tokenAnswer: (original) => (answer) => {
      original(answer);
      for (const one of known(answer)) taken.add(one);
    },
  };
}
