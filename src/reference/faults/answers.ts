import { reject } from "../reject.ts";
import { trusted, type Fault } from "./fault.ts";

/** Faults of what is answered: the Error body, missing routes, one answer for everybody. */
export const ANSWER_FAULTS: readonly Fault[] = [
  {
    name: "error-body-missing",
    title: "Sends errors without a body",
    rule: "errors.shape",
    how: "The framework's helper sets the status and nothing else.",
    step: "errorBody",
    patch: () => () => undefined,
  },
  {
    name: "error-body-without-errors",
    title: "Leaves `errors` out of Error bodies",
    rule: "errors.shape",
    how: "An empty list is left out when the body is written.",
    step: "errorBody",
    patch: () => (refusal) => ({ status: refusal.status, message: refusal.message }),
  },
  {
    name: "error-errors-not-array",
    title: "Makes `errors` an object",
    rule: "errors.shape",
    how: "The validator's own map from field to messages is passed on as it is.",
    step: "errorBody",
    patch: () => (refusal) => ({
      status: refusal.status,
      message: refusal.message,
      errors: Object.fromEntries(refusal.errors.map(({ field, message }) => [field, message])),
    }),
  },
  {
    name: "error-status-string",
    title: "Makes `status` a string",
    rule: "errors.shape",
    how: 'Another envelope had `status: "error"`, or the number went through a template.',
    step: "errorBody",
    patch: () => (refusal) => ({
      status: String(refusal.status),
      message: refusal.message,
      errors: refusal.errors,
    }),
  },
  {
    name: "error-status-wrong",
    title: "Puts one and the same number into `status`, whatever the HTTP status",
    rule: "errors.status",
    how: "The body is made in one place with a default, and the status set in another.",
    step: "errorBody",
    patch: () => (refusal) => ({ status: 400, message: refusal.message, errors: refusal.errors }),
  },
  {
    name: "error-html-on-404",
    title: "Answers 404 with a page of HTML",
    rule: "errors.shape",
    how: "The framework's own page for what is not found was never replaced.",
    step: "finish",
    patch: (original) => (answer, receiver, call) => {
      if (answer.status !== 404) return original(answer, receiver, call);
      const headers = { ...answer.headers, "content-type": "text/html; charset=utf-8" };
      return original(
        { ...answer, headers, body: "<!doctype html><title>Not Found</title>" },
        receiver,
        call,
      );
    },
  },
  {
    name: "redirects-unauthorized",
    title: "Redirects whoever is not authorized to a login page",
    rule: "receiver.token-required",
    how: "The service sits behind a single sign-on meant for browsers.",
    step: "finish",
    patch: (original) => (answer, receiver, call) =>
      original(
        answer.status === 401 ? { status: 302, headers: { location: "/login" } } : answer,
        receiver,
        call,
      ),
  },
  {
    name: "route-missing-readChange",
    title: "Has no route to one change",
    rule: "routes.reachable",
    how: "The feed carries whole changes, and the single one was left for later.",
    step: "offered",
    patch: (original) => () => original().filter((id) => id !== "readChange"),
  },
  {
    name: "rejects-everything",
    title: "Refuses every token with 401",
    rule: "routes.reachable",
    seenAs: "inconclusive",
    how: "The receiver has the wrong issuer's keys, or a gateway before it takes no token at all.",
    step: "readCredentials",
    patch: () => (call) => {
      throw reject(call, "readCredentials", "The access token is not valid.");
    },
  },
  {
    name: "accepts-everything",
    title: "Checks nothing at all",
    rule: "receiver.token-required",
    how: "A gateway was to do it, and the service can be reached beside the gateway.",
    step: "checks",
    patch: () => trusted,
  },
];
