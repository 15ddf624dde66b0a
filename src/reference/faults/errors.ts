import { Refusal, type Answer, type Call } from "../call.ts";
import type { Organization } from "../store.ts";
import { onlyOn, type Fault } from "./fault.ts";

/** Faults of Error bodies, and of what is answered where something but the token is wrong. */

const ERROR_BODIES: readonly Fault[] = [
  errorBody({
    name: "error-nested",
    title: "The Error body is inside a member `error`",
    how: "The company's own envelope for errors, which all its other services have.",
    body: ({ status, message }) => ({ error: { code: status, message } }),
  }),
  errorBody({
    name: "error-problem-only",
    title: "Errors are problem details and nothing else",
    how: "The framework knows RFC 9457, and its members are thought to do.",
    body: ({ status, message }) => ({ type: "about:blank", status, title: "", detail: message }),
  }),
  errorBody({
    name: "error-message-only",
    title: "The Error body is a message alone",
    how: "API gateways and many frameworks answer like this by themselves.",
    body: ({ message }) => ({ message }),
  }),
  errorBody({
    name: "error-errors-null",
    title: "`errors` is null where there are none",
    how: "A field that nobody has set is written as null.",
    body: ({ status, message, errors }) => ({
      status,
      message,
      errors: errors.length > 0 ? errors : null,
    }),
  }),
  errorBody({
    name: "error-errors-string",
    title: "`errors` is one string",
    how: "The validator's messages are joined for people to read.",
    body: ({ status, message, errors }) => ({
      status,
      message,
      errors: errors.map(({ field }) => field).join(", "),
    }),
  }),
  errorBody({
    name: "error-plain-text",
    title: "The Error body is a sentence",
    how: "The message is written where an object was meant.",
    body: ({ message }) => message,
  }),
  finished({
    name: "error-empty-on-401",
    title: "401 has no body",
    how: "The middleware for tokens answers by itself, before anything that writes Error bodies.",
    rule: "errors.shape",
    applies: ({ status }) => status === 401,
    answer: ({ status, headers }) => ({ status, ...(headers && { headers }) }),
  }),
  finished({
    name: "error-empty-on-submitChange",
    title: "submitChange has no Error bodies",
    how: "The route was added with its own handler for errors.",
    rule: "errors.shape",
    applies: ({ status }, call) => status >= 400 && call?.operation === "submitChange",
    answer: ({ status, headers }) => ({ status, ...(headers && { headers }) }),
  }),
  framework({
    name: "error-parser-default",
    title: "What is not JSON gets the framework's own error",
    how: "Bodies are parsed before the handler for errors is in charge.",
    rule: "errors.shape",
    code: "FST_ERR_CTP_INVALID_JSON_BODY",
    answer: { status: 400, body: { statusCode: 400, error: "Bad Request", message: "not JSON" } },
  }),
  framework({
    name: "error-media-type-default",
    title: "A wrong media type gets the framework's own error",
    how: "Bodies are parsed before the handler for errors is in charge.",
    rule: "errors.shape",
    code: "FST_ERR_CTP_INVALID_MEDIA_TYPE",
    answer: { status: 415, body: { statusCode: 415, error: "Unsupported Media Type" } },
  }),
  errorBody({
    name: "error-status-zero",
    title: "`status` is 0",
    how: "The field is there, and nobody sets it.",
    rule: "errors.status",
    body: ({ message, errors }) => ({ status: 0, message, errors }),
  }),
  errorBody({
    name: "error-status-own-code",
    title: "`status` is a code of the company's own",
    how: "A catalogue of errors has numbers of its own, 40401 and the like.",
    rule: "errors.status",
    body: ({ status, message, errors }) => ({ status: status * 100 + 1, message, errors }),
  }),
  errorBody({
    name: "error-status-wrong-on-404",
    title: "`status` is 400 in a 404",
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
    title: "`status` is 500 whatever the HTTP status, on readChange",
    how: "The handler catches everything and writes one body for all of it.",
    rule: "errors.status",
    applies: ({ status }, call) => status >= 400 && call?.operation === "readChange",
    answer: (answer) => ({ ...answer, body: { status: 500, message: "failed", errors: [] } }),
  }),
  ...["text/html", "text/plain"].map((type) =>
    finished({
      name: `error-as-${type.split("/")[1]}`,
      title: `Error bodies are served as ${type}`,
      how: "The handler for errors writes a string, and the server says what it says of strings.",
      rule: "errors.media-type",
      applies: ({ status }) => status >= 400,
      answer: (answer) => ({
        ...answer,
        headers: { ...answer.headers, "content-type": `${type}; charset=utf-8` },
      }),
    }),
  ),
];

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const SOME_UUID = "00000000-0000-4000-8000-000000000000";

/** Looks the organization up and does not ask whether there is one. */
function lookedUp(): (call: Call) => void {
  return (call) => {
    call.organization = call.receiver.store.organizations.get(call.orgId ?? "");
  };
}

/** What a database says to a text that is none of its ids. */
function invalidSyntax(): never {
  throw new Error("invalid input syntax for type uuid");
}

