import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { gzipSync } from "node:zlib";

import { OPERATION_IDS, OPERATIONS } from "../../contract/operations.ts";
import { isUuid } from "../../contract/uuid.ts";
import { isObject } from "../../lib/json.ts";
import { reject } from "../checks.ts";
import { BASE_PATH } from "../document.ts";
import type { Call } from "../model.ts";
import { changingAnswers, takingToken } from "../patches.ts";
import type { ProfileObject } from "../profile.ts";
import { Refusal } from "../refusal.ts";
import { type Variants, withOperation } from "./variant.ts";

const PAGE = {
  status: 400,
  headers: { "content-type": "text/html" },
  body: "<title>Bad Request</title>",
};

/** Whether a careful front server refuses a URL. */
function isOddUrl(url: string): boolean {
  return !/^(?:\/[\w~-][\w.~-]*)+(?:\?[ -~]*)?$/.test(url) || url.endsWith(".json");
}

const NO_ROUTE = "/no-route";

/** Whether a path is one of the contract's, without a slash at its end. */
function isRoute(path: string): boolean {
  return /^\/orgs(?:\/[^/]+(?:\/changes(?:\/[^/]+)?)?)?$/.test(path.replace(BASE_PATH, ""));
}

function isOdd({ authorization, url }: Call): boolean {
  return authorization.length > 1 || !/^[ -~]*$/.test(authorization.join("")) || isOddUrl(url);
}

function hasUnderscores(headers: Call["headers"]): boolean {
  return Object.keys(headers).some((name) => name.includes("_"));
}

/** Whether nginx refuses a request. */
function isBeyondFront({ url, headers }: Call): boolean {
  const longest = Math.max(...Object.values(headers).map((value) => String(value).length));
  return url.includes("%00") || longest > 8192 || bodyLength(headers) > 2 ** 20;
}

/** In bytes, as the client says. */
function bodyLength(headers: Call["headers"]): number {
  return Number(headers["content-length"] ?? 0);
}

