import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";

import { reject } from "../checks.ts";
import type { Call } from "../model.ts";
import { type CheckPatch, takingToken } from "../patches.ts";
import { finished } from "./answering.ts";
import { type FaultEntry, type Faults, ofEach, ownedBy, trusting } from "./fault.ts";

const DOWN_MS = 150;

/** Faults in where credentials are found, and in which schemes are accepted. */
export const CREDENTIAL_FAULTS: Faults = ownedBy("receiver.token-required", {
  ...ofEach(["Token", "JWT", "DPoP"], (scheme) => ({
    [`scheme-${scheme.toLowerCase()}-accepted`]: {
      title: `Accepts a good token under the scheme ${scheme} too`,
      how: "The middleware supports several schemes, and they are on by default.",
      readCredentials: takingMatch(new RegExp(`^${scheme} ([^ ]*)`)),
    },
  })),
  "ends-at-malformed-token": {
    title: "Ends every connection at a token that is no JWT",
    seenAs: "inconclusive",
    how: "An error that nobody catches ends the worker process, and a supervisor starts another one on the same socket.",
    readCredentials: endingAt((token) => !token.includes(".")),
  },
  "down-after-malformed-token": {
    title: "Refuses connections for a moment after a token that is no JWT",
    seenAs: "inconclusive",
    how: "An error that nobody catches ends the only process, and a supervisor needs a moment to start it again.",
    readCredentials: endingAt((token) => !token.includes("."), DOWN_MS),
  },
  "down-after-two-credentials": {
    title: "Refuses connections for a moment after a request with two Authorization headers",
    seenAs: "inconclusive",
    how: "The code takes the header for a text. The error is thrown where nobody catches it, and ends the only process.",
    readCredentials: (original) => (call) =>
      call.authorization.length > 1 ? end(call, DOWN_MS) : original(call),
  },
  "scheme-skipped-unread": {
    title: "Accepts a good token under any scheme of six letters",
    how: "The code takes what follows the first seven characters of the header, and does not look at these.",
    readCredentials: takingMatch(/^[a-z]{6} (eyJ.*)$/i),
  },
  "scheme-by-prefix": {
    title: "Accepts a good token under any scheme that begins with Bearer",
    how: "The code tests `startsWith` without the space, and splits the header at it.",
    readCredentials: takingMatch(/^Bearer\w+ (eyJ.*)$/),
  },
  "scheme-by-ending": {
    title: "Accepts a good token under any scheme that ends with Bearer",
    how: "The code looks for `Bearer ` and the token with a pattern that may begin anywhere in the header.",
    readCredentials: takingMatch(/^\w+Bearer (eyJ.*)$/),
  },
  "scheme-basic-password-accepted": withinBasic("password", 1),
  "scheme-basic-user-accepted": withinBasic("user name", 0),
  "scheme-not-wanted": {
    title: "Accepts a good token without a scheme too",
    how: "The code removes `Bearer ` if it is present, and does not require it.",
    readCredentials: takingMatch(/^(eyJ.*)$/),
  },
  "scheme-case-sensitive": {
    title: "Requires the spelling `Bearer` of the scheme",
    how: "The header is compared with `startsWith`.",
    source: "istio/istio#22608",
    readCredentials: (original) => (call) => {
      if (call.authorization[0]?.startsWith("Bearer") ?? true) return original(call);
      throw reject(call, "readCredentials", "The scheme must be Bearer.");
    },
  },
  "bearer-alone-trusted": trusting({
    title: "Accepts the word `Bearer` without a token",
    how: "The code reads the token after the scheme. Without a token, it treats the caller as the service itself.",
    when: ({ authorization }) => /^bearer\s*$/i.test(authorization[0] ?? "-"),
  }),
  "authorization-empty-trusted": trusting({
    title: "Accepts an empty Authorization header",
    how: "The code refuses a missing header, and an empty one is not missing.",
    when: ({ authorization }) => authorization[0] === "",
  }),
  "authorization-twice-trusted": trusting({
    title: "Accepts two Authorization headers",
    how: "The middleware expects one string. It finds no token in a list, and without a token it verifies nothing.",
    when: ({ authorization }) => authorization.length > 1,
  }),
  "token-not-ascii-500": {
    title: "Fails with an internal error on a token that is not ASCII",
    how: "The header is decoded without handling of decoding errors.",
    readCredentials: (original) => (call) => {
      if (/^[ -~]*$/.test(call.authorization.join(""))) return original(call);
      throw new TypeError("'ascii' codec can't decode byte");
    },
  },
  "challenge-missing": finished({
    title: "Sends 401 without WWW-Authenticate",
    how: "The code sets the status itself, without the header.",
    applies: ({ status }) => status === 401,
    headers: (headers) => {
      const { "www-authenticate": _, ...others } = headers;
      return others;
    },
  }),
  ...ofEach(["x-authorization", "proxy-authorization", "x-access-token"], (header) => ({
    [`token-in-${header}`]: {
      title: `Accepts a good token in ${header}`,
      how: "A proxy uses Authorization for itself, so another header was agreed on.",
      readCredentials: takingToken(({ authorization, headers }) => {
        const value = headers[header];
        if (authorization.length > 0 || typeof value !== "string") return undefined;
        return value.replace(/^Bearer /, "");
      }),
    },
  })),
  "x-forwarded-user-trusted": trusting({
    title: "Accepts any user that X-Forwarded-User names",
    how: "A gateway authenticates and names the user, and clients can reach the service without the gateway.",
    when: ({ headers }) => headers["x-forwarded-user"] !== undefined,
  }),
  "x-jwt-payload-trusted": trusting({
    title: "Trusts claims in X-JWT-Payload",
    how: "A sidecar verifies the token and forwards its claims, and clients can reach the service without it.",
    when: ({ headers }) => headers["x-jwt-payload"] !== undefined,
  }),
  "internal-address-trusted": trusting({
    title: "Accepts requests that claim to come from 127.0.0.1",
    how: "Internal requests need no token, and the code reads their origin from X-Forwarded-For.",
    when: ({ headers }) => headers["x-forwarded-for"] === "127.0.0.1",
  }),
  "middleware-subrequest-trusted": trusting({
    title: "Requires no token where X-Middleware-Subrequest says that the middleware has run",
    how: "The framework takes the request for its own, and leaves out the middleware, in which tokens are verified.",
    source: "CVE-2025-29927",
    when: ({ headers }) =>
      String(headers["x-middleware-subrequest"])
        .split(":")
        .filter((name) => name === "middleware").length >= 5,
  }),
  "middleware-internal-trusted": trusting({
    title: "Requires no token in a request with X-ISR",
    how: "The framework fetches pages from itself to renew them, and knows such requests by a header.",
    source: "opennextjs/opennextjs-aws#808",
    when: ({ headers }) => headers["x-isr"] !== undefined,
  }),
  "internal-request-trusted": trusting({
    title: "Requires no token where X-Internal-Request says that a service of its own asks",
    how: "Services of the same deployment set the header, and the gateway does not remove it from requests from outside.",
    source: "CWE-290",
    when: ({ headers }) => headers["x-internal-request"] !== undefined,
  }),
});