const NOT_FOUND: readonly Fault[] = [
  {
    name: "unknown-organization-null",
    title: "An organization that does not exist is shown as null",
    rule: "errors.not-found",
    how: "The result of the query is written as it is, and nobody asks whether there was one.",
    step: "findOrganization",
    patch: onlyOn("viewOrganization", lookedUp),
  },
  {
    name: "unknown-organization-empty-feed",
    title: "The feed of an organization that does not exist is empty",
    rule: "errors.not-found",
    how: "Changes are selected by organization, and no rows are no error.",
    step: "findOrganization",
    patch: onlyOn("readChangesFeed", lookedUp),
    more: [
      {
        step: "readChangesFeed",
        patch: (original) => (call) => {
          if (call.organization) return original(call);
          const { steps } = call.receiver;
          return { status: 200, body: steps.shape(steps.paginate(call, [])) };
        },
      },
    ],
  },
  {
    name: "unknown-organization-created",
    title: "An edit of an organization that does not exist creates it",
    rule: "errors.not-found",
    how: "The edit is an upsert.",
    step: "findOrganization",
    patch: onlyOn("editOrganization", (original) => (call) => {
      const { orgId: id = "", receiver } = call;
      if (receiver.store.organizations.has(id)) return original(call);
      const created: Organization = { id, name: "New" };
      receiver.store.organizations.set(id, created);
      call.organization = created;
    }),
  },
  {
    name: "unknown-organization-500-on-readChangesFeed",
    title: "readChangesFeed breaks where the organization does not exist",
    rule: "errors.not-found",
    how: "A field of what was not found is read.",
    step: "findOrganization",
    patch: onlyOn("readChangesFeed", () => (call) => {
      lookedUp()(call);
      if (!call.organization) throw new TypeError("Cannot read properties of undefined");
    }),
  },
  {
    name: "malformed-organization-500",
    title: "An organization's id that is no UUID breaks the receiver",
    rule: "errors.not-found",
    how: "The database objects to it, and nobody has looked at it before.",
    step: "findOrganization",
    patch: (original) => (call) =>
      UUID.test(call.orgId ?? SOME_UUID) ? original(call) : invalidSyntax(),
  },
  {
    name: "unknown-change-null",
    title: "A change that does not exist is shown as null",
    rule: "errors.not-found",
    how: "The result of the query is written as it is, and nobody asks whether there was one.",
    step: "readChange",
    patch: (original) => (call) =>
      unless(
        () => original(call),
        () => ({ status: 200, body: { data: null } }),
      ),
  },
  {
    name: "malformed-change-500",
    title: "A change's id that is no UUID breaks the receiver",
    rule: "errors.not-found",
    how: "The database objects to it, and nobody has looked at it before.",
    step: "readChange",
    patch: (original) => (call) =>
      UUID.test(call.changeId ?? "") ? original(call) : invalidSyntax(),
  },
  {
    name: "change-by-prefix",
    title: "A change's id may have anything after it",
    rule: "errors.not-found",
    how: "The id is read out of the path by a parser that stops where it does not understand.",
    step: "readChange",
    patch: (original) => (call) =>
      original({ ...call, changeId: /^[\da-f-]{36}/.exec(call.changeId ?? "")?.[0] }),
  },
];

const BAD_REQUEST: readonly Fault[] = [
  validating({
    name: "invalid-body-accepted",
    title: "Members of the wrong type are passed over",
    how: "Whatever the mapper cannot map, it leaves out.",
    answer: (call, handle) => handle({ ...call, body: {} }),
  }),
  {
    name: "invalid-submission-accepted",
    title: "Submissions are not validated",
    rule: "errors.bad-request",
    how: "Somebody will look at them anyway.",
    step: "submitChange",
    patch: (original) => (call) =>
      unless(
        () => original(call),
        () => original({ ...call, body: {} }),
      ),
  },
  validating({
    name: "invalid-body-200",
    title: "A failed validation is answered with 200 and an Error body",
    how: "The answer is made by hand, and its status is the framework's default.",
    answer: ({ receiver }, _handle, refusal) => ({
      status: 200,
      body: receiver.steps.errorBody(refusal),
    }),
  }),
  validating({
    name: "invalid-body-500",
    title: "A failed validation is answered with 500",
    how: "The validator throws, and nobody tells its exceptions from others.",
    answer: () => {
      throw new TypeError("name must be a string");
    },
  }),
  framework({
    name: "not-json-500",
    title: "What is not JSON is answered with 500",
    how: "The parser throws, and nobody tells its exceptions from others.",
    rule: "errors.bad-request",
    code: "FST_ERR_CTP_INVALID_JSON_BODY",
    answer: { status: 500, body: { status: 500, message: "The receiver failed.", errors: [] } },
  }),
  framework({
    name: "not-json-accepted",
    title: "What is not JSON counts as an empty object",
    how: "The parser is lenient, so that old clients keep working.",
    rule: "errors.bad-request",
    code: "FST_ERR_CTP_INVALID_JSON_BODY",
    answer: { status: 200, body: { data: {} } },
  }),
];

