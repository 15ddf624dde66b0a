import { bodiless, encodedError, errorBody, finished, framework } from "./answering.ts";
import { type Faults, ofEach, ownedBy } from "./fault.ts";

const PAGE = {
  headers: { "content-type": "text/html" },
  body: "<!doctype html><title>Error</title>",
};

export const ERROR_BODY_FAULTS: Faults = ownedBy("errors.shape", {
  "error-nested": errorBody({
    title: "Puts the Error body into a member `error`",
    how: "All other services of the company use this envelope for errors.",
    body: ({ status, message }) => ({ error: { code: status, message } }),
  }),
  "error-problem-only": errorBody({
    title: "Answers errors with problem details only",
    how: "The framework supports RFC 9457, and its members seem sufficient.",
    body: ({ status, message }) => ({ type: "about:blank", status, title: "", detail: message }),
  }),
  "error-message-only": errorBody({
    title: "Answers errors with a message only",
    how: "API gateways and many frameworks do this by default.",
    body: ({ message }) => ({ message }),
  }),
  "error-detail-only": errorBody({
    title: "Answers errors with a member `detail` only",
    how: "FastAPI and Django REST framework do this by default.",
    body: ({ message }) => ({ detail: message }),
  }),
  "error-text-only": errorBody({
    title: "Answers errors with a string in `error` only",
    how: "Most examples of handlers contain `res.json({ error: … })`.",
    body: ({ message }) => ({ error: message }),
  }),
  "error-fastify-default": errorBody({
    title: "Answers errors as Fastify does: `statusCode`, `code`, `error` and `message`",
    how: "No error handler was set, so the framework writes its own body.",
    body: ({ status, message }) => ({
      statusCode: status,
      code: "FST_JWT_NO_AUTHORIZATION_IN_HEADER",
      error: "Unauthorized",
      message,
    }),
  }),
  "error-errors-null": errorBody({
    title: "Makes `errors` null if there are none",
    how: "A field that was not set is serialized as null.",
    body: ({ errors }, usual) => ({ ...usual, errors: errors.length > 0 ? errors : null }),
  }),
  "error-errors-string": errorBody({
    title: "Makes `errors` one string",
    how: "The validator's messages are joined into one text.",
    body: ({ errors }, usual) => ({
      ...usual,
      errors: errors.map(({ field }) => field).join(", "),
    }),
  }),
  "error-plain-text": errorBody({
    title: "Answers errors with plain text as application/json",
    how: "The code writes the message instead of an object.",
    body: ({ message }) => message,
  }),
  "error-not-utf-8": encodedError({
    title: "Encodes Error bodies in ISO 8859-1",
    how: "The server has a default charset of its own, as servlet containers have, and messages are translated.",
    encoded: (text) => Buffer.from(text.replace('"message":"', '"message":"\u00E9 '), "latin1"),
  }),
  "error-byte-order-mark": encodedError({
    title: "Begins Error bodies with a byte order mark",
    how: "The error handler writes through an encoder that begins every text with one, as `Encoding.UTF8` of .NET does.",
    encoded: (text) => `\uFEFF${text}`,
  }),
  "error-empty-on-401": finished({
    title: "Sends errors of one status, such as 401, without a body",
    how: "The token middleware, or another filter, answers by itself, before the code that writes Error bodies.",
    applies: ({ status }) => status === 401,
    answer: bodiless,
  }),
  "error-empty-on-submitChange": finished({
    title: "Sends errors of submitChange without a body",
    how: "The route has its own error handler.",
    applies: ({ status }, call) => status >= 400 && call?.operation === "submitChange",
    answer: bodiless,
  }),
  "error-empty-for-unknown-organization-edits": finished({
    title: "Sends 404 without a body where an organization that does not exist is edited",
    how: "The update reports that it found no row, and the handler passes on the status alone.",
    applies: ({ status }, call) => status === 404 && call?.operation === "editOrganization",
    answer: bodiless,
  }),
  "error-parser-default": framework({
    title: "Answers invalid JSON with the framework's own error",
    shows: "Answers invalid JSON with a body that is no Error",
    how: "Bodies are parsed before the error handler is installed.",
    code: "FST_ERR_CTP_INVALID_JSON_BODY",
    answer: { status: 400, body: { statusCode: 400, error: "Bad Request", message: "not JSON" } },
  }),
  "error-media-type-default": framework({
    title: "Answers a wrong media type with the framework's own error",
    shows: "Answers a wrong media type with a body that is no Error",
    how: "Bodies are parsed before the error handler is installed.",
    code: "FST_ERR_CTP_INVALID_MEDIA_TYPE",
    answer: { status: 415, body: { statusCode: 415, error: "Unsupported Media Type" } },
  }),
  "error-no-body-default": framework({
    title: "Answers a request without a body with the framework's own error",
    shows: "Answers a request without a body with a body that is no Error",
    how: "Bodies are parsed before the error handler is installed.",
    code: "FST_ERR_CTP_EMPTY_JSON_BODY",
    answer: { status: 400, body: { statusCode: 400, error: "Bad Request", message: "no body" } },
  }),
  "error-undecodable-path-default": framework({
    title: "Answers a path that is not UTF-8 with the framework's own page",
    shows: "Answers a path that is not UTF-8 with a body that is no Error",
    how: "Express decodes parameters before any handler runs, and writes an HTML page if that fails.",
    code: "FST_ERR_BAD_URL",
    answer: { status: 400, ...PAGE },
  }),
  "error-page-unless-json-asked": finished({
    title: "Answers errors with an HTML page unless Accept names application/json",
    how: "Laravel calls `expectsJson()` on a request, and treats a client that does not name JSON as a browser.",
    applies: ({ status }, call) =>
      status >= 400 && call !== undefined && !/json/.test(String(call.headers.accept)),
    answer: ({ status }) => ({ status, ...PAGE }),
  }),
  "error-page-for-browsers": finished({
    title: "Answers errors with an HTML page if Accept names text/html",
    how: "Spring Boot has two error handlers, and one of them is for browsers.",
    applies: ({ status }, call) => status >= 400 && /html/.test(String(call?.headers.accept)),
    answer: ({ status }) => ({ status, ...PAGE }),
  }),
  "error-status-zero": errorBody({
    title: "Puts 0 into `status`",
    how: "The field exists, and no code sets it.",
    rule: "errors.status",
    body: (_refusal, usual) => ({ ...usual, status: 0 }),
  }),
  "error-status-own-code": errorBody({
    title: "Puts its own code into `status`",
    how: "A catalogue of errors has its own numbers, such as 40401.",
    rule: "errors.status",
    body: ({ status }, usual) => ({ ...usual, status: status * 100 + 1 }),
  }),
  "error-status-wrong-on-404": errorBody({
    title: "Puts a wrong number into `status` of a 404",
    how: "One exception was copied from another and only half changed.",
    rule: "errors.status",
    body: ({ status }, usual) => (status === 404 ? { ...usual, status: 400 } : usual),
  }),
  "error-status-wrong-on-readChange": finished({
    title: "Puts the same number into `status` on readChange, whatever the HTTP status",
    how: "The handler catches every exception and writes one body for all.",
    rule: "errors.status",
    applies: ({ status }, call) => status >= 400 && call?.operation === "readChange",
    answer: (answer) => ({ ...answer, body: { status: 500, message: "failed", errors: [] } }),
  }),
  ...ofEach(["text/html", "text/plain"], (type) => ({
    [`error-as-${type.split("/")[1]}`]: finished({
      title: `Serves Error bodies as ${type}`,
      how: "The error handler writes a string, and the server uses its default type for strings.",
      rule: "errors.media-type",
      applies: ({ status }) => status >= 400,
      headers: (headers) => ({ ...headers, "content-type": `${type}; charset=utf-8` }),
    }),
  })),
  "submission-errors-strings": errorBody({
    title: "Puts sentences that name the fields into `errors`",
    shows: "Puts elements into `errors` that are no objects with the strings `field` and `message`",
    how: "The messages are written for people.",
    rule: "errors.submission",
    body: ({ errors }, usual) => ({
      ...usual,
      errors: errors.map(({ field, message }) => `${field} ${message}`),
    }),
  }),
  "submission-errors-empty": errorBody({
    title: "Leaves `errors` empty",
    how: "The array exists because the contract requires it, and no code fills it.",
    rule: "errors.submission",
    body: (_refusal, usual) => ({ ...usual, errors: [] }),
  }),
  "submission-errors-path": errorBody({
    title: "Gives elements of `errors` members with other names",
    shows: "Puts elements into `errors` that are no objects with the strings `field` and `message`",
    how: "The validator's own names are kept.",
    rule: "errors.submission",
    body: ({ errors }, usual) => ({
      ...usual,
      errors: errors.map(({ field, message: reason }) => ({ path: [field], reason })),
    }),
  }),
});