/** @param part the place of the token in Basic's user name and password */
function withinBasic(name: string, part: 0 | 1): FaultEntry {
  return {
    title: `Accepts a good token as the ${name} of Basic too`,
    how: "Clients that know only Basic, such as git, may send the token with it.",
    readCredentials: takingToken(({ authorization }) => {
      const [scheme, credentials = ""] = authorization[0]?.split(" ") ?? [];
      const token = Buffer.from(credentials, "base64").toString().split(":")[part];
      return scheme === "Basic" && token?.startsWith("eyJ") ? token : undefined;
    }),
  };
}

/** Also takes the token that a pattern finds in the header. */
function takingMatch(pattern: RegExp): CheckPatch {
  return takingToken(({ authorization }) => pattern.exec(authorization[0] ?? "")?.[1]);
}

/** Ends all connections of the receiver at some tokens, as the end of its process does. New ones are accepted at once. */
function endingAt(isDeadly: (token: string) => boolean, downMs?: number): CheckPatch {
  return (original) => (call) => {
    const [line = ""] = call.authorization;
    const token = /^Bearer (\S+)$/.exec(line)?.[1];
    if (token === undefined || !isDeadly(token)) return original(call);
    end(call, downMs);
  };
}

/**
 * Closes all connections of the server.
 * @param downMs how long it then accepts none; default: it accepts new ones at once
 */
function end(call: Call, downMs?: number): never {
  // Node sets it on each connection that a server accepts.
  const { server } = call.connection as Socket & { server?: Server };
  if (server && downMs !== undefined && server.listening) {
    const { port, address } = server.address() as AddressInfo;
    const back = setTimeout(() => server.listen(port, address), downMs);
    server.close();
    back.unref();
  }
  server?.closeAllConnections();
  throw reject(call, "readCredentials", "Nobody receives this answer.");
}
