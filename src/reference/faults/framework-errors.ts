import { isObject } from "../../lib/json.ts";
import type { Answer, Call } from "../model.ts";
import { bodiless, finished } from "./answering.ts";
import { type FaultEntry, type Faults, ofEach, ownedBy } from "./fault.ts";

const PAGE = {
  headers: { "content-type": "text/html" },
  body: "<!doctype html><title>Internal Server Error</title>",
};

const uncaught =
  "The code takes the value for a plain one and throws, and the framework answers what is thrown with its own page.";

/** Values at which code fails that takes them for others, and whether a request has one. */
const FAILING: readonly (readonly [name: string, what: string, when: (call: Call) => boolean])[] = [
  [
    "repeated-parameter",
    "a parameter that is repeated",
    ({ query }) => Array.isArray(query["page"]),
  ],
  [
    "bracketed-parameter",
    "a parameter in brackets",
    ({ query }) => "page[]" in query || "page[a]" in query,
  ],
  ["undecodable-query", "a query that is not UTF-8", ({ url }) => /\?.*%FF/.test(url)],
  ["undecodable-body", "a body that is not UTF-8", ({ body }) => has(body, /\uFFFD/)],
  ["deep-body", "a body that is nested deeply", ({ body }) => isDeep(body)],
  ["surrogate-in-body", "half of a surrogate pair in the body", ({ body }) => has(body, /\p{Cs}/u)],
  [
    "long-number-in-body",
    "a number that is too long",
    ({ body }) => isObject(body) && Object.values(body).includes(Infinity),
  ],
];

/** Header fields that provoke a status, and where. */
const PROVOKING: readonly (readonly [
  name: string,
  status: number,
  what: string,
  when: (call: Call) => boolean,
])[] = [
  [
    "not-acceptable",
    406,
    "if Accept names no type that it has",
    ({ headers }) => headers.accept === "application/xml",
  ],
  ["range", 416, "for a range beyond the end", ({ headers }) => headers.range !== undefined],
  [
    "if-match",
    412,
    "for a read with If-Match",
    ({ headers, method }) => method === "GET" && headers["if-match"] !== undefined,
  ],
  [
    "unmodified-since",
    412,
    "for a read with If-Unmodified-Since",
    ({ headers, method }) => method === "GET" && headers["if-unmodified-since"] !== undefined,
  ],
  [
    "write-if-match",
    412,
    "for an edit with If-Match or If-Unmodified-Since",
    ({ headers, method }) =>
      method === "PATCH" && (headers["if-match"] ?? headers["if-unmodified-since"]) !== undefined,
  ],
  [
    "write-if-none-match",
    412,
    "for an edit with If-None-Match: *",
    ({ headers, method }) => method === "PATCH" && headers["if-none-match"] === "*",
  ],
  [
    "content-encoding",
    415,
    "for a content coding that it does not know",
    ({ headers }) => headers["content-encoding"] === "conformance",
  ],
];

const QUOTE = /"/;

/** Where a message quotes the request without escapes. */
const QUOTING: readonly (readonly [name: string, what: string, quoted: (call: Call) => unknown])[] =
  [
    ["id", "an id", ({ orgId, changeId }) => changeId ?? orgId],
    ["parameter", "a parameter", ({ query }) => query["page"]],
    ["member", "a member's name", ({ body }) => isObject(body) && Object.keys(body).join(" ")],
  ];

/** Faults of errors that a framework or a server makes, and of messages that spoil the JSON. */
export const FRAMEWORK_ERROR_FAULTS: Faults = ownedBy("errors.shape", {
  ...ofEach(FAILING, ([name, what, when]) => ({
    [`${name}-page`]: failing(what, when),
  })),
  "undecodable-id-page": {
    ...failing("an id that is not UTF-8", ({ url }) => /%FF/.test(url)),
    // The guard answers before, where the token is for another organization.
    resolveUrl: () => (url) => url.replace("/%FF", "/~FF"),
  },
  ...ofEach(PROVOKING, ([name, status, what, when]) => ({
    [`${name}-${status}-empty`]: answering(
      `Answers ${status} without a body ${what}`,
      status,
      when,
    ),
  })),
  "repeated-parameter-status": finished({
    title: "Puts 500 into `status` of a 400 at a parameter that is repeated",
    how: uncaught,
    rule: "errors.status",
    applies: ({ status }, call) => status === 400 && Array.isArray(call?.query["page"]),
    answer: (answer) => ({ ...answer, body: { status: 500, message: "failed", errors: [] } }),
  }),
  ...ofEach(QUOTING, ([name, what, quoted]) => ({
    [`quoted-${name}-unescaped`]: unescaped(`Quotes ${what} in a message without escapes`, quoted),
  })),
});

function failing(what: string, when: (call: Call) => boolean): FaultEntry {
  return finished({
    title: `Fails with a page of the framework at ${what}`,
    shows: `Answers ${what} with a body that is no Error`,
    how: uncaught,
    applies: ({ status }, call) => [400, 404].includes(status) && call !== undefined && when(call),
    answer: () => ({ status: 500, ...PAGE }),
  });
}

function answering(title: string, status: number, when: (call: Call) => boolean): FaultEntry {
  return finished({
    title,
    how: "A middleware for this part of HTTP answers by itself, past the code that writes Error bodies.",
    applies: (answer, call) =>
      call !== undefined && ![401, 403, 404].includes(answer.status) && when(call),
    answer: ({ headers }) => bodiless({ status, ...(headers && { headers }) }),
  });
}

function unescaped(title: string, quoted: (call: Call) => unknown): FaultEntry {
  return {
    title,
    how: "The body is made from a template of text.",
    finish: (original) => (answer, receiver, call) => {
      const text = call && answer.status >= 400 ? quoted(call) : undefined;
      if (typeof text !== "string" || !QUOTE.test(text)) return original(answer, receiver, call);
      const { status } = answer;
      const body = `{"status":${status},"message":"${text} is not valid","errors":[]}`;
      const headers = { ...answer.headers, "content-type": "application/json" };
      return original({ status, headers, body } satisfies Answer, receiver, call);
    },
  };
}

function has(body: unknown, pattern: RegExp): boolean {
  return (
    isObject(body) &&
    Object.values(body).some((one) => typeof one === "string" && pattern.test(one))
  );
}

function isDeep(value: unknown, levels = 100): boolean {
  if (levels === 0) return true;
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).some((one) => isDeep(one, levels - 1))
  );
}
