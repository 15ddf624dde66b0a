import { errorBody, finished, framework } from "./answering.ts";
import type { Fault } from "./fault.ts";

const PAGE = {
  headers: { "content-type": "text/html" },
  body: "<!doctype html><title>Error</title>",
};

/** Faults of Error bodies. */
export const ERROR_BODY_FAULTS: readonly Fault[] = [
  errorBody({
    name: "error-nested",
    title: "Puts the Error body inside a member `error`",
    how: "The company's own envelope for errors, which all its other services have.",
    body: ({ status, message }) => ({ error: { code: status, message } }),
  }),
  errorBody({
    name: "error-problem-only",
    title: "Answers errors with problem details and nothing else",
    how: "The framework knows RFC 9457, and its members are thought to do.",
    body: ({ status, message }) => ({ type: "about:blank", status, title: "", detail: message }),
  }),
  errorBody({
    name: "error-message-only",
    title: "Answers errors with a message alone",
    how: "API gateways and many frameworks answer like this by themselves.",
    body: ({ message }) => ({ message }),
  }),
  errorBody({
    name: "error-detail-only",
    title: "Answers errors with a member `detail` alone",
    how: "FastAPI and Django REST framework answer like this by themselves.",
    body: ({ message }) => ({ detail: message }),
  }),
  errorBody({
    name: "error-text-only",
    title: "Answers errors with a text in `error` alone",
    how: "`res.json({ error: … })` is what most examples of handlers have.",
    body: ({ message }) => ({ error: message }),
  }),
  errorBody({
    name: "error-fastify-default",
    title: "Answers errors as Fastify does: `statusCode`, `code`, `error` and `message`",
    how: "No handler for errors was set, and the framework writes its own body.",
    body: ({ status, message }) => ({
      statusCode: status,
      code: "FST_JWT_NO_AUTHORIZATION_IN_HEADER",
      error: "Unauthorized",
      message,
    }),
  }),
  errorBody({
    name: "error-errors-null",
    title: "Makes `errors` null where there are none",
    how: "A field that nobody has set is written as null.",
    body: ({ status, message, errors }) => ({
      status,
      message,
      errors: errors.length > 0 ? errors : null,
    }),
  }),
  errorBody({
    name: "error-errors-string",
    title: "Makes `errors` one string",
    how: "The validator's messages are joined for people to read.",
    body: ({ status, message, errors }) => ({
      status,
      message,
      errors: errors.map(({ field }) => field).join(", "),
    }),
  }),
  errorBody({
    name: "error-plain-text",
    title: "Answers errors with a sentence, and calls it JSON",
    how: "The message is written where an object was meant.",
    body: ({ message }) => message,
  }),
  finished({
    name: "error-empty-on-401",
    title: "Sends 401 without a body",
    how: "The middleware for tokens answers by itself, before anything that writes Error bodies.",
    rule: "errors.shape",
    applies: ({ status }) => status === 401,
    answer: ({ status, headers }) => ({ status, ...(headers && { headers }) }),
  }),
  finished({
    name: "error-empty-on-submitChange",
    title: "Sends errors of submitChange without a body",
    how: "The route was added with its own handler for errors.",
    rule: "errors.shape",
    applies: ({ status }, call) => status >= 400 && call?.operation === "submitChange",
    answer: ({ status, headers }) => ({ status, ...(headers && { headers }) }),
  }),
  framework({
    name: "error-parser-default",
    title: "Answers what is not JSON with the framework's own error",
    how: "Bodies are parsed before the handler for errors is in charge.",
    rule: "errors.shape",
    code: "FST_ERR_CTP_INVALID_JSON_BODY",
    answer: { status: 400, body: { statusCode: 400, error: "Bad Request", message: "not JSON" } },
  }),
  framework({
    name: "error-media-type-default",
    title: "Answers a wrong media type with the framework's own error",
    how: "Bodies are parsed before the handler for errors is in charge.",
    rule: "errors.shape",
    code: "FST_ERR_CTP_INVALID_MEDIA_TYPE",
    answer: { status: 415, body: { statusCode: 415, error: "Unsupported Media Type" } },
  }),
  framework({
    name: "error-no-body-default",
    title: "Answers a request without a body with the framework's own error",
    how: "Bodies are parsed before the handler for errors is in charge.",
    rule: "errors.shape",
    code: "FST_ERR_CTP_EMPTY_JSON_BODY",
    answer: { status: 400, body: { statusCode: 400, error: "Bad Request", message: "no body" } },
  }),
  framework({
    name: "error-undecodable-path-default",
    title: "Answers a path that is no UTF-8 with the framework's own page",
    how: "Express decodes parameters before any handler runs, and writes a page of HTML where that fails.",
    rule: "errors.shape",
    code: "FST_ERR_BAD_URL",
    answer: { status: 400, ...PAGE },
  }),
  finished({
    name: "error-page-unless-json-asked",
    title: "Writes errors as a page of HTML unless Accept names application/json",
    how: "Laravel asks `expectsJson()` of a request, and takes whoever does not name JSON for a browser.",
    rule: "errors.shape",
    applies: ({ status }, call) =>
      status >= 400 && call !== undefined && !/json/.test(String(call.headers.accept)),
    answer: ({ status }) => ({ status, ...PAGE }),
  }),
  finished({
    name: "error-page-for-browsers",
    title: "Writes errors as a page of HTML where Accept names text/html",
    how: "Spring Boot has two handlers for errors, and one of them is for browsers.",
    rule: "errors.shape",
    applies: ({ status }, call) => status >= 400 && /html/.test(String(call?.headers.accept)),
    answer: ({ status }) => ({ status, ...PAGE }),
  }),
  errorBody({
    name: "error-status-zero",
    title: "Puts 0 into `status`",
    how: "The field is there, and nobody sets it.",
    rule: "errors.status",
    body: ({ message, errors }) => ({ status: 0, message, errors }),
  }),
  errorBody({
    name: "error-status-own-code",
    title: "Puts a code of its own into `status`",
    how: "A catalogue of errors has numbers of its own, 40401 and the like.",
    rule: "errors.status",
    body: ({ status, message, errors }) => ({ status: status * 100 + 1, message, errors }),
  }),
  errorBody({
    name: "error-status-wrong-on-404",
    title: "Puts another number into `status` of a 404",
    how: "One exception of many was copied from another and only half changed.",
    rule: "errors.status",
    body: ({ status, message, errors }) => ({
      status: status === 404 ? 400 : status,
      message,
      errors,
    }),
  }),
  finished({
    name: "error-status-wrong-on-readChange",
    title: "Puts one and the same number into `status` on readChange, whatever the HTTP status",
    how: "The handler catches everything and writes one body for all of it.",
    rule: "errors.status",
    applies: ({ status }, call) => status >= 400 && call?.operation === "readChange",
    answer: (answer) => ({ ...answer, body: { status: 500, message: "failed", errors: [] } }),
  }),
  ...["text/html", "text/plain"].map((type) =>
    finished({
      name: `error-as-${type.split("/")[1]}`,
      title: `Serves Error bodies as ${type}`,
      how: "The handler for errors writes a string, and the server says what it says of strings.",
      rule: "errors.media-type",
      applies: ({ status }) => status >= 400,
      answer: (answer) => ({
        ...answer,
        headers: { ...answer.headers, "content-type": `${type}; charset=utf-8` },
      }),
    }),
  ),
  errorBody({
    name: "submission-errors-strings",
    title: "Names fields in sentences in `errors`",
    how: "Messages are made for people to read.",
    rule: "errors.submission",
    body: ({ status, message, errors }) => ({
      status,
      message,
      errors: errors.map(({ field, message: what }) => `${field} ${what}`),
    }),
  }),
  errorBody({
    name: "submission-errors-empty",
    title: "Leaves `errors` empty",
    how: "The array is there because the contract wants one, and nothing is put into it.",
    rule: "errors.submission",
    body: ({ status, message }) => ({ status, message, errors: [] }),
  }),
  errorBody({
    name: "submission-errors-path",
    title: "Gives elements of `errors` members of other names",
    how: "The validator's own names are kept.",
    rule: "errors.submission",
    body: ({ status, message, errors }) => ({
      status,
      message,
      errors: errors.map(({ field, message: reason }) => ({ path: [field], reason })),
    }),
  }),
];
