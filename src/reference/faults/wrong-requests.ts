import type { Answer, Call, Handler } from "../model.ts";
import type { Refusal } from "../refusal.ts";
import { framework, unlessRefused } from "./answering.ts";
import { type FaultEntry, type Faults, ownedBy } from "./fault.ts";

const PAGE = { "content-type": "text/html; charset=utf-8" };

/** Faults in answers to bodies that are not valid, and to routes that do not exist. */
export const WRONG_REQUEST_FAULTS: Faults = ownedBy("errors.bad-request", {
  "invalid-body-accepted": validating({
    title: "Ignores members of the wrong type",
    shows: "Answers a body that is not valid with success",
    how: "The mapper omits what it cannot map.",
    answer: (call, handle) => handle({ ...call, body: {} }),
  }),
  "invalid-submission-accepted": {
    title: "Does not validate submissions",
    shows: "Answers a submission that is not valid with success",
    how: "People review the submissions anyway.",
    submitChange: (original) => (call) =>
      unlessRefused(
        () => original(call),
        () => original({ ...call, body: {} }),
      ),
  },
  "respelled-body-unvalidated": validating({
    title: "Validates bodies of the media type `application/json`, written exactly so",
    shows:
      "Answers a body that is not valid with success if its media type is `application/json`, spelled in another way",
    how: "The schema is registered under the media type, which is looked up as a text.",
    answer(call, handle, refusal) {
      if (call.headers["content-type"] === "application/json") throw refusal;
      return handle({ ...call, body: {} });
    },
  }),
  "semicolon-body-unvalidated": validating({
    title: "Does not validate bodies whose media type ends in a semicolon",
    shows: "Answers a body that is not valid with success if its media type ends in a semicolon",
    how: "The parser of media types fails on the empty parameter, and the filter passes on what it cannot read.",
    source: "RFC 9110 §5.6.6",
    answer(call, handle, refusal) {
      if (!/;\s*$/.test(String(call.headers["content-type"]))) throw refusal;
      return handle({ ...call, body: {} });
    },
  }),
  "invalid-body-200": validating({
    title: "Answers a failed validation with 200 and an Error body",
    shows: "Answers a body that is not valid with success",
    how: "The code builds the answer itself, and its status is the framework's default.",
    answer: ({ receiver }, _handle, refusal) => ({
      status: 200,
      body: receiver.steps.errorBody(refusal),
    }),
  }),
  "invalid-body-500": validating({
    title: "Answers a failed validation with 500",
    shows: "Answers a body that is not valid with 500",
    how: "The validator throws, and its exceptions are handled like any others.",
    answer: () => {
      throw new TypeError("name must be a string");
    },
  }),
  "not-json-500": framework({
    title: "Answers invalid JSON with 500",
    how: "The parser throws, and its exceptions are handled like any others.",
    code: "FST_ERR_CTP_INVALID_JSON_BODY",
    answer: { status: 500, body: { status: 500, message: "The receiver failed.", errors: [] } },
  }),
  "not-json-accepted": framework({
    title: "Treats invalid JSON as an empty object",
    shows: "Answers a body that is not JSON with success",
    how: "The parser is lenient, so that old clients keep working.",
    code: "FST_ERR_CTP_INVALID_JSON_BODY",
    answer: { status: 200, body: { data: {} } },
  }),
  "unknown-path-shows-app": unmatched("path", {
    title: "Answers every unknown path with the start page",
    shows: "Answers every unknown path with success",
    how: "A single-page application is served beside the API.",
    answer: { status: 200, headers: PAGE, body: "<!doctype html><title>App</title>" },
  }),
  "unknown-path-html": unmatched("path", {
    title: "Answers an unknown path with an HTML page",
    how: "The framework's own page for 404 was never replaced. The routes have their own.",
    answer: { status: 404, headers: PAGE, body: "<!doctype html><title>Not Found</title>" },
  }),
  "unknown-path-redirects": unmatched("path", {
    title: "Redirects an unknown path to the documentation",
    shows: "Redirects an unknown path",
    how: "People who open the API in a browser should find something.",
    answer: { status: 302, headers: { location: "/docs" } },
  }),
  "unknown-path-500": unmatched("path", {
    title: "Answers an unknown path with 500",
    how: "The exception for missing routes is caught like any other.",
    answer: { status: 500, body: { status: 500, message: "The receiver failed.", errors: [] } },
  }),
  "unknown-method-served": unmatched("method", {
    title: "Answers an unsupported method with 200",
    how: "The route accepts every method, and its handler does nothing for most.",
    answer: { status: 200, body: { data: null } },
  }),
  "unknown-method-empty": unmatched("method", {
    title: "Sends 405 without a body",
    how: "The router answers by itself.",
    answer: { status: 405 },
  }),
});

/** Replaces the answer to an invalid body, on both writes. */
function validating({
  answer,
  ...fault
}: FaultEntry & {
  readonly answer: (call: Call, handle: Handler, refusal: Refusal) => Answer;
}): FaultEntry {
  const patch =
    (original: Handler): Handler =>
    (call) =>
      unlessRefused(
        () => original(call),
        (refusal) => answer(call, original, refusal),
      );
  return { ...fault, editOrganization: patch, submitChange: patch };
}

/** Replaces the answer to unknown methods of known paths, or to unknown paths. */
function unmatched(
  unknown: "method" | "path",
  { answer, ...fault }: FaultEntry & { readonly answer: Answer },
): FaultEntry {
  return {
    ...fault,
    rule: "errors.unknown-route",
    unknownRoute: (original) => (request, receiver) =>
      request.allow.length > 0 === (unknown === "method") ? answer : original(request, receiver),
  };
}