/** Freedoms in how requests are received, and in the answers to wrong ones. */
export const HTTP_VARIANTS: Variants = {
  "odd-requests-refused": {
    title: "A server in front answers unusual requests with its own page",
    ...changingAnswers((answer, call) => (call && isOdd(call) ? PAGE : answer)),
    unknownRoute: (original) => (unmatched, receiver) =>
      isOddUrl(unmatched.url) ? PAGE : original(unmatched, receiver),
  },
  "odd-requests-dropped": {
    title:
      "A server in front closes the connection of a request with an unusual URL or header name, without an answer",
    ...changingAnswers((answer, call) => {
      if (call && (isOddUrl(call.url) || hasUnderscores(call.headers))) call.connection.destroy();
      return answer;
    }),
  },
  "bodies-of-reads-refused": {
    title: "A server in front answers a GET with a body with its own page",
    ...changingAnswers((answer, call) =>
      call?.method === "GET" && bodyLength(call.headers) > 0 ? PAGE : answer,
    ),
    unknownRoute: (original) => (unmatched, receiver) =>
      unmatched.method === "GET" && bodyLength(unmatched.headers) > 0
        ? PAGE
        : original(unmatched, receiver),
  },
  "front-end-pages": {
    title: "A server in front answers NUL, long headers and large bodies with its own page",
    ...changingAnswers((answer, call) => (call && isBeyondFront(call) ? PAGE : answer)),
  },
  "unknown-parameters-refused": {
    title:
      "A query parameter that the contract does not have is refused with 400 on every route, before any check",
    checks: (original) => (call) => {
      const unknown = Object.keys(call.query).filter((name) => !/^page(Size)?$/.test(name));
      if (unknown.length === 0) return original(call);
      throw new Refusal(400, "There are unknown query parameters.");
    },
  },
  "underscores-refused": {
    title: "A server in front answers header names with underscores with its own page",
    ...changingAnswers((answer, call) => (call && hasUnderscores(call.headers) ? PAGE : answer)),
    unknownRoute: (original) => (unmatched, receiver) =>
      hasUnderscores(unmatched.headers) ? PAGE : original(unmatched, receiver),
  },
  "conditions-refused": {
    title: "A read with If-None-Match is refused with 400, before any check",
    checks: (original) => (call) => {
      if (call.headers["if-none-match"] === undefined) return original(call);
      throw new Refusal(400, "Conditions are not supported.");
    },
  },
  "unknown-clients-refused": {
    title: "A gateway accepts only clients whose User-Agent it knows",
    readCredentials: (original) => (call) => {
      if (/conformance/.test(String(call.headers["user-agent"]))) return original(call);
      throw new Refusal(403, "This client is not known.");
    },
  },
  "strays-need-token": {
    title: "A request for an unknown route without a token is answered with 401",
    unknownRoute: (original) => (unmatched, receiver) => {
      if (unmatched.headers["authorization"] !== undefined) return original(unmatched, receiver);
      throw new Refusal(401, "An access token is required.");
    },
  },
  "strays-answered": {
    title: "Every path that is no route is answered with 200 and one JSON document",
    warned: ["errors.unknown-route"],
    unknownRoute: () => () => ({ status: 200, body: { service: "profiles", documents: "/docs" } }),
  },
  "preflights-answered": {
    title:
      "OPTIONS without a token is answered with 204, for browsers, and every answer has CORS headers",
    unknownRoute: (original) => (unmatched, receiver) =>
      unmatched.method === "OPTIONS"
        ? {
            status: 204,
            headers: { "access-control-allow-methods": unmatched.allow.join(", ") },
          }
        : original(unmatched, receiver),
    ...changingAnswers((answer) => ({
      ...answer,
      headers: { "access-control-allow-origin": "*", ...answer.headers },
    })),
  },
  "refusals-explained": {
    title:
      "A refusal repeats the request and the token's claims, and has the organization's id and name",
    ...changingAnswers((answer, call, { store }) => {
      if (!call || answer.status !== 403 || !isObject(answer.body)) return answer;
      const { method, url, claims, operation, orgId = "" } = call;
      const { id, name } = store.organizations.get(orgId) ?? {};
      const request = { method, url, claims, operation, trace: randomUUID() };
      return { ...answer, body: { ...answer.body, organization: { id, name }, request } };
    }),
  },
  "errors-told": {
    title: "`errors` contains the message as a string if there is nothing else to list",
    errorBody: (original) => (refusal) => ({
      ...(original(refusal) as object),
      ...(refusal.errors.length === 0 && { errors: [refusal.message] }),
    }),
  },
  "unknown-forbidden": {
    title:
      "An organization that does not exist is answered with 403, and an id that is not a UUID with 400",
    applyPolicy: (original) => (call) => {
      const { orgId, receiver } = call;
      if (orgId !== undefined && !isUuid(orgId)) throw new Refusal(400, "This is no UUID.");
      if (orgId !== undefined && !receiver.store.organizations.has(orgId)) {
        throw reject(call, "applyPolicy", "The subject may not act on this organization.");
      }
      return original(call);
    },
  },
  "token-in-query": {
    title: "The token may be in the query, RFC 6750 section 2.3",
    readCredentials: takingToken(({ authorization, query }) => {
      const token = query["access_token"];
      return authorization.length === 0 && typeof token === "string" ? token : undefined;
    }),
  },
  "validation-422": {
    title: "A failed validation is answered with 422",
    errorAnswer: (original) => (error, receiver) =>
      original(
        error instanceof Refusal && error.status === 400 && error.errors.length > 0
          ? new Refusal(422, error.message, { errors: error.errors })
          : error,
        receiver,
      ),
  },
  "media-type-respelled": {
    title: "The media type is written `Application/JSON ;charset=UTF-8`",
    finish: (original) => (answer, receiver, call) => {
      const finished = original(answer, receiver, call);
      if (finished.headers?.["content-type"] !== "application/json") return finished;
      const type = { "content-type": "Application/JSON ;charset=UTF-8" };
      return { ...finished, headers: { ...finished.headers, ...type } };
    },
  },
  gzip: {
    title: "Every body is compressed",
    documented: true,
    encode: (original) => (answer) => {
      const { status, headers, payload } = original(answer);
      if (payload === undefined) return { status, headers, payload };
      return {
        status,
        headers: { ...headers, "content-encoding": "gzip" },
        payload: gzipSync(payload),
      };
    },
  },
  "closes-connections": {
    title: "The connection is closed after every answer",
    ...changingAnswers((answer) => ({
      ...answer,
      headers: { ...answer.headers, connection: "close" },
    })),
  },
  "interim-responses": {
    title: "Interim responses come before each answer, unasked: 100 to writes, 103 to reads",
    readCredentials: (original) => (call) => {
      const interim = call.method === "GET" ? "103 Early Hints" : "100 Continue";
      call.connection.write(`HTTP/1.1 ${interim}\r\n\r\n`);
      return original(call);
    },
  },
  "paths-with-slash": {
    title: "Every path ends with a slash, and one without is redirected to it with 308",
    resolveUrl: (original) => (url) => {
      const [path = "", ...query] = original(url).split("?");
      if (path.endsWith("/")) return [path.slice(0, -1), ...query].join("?");
      return isRoute(path) ? NO_ROUTE : original(url);
    },
    unknownRoute: (original) => (unmatched, receiver) => {
      const [path = "", ...query] = unmatched.url.split("?");
      if (!isRoute(path)) return original(unmatched, receiver);
      return { status: 308, headers: { location: [`${path}/`, ...query].join("?") } };
    },
    describe: (profile) =>
      OPERATION_IDS.reduce<ProfileObject>(
        (described, id) =>
          withOperation(described, id, (one) => ({ ...one, path: `${OPERATIONS[id].path}/` })),
        profile,
      ),
  },
  "problem-json": {
    title: "Errors are problem details (RFC 9457) that also have the Error body's members",
    errorBody: (original) => (refusal) => ({
      type: "about:blank",
      title: STATUS_CODES[refusal.status],
      ...(original(refusal) as object),
    }),
    ...changingAnswers((answer) => {
      const headers = { ...answer.headers, "content-type": "application/problem+json" };
      return answer.status < 400 ? answer : { ...answer, headers };
    }),
  },
};
