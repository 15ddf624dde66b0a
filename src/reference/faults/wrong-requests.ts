import type { Answer, Call } from "../model.ts";
import { Refusal } from "../refusal.ts";
import type { Organization } from "../store.ts";
import { framework, type Named } from "./answering.ts";
import { onlyOn, type Fault } from "./fault.ts";

/** Faults of what is answered where something but the token is wrong. */

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
    title: "Shows an organization that does not exist as null",
    rule: "errors.not-found",
    how: "The result of the query is written as it is, and nobody asks whether there was one.",
    step: "findOrganization",
    patch: onlyOn("viewOrganization", lookedUp),
  },
  {
    name: "unknown-organization-empty-feed",
    title: "Shows an empty feed of an organization that does not exist",
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
    title: "Breaks on readChangesFeed where the organization does not exist",
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
    title: "Breaks on an organization's id that is no UUID",
    rule: "errors.not-found",
    how: "The database objects to it, and nobody has looked at it before.",
    step: "findOrganization",
    patch: (original) => (call) =>
      UUID.test(call.orgId ?? SOME_UUID) ? original(call) : invalidSyntax(),
  },
  {
    name: "unknown-change-null",
    title: "Shows a change that does not exist as null",
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
    title: "Breaks on a change's id that is no UUID",
    rule: "errors.not-found",
    how: "The database objects to it, and nobody has looked at it before.",
    step: "readChange",
    patch: (original) => (call) =>
      UUID.test(call.changeId ?? "") ? original(call) : invalidSyntax(),
  },
  {
    name: "change-by-prefix",
    title: "Takes anything after a change's id",
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
    title: "Passes over members of the wrong type",
    how: "Whatever the mapper cannot map, it leaves out.",
    answer: (call, handle) => handle({ ...call, body: {} }),
  }),
  {
    name: "invalid-submission-accepted",
    title: "Does not validate submissions",
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
    title: "Answers a failed validation with 200 and an Error body",
    how: "The answer is made by hand, and its status is the framework's default.",
    answer: ({ receiver }, _handle, refusal) => ({
      status: 200,
      body: receiver.steps.errorBody(refusal),
    }),
  }),
  validating({
    name: "invalid-body-500",
    title: "Answers a failed validation with 500",
    how: "The validator throws, and nobody tells its exceptions from others.",
    answer: () => {
      throw new TypeError("name must be a string");
    },
  }),
  framework({
    name: "not-json-500",
    title: "Answers what is not JSON with 500",
    how: "The parser throws, and nobody tells its exceptions from others.",
    rule: "errors.bad-request",
    code: "FST_ERR_CTP_INVALID_JSON_BODY",
    answer: { status: 500, body: { status: 500, message: "The receiver failed.", errors: [] } },
  }),
  framework({
    name: "not-json-accepted",
    title: "Takes what is not JSON for an empty object",
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
    how: "A web application that routes by itself is served beside the API.",
    method: false,
    answer: { status: 200, headers: PAGE, body: "<!doctype html><title>App</title>" },
  }),
  stray({
    name: "unknown-path-html",
    title: "Answers an unknown path with a page of HTML",
    how: "The framework's own page for what is not found was never replaced; the routes have their own.",
    method: false,
    answer: { status: 404, headers: PAGE, body: "<!doctype html><title>Not Found</title>" },
  }),
  stray({
    name: "unknown-path-redirects",
    title: "Redirects an unknown path to the documentation",
    how: "People who try the API in a browser are to find something.",
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
    title: "Answers a method that the route does not take with 200",
    how: "The route takes every method, and its handler does nothing for most.",
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
