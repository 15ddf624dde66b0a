import { onlyOn } from "../check-patches.ts";
import type { Answer, Call } from "../model.ts";
import { Refusal } from "../refusal.ts";
import type { Organization } from "../store.ts";
import { framework, type Named } from "./answering.ts";
import type { Fault } from "./fault.ts";

/** Faults in answers to requests that are wrong in something other than the token. */

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const SOME_UUID = "00000000-0000-4000-8000-000000000000";

/** Looks up the organization without checking whether it exists. */
function lookedUp(): (call: Call) => void {
  return (call) => {
    call.organization = call.receiver.store.organizations.get(call.orgId ?? "");
  };
}

/** The error of a database for a text that is not an id. */
function invalidSyntax(): never {
  throw new Error("invalid input syntax for type uuid");
}

const NOT_FOUND: readonly Fault[] = [
  {
    name: "unknown-organization-null",
    title: "Answers null for an organization that does not exist",
    rule: "errors.not-found",
    how: "The code serializes the result of the query without checking whether there is one.",
    step: "findOrganization",
    patch: onlyOn("viewOrganization", lookedUp),
  },
  {
    name: "unknown-organization-empty-feed",
    title: "Answers with an empty feed for an organization that does not exist",
    rule: "errors.not-found",
    how: "The query selects changes by organization, and an empty result is not an error.",
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
    title: "Creates an organization that does not exist when it is edited",
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
    title: "Fails with an internal error on readChangesFeed if the organization does not exist",
    rule: "errors.not-found",
    how: "The code reads a field of a record that was not found.",
    step: "findOrganization",
    patch: onlyOn("readChangesFeed", () => (call) => {
      lookedUp()(call);
      if (!call.organization) throw new TypeError("Cannot read properties of undefined");
    }),
  },
  {
    name: "malformed-organization-500",
    title: "Fails with an internal error on an organization id that is not a UUID",
    rule: "errors.not-found",
    how: "The database rejects the id, and no code has checked it before.",
    step: "findOrganization",
    patch: (original) => (call) =>
      UUID.test(call.orgId ?? SOME_UUID) ? original(call) : invalidSyntax(),
  },
  {
    name: "unknown-change-null",
    title: "Answers null for a change that does not exist",
    rule: "errors.not-found",
    how: "The code serializes the result of the query without checking whether there is one.",
    step: "readChange",
    patch: (original) => (call) =>
      unless(
        () => original(call),
        () => ({ status: 200, body: { data: null } }),
      ),
  },
  {
    name: "unknown-change-500",
    title: "Fails with an internal error on a change that does not exist",
    rule: "errors.not-found",
    how: "The result of the query is unwrapped without checking whether there is one: `orElseThrow()`.",
    step: "readChange",
    patch: (original) => (call) =>
      unless(
        () => original(call),
        () => {
          throw new Error("no value present");
        },
      ),
  },
  {
    name: "malformed-change-500",
    title: "Fails with an internal error on a change id that is not a UUID",
    rule: "errors.not-found",
    how: "The database rejects the id, and no code has checked it before.",
    step: "readChange",
    patch: (original) => (call) =>
      UUID.test(call.changeId ?? "") ? original(call) : invalidSyntax(),
  },
  {
    name: "change-by-prefix",
    title: "Ignores text after a change id",
    rule: "errors.not-found",
    how: "A parser reads the id from the path and stops at the first unexpected character.",
    step: "readChange",
    patch: (original) => (call) =>
      original({ ...call, changeId: /^[\da-f-]{36}/.exec(call.changeId ?? "")?.[0] }),
  },
];

const BAD_REQUEST: readonly Fault[] = [
  validating({
    name: "invalid-body-accepted",
    title: "Ignores members of the wrong type",
    how: "The mapper omits what it cannot map.",
    answer: (call, handle) => handle({ ...call, body: {} }),
  }),
  {
    name: "invalid-submission-accepted",
    title: "Does not validate submissions",
    rule: "errors.bad-request",
    how: "People review the submissions anyway.",
    step: "submitChange",
    patch: (original) => (call) =>
      unless(
        () => original(call),
        () => original({ ...call, body: {} }),
      ),
  },
  validating({
    name: "invalid-body-200",
    title: "Answers a failed validation with 200 and an Error body",
    how: "The code builds the answer itself, and its status is the framework's default.",
    answer: ({ receiver }, _handle, refusal) => ({
      status: 200,
      body: receiver.steps.errorBody(refusal),
    }),
  }),
  validating({
    name: "invalid-body-500",
    title: "Answers a failed validation with 500",
    how: "The validator throws, and its exceptions are handled like any others.",
    answer: () => {
      throw new TypeError("name must be a string");
    },
  }),
  framework({
    name: "not-json-500",
    title: "Answers invalid JSON with 500",
    how: "The parser throws, and its exceptions are handled like any others.",
    rule: "errors.bad-request",
    code: "FST_ERR_CTP_INVALID_JSON_BODY",
    answer: { status: 500, body: { status: 500, message: "The receiver failed.", errors: [] } },
  }),
  framework({
    name: "not-json-accepted",
    title: "Treats invalid JSON as an empty object",
    how: "The parser is lenient, so that old clients keep working.",
    rule: "errors.bad-request",
    code: "FST_ERR_CTP_INVALID_JSON_BODY",
    answer: { status: 200, body: { data: {} } },
  }),
];

const PAGE = { "content-type": "text/html; charset=utf-8" };

const UNKNOWN_ROUTE: readonly Fault[] = [
  stray({
    name: "unknown-path-shows-app",
    title: "Answers every unknown path with the start page",
    how: "A single-page application is served beside the API.",
    method: false,
    answer: { status: 200, headers: PAGE, body: "<!doctype html><title>App</title>" },
  }),
  stray({
    name: "unknown-path-html",
    title: "Answers an unknown path with an HTML page",
    how: "The framework's own page for 404 was never replaced. The routes have their own.",
    method: false,
    answer: { status: 404, headers: PAGE, body: "<!doctype html><title>Not Found</title>" },
  }),
  stray({
    name: "unknown-path-redirects",
    title: "Redirects an unknown path to the documentation",
    how: "People who open the API in a browser should find something.",
    method: false,
    answer: { status: 302, headers: { location: "/docs" } },
  }),
  stray({
    name: "unknown-path-500",
    title: "Answers an unknown path with 500",
    how: "The exception for missing routes is caught like any other.",
    method: false,
    answer: { status: 500, body: { status: 500, message: "The receiver failed.", errors: [] } },
  }),
  stray({
    name: "unknown-method-served",
    title: "Answers an unsupported method with 200",
    how: "The route accepts every method, and its handler does nothing for most.",
    method: true,
    answer: { status: 200, body: { data: null } },
  }),
  stray({
    name: "unknown-method-empty",
    title: "Sends 405 without a body",
    how: "The router answers by itself.",
    method: true,
    answer: { status: 405 },
  }),
];

export const WRONG_REQUEST_FAULTS: readonly Fault[] = [
  ...NOT_FOUND,
  ...BAD_REQUEST,
  ...UNKNOWN_ROUTE,
];

/** Replaces the answer to an invalid body, on both writes. */
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

/** The result of `answer`, or of `otherwise` if `answer` refuses. */
function unless(answer: () => Answer, otherwise: (refusal: Refusal) => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    if (error instanceof Refusal) return otherwise(error);
    throw error;
  }
}

/** Replaces the answer to unknown methods of known paths, or to unknown paths. */
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