const SUBMISSION: readonly Fault[] = [
  errorBody({
    name: "submission-errors-strings",
    title: "`errors` names fields in sentences",
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
    title: "`errors` is always empty",
    how: "The array is there because the contract wants one, and nothing is put into it.",
    rule: "errors.submission",
    body: ({ status, message }) => ({ status, message, errors: [] }),
  }),
  errorBody({
    name: "submission-errors-path",
    title: "Elements of `errors` have `path` and `reason`",
    how: "The validator's own names are kept.",
    rule: "errors.submission",
    body: ({ status, message, errors }) => ({
      status,
      message,
      errors: errors.map(({ field, message: reason }) => ({ path: [field], reason })),
    }),
  }),
];

const PAGE = { "content-type": "text/html; charset=utf-8" };

const UNKNOWN_ROUTE: readonly Fault[] = [
  stray({
    name: "unknown-path-shows-app",
    title: "Every unknown path is answered with the start page",
    how: "A web application that routes by itself is served beside the API.",
    method: false,
    answer: { status: 200, headers: PAGE, body: "<!doctype html><title>App</title>" },
  }),
  stray({
    name: "unknown-path-html",
    title: "An unknown path is answered with a page of HTML",
    how: "The framework's own page for what is not found was never replaced; the routes have their own.",
    method: false,
    answer: { status: 404, headers: PAGE, body: "<!doctype html><title>Not Found</title>" },
  }),
  stray({
    name: "unknown-path-redirects",
    title: "An unknown path leads to the documentation",
    how: "People who try the API in a browser are to find something.",
    method: false,
    answer: { status: 302, headers: { location: "/docs" } },
  }),
  stray({
    name: "unknown-path-500",
    title: "An unknown path is answered with 500",
    how: "The exception for missing routes is caught like any other.",
    method: false,
    answer: { status: 500, body: { status: 500, message: "The receiver failed.", errors: [] } },
  }),
  stray({
    name: "unknown-method-served",
    title: "A method that the route does not take is answered with 200",
    how: "The route takes every method, and its handler does nothing for most.",
    method: true,
    answer: { status: 200, body: { data: null } },
  }),
  stray({
    name: "unknown-method-empty",
    title: "405 has no body",
    how: "The router answers by itself.",
    method: true,
    answer: { status: 405 },
  }),
];

export const ERROR_FAULTS: readonly Fault[] = [
  ...ERROR_BODIES,
  ...NOT_FOUND,
  ...BAD_REQUEST,
  ...SUBMISSION,
  ...UNKNOWN_ROUTE,
];

type Named = Pick<Fault, "name" | "title" | "how">;

/** Another Error body. */
function errorBody({
  body,
  rule = "errors.shape",
  ...named
}: Named & { rule?: Fault["rule"]; body: (refusal: Refusal) => unknown }): Fault {
  return { ...named, rule, step: "errorBody", patch: () => body };
}

/** Another answer where it `applies`, headers that all have in common included. */
function finished({
  applies,
  answer: changed,
  ...named
}: Named & {
  rule: Fault["rule"];
  applies: (answer: Answer, call: Call | undefined) => boolean;
  answer: (answer: Answer) => Answer;
}): Fault {
  return {
    ...named,
    step: "finish",
    patch: (original) => (answer, receiver, call) =>
      original(applies(answer, call) ? changed(answer) : answer, receiver, call),
  };
}

/** Another answer to one of the framework's own errors. */
function framework({
  code,
  answer,
  ...named
}: Named & { rule: Fault["rule"]; code: string; answer: Answer }): Fault {
  return {
    ...named,
    step: "errorAnswer",
    patch: (original) => (error, receiver) =>
      (error as { code?: unknown }).code === code ? answer : original(error, receiver),
  };
}

/** Another answer to a body that is not valid, on both writes. */
function validating({
  answer,
  ...named
}: Named & {
  answer: (call: Call, handle: (call: Call) => Answer, refusal: Refusal) => Answer;
}): Fault {
  const patch =
    (original: (call: Call) => Answer) =>
    (call: Call): Answer =>
      unless(
        () => original(call),
        (refusal) => answer(call, original, refusal),
      );
  return {
    ...named,
    rule: "errors.bad-request",
    step: "editOrganization",
    patch,
    more: [{ step: "submitChange", patch }],
  };
}

/** What `answer` gives, or, where it refuses, what `otherwise` does. */
function unless(answer: () => Answer, otherwise: (refusal: Refusal) => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    if (error instanceof Refusal) return otherwise(error);
    throw error;
  }
}

/** Another answer to unknown methods of known paths, or else to unknown paths. */
function stray({
  method: ofMethods,
  answer,
  ...named
}: Named & { method: boolean; answer: Answer }): Fault {
  return {
    ...named,
    rule: "errors.unknown-route",
    step: "unknownRoute",
    patch: (original) => (request, receiver) =>
      request.allow.length > 0 === ofMethods ? answer : original(request, receiver),
  };
}
