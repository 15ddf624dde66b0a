import { reject } from "../checks.ts";
import { errorBody, finished } from "./answering.ts";
import { type Faults, ownedBy, trusted } from "./fault.ts";

/** Faults of answers: wrong Error bodies, missing routes, the same answer for every request. */
export const ANSWER_FAULTS: Faults = ownedBy("errors.shape", {
  "error-body-missing": errorBody({
    title: "Sends errors without a body",
    how: "The framework's helper sets the status and nothing else.",
    body: () => undefined,
  }),
  "error-body-without-errors": errorBody({
    title: "Omits `errors` from Error bodies",
    how: "The serializer omits empty lists.",
    body: ({ status, message }) => ({ status, message }),
  }),
  "error-errors-not-array": errorBody({
    title: "Makes `errors` an object",
    how: "The validator's own map from fields to messages is passed on unchanged.",
    body: ({ errors }, usual) => ({
      ...usual,
      errors: Object.fromEntries(errors.map(({ field, message }) => [field, message])),
    }),
  }),
  "error-status-string": errorBody({
    title: "Makes `status` a string",
    how: 'Another envelope had `status: "error"`, or a template printed the number.',
    body: ({ status }, usual) => ({ ...usual, status: String(status) }),
  }),
  "error-status-wrong": errorBody({
    title: "Puts the same number into `status`, whatever the HTTP status",
    rule: "errors.status",
    how: "One place makes the body with a default, and another sets the status.",
    body: (_refusal, usual) => ({ ...usual, status: 400 }),
  }),
  "error-html-on-404": finished({
    title: "Answers 404 with an HTML page",
    how: "The framework's own page for 404 was never replaced.",
    applies: ({ status }) => status === 404,
    answer: (answer) => ({
      ...answer,
      headers: { ...answer.headers, "content-type": "text/html; charset=utf-8" },
      body: "<!doctype html><title>Not Found</title>",
    }),
  }),
  "redirects-unauthorized": finished({
    title: "Redirects unauthorized requests to a login page",
    rule: "receiver.token-required",
    how: "The service is behind a single sign-on for browsers.",
    byAnswer: true,
    applies: ({ status }) => status === 401,
    answer: () => ({ status: 302, headers: { location: "/login" } }),
  }),
  "unauthorized-200": finished({
    title: "Answers unauthorized requests with 200 and an Error body",
    rule: "receiver.token-required",
    how: "The handler catches the exception and returns its message, and nobody sets the status.",
    byAnswer: true,
    applies: ({ status }) => status === 401,
    answer: (answer) => ({ ...answer, status: 200 }),
  }),
  "unauthorized-empty": finished({
    title: "Answers unauthorized requests with 200 and an empty list",
    rule: "receiver.token-required",
    how: "The query returns what the caller may see, and nobody may see nothing.",
    byAnswer: true,
    applies: ({ status }) => status === 401,
    answer: (answer) => ({ ...answer, status: 200, body: { items: [] } }),
  }),
  "route-missing-readChange": {
    title: "Has no route to one change",
    rule: "routes.reachable",
    how: "The feed contains whole changes, and the route to a single one was postponed.",
    offered: (original) => () => original().filter((id) => id !== "readChange"),
  },
  "rejects-everything": {
    title: "Refuses every token with 401",
    rule: "routes.reachable",
    seenAs: "inconclusive",
    how: "The receiver has the wrong issuer's keys, or a gateway in front accepts no token at all.",
    readCredentials: () => (call) => {
      throw reject(call, "readCredentials", "The access token is not valid.");
    },
  },
  "accepts-everything": {
    title: "Performs no check at all",
    rule: "receiver.token-required",
    how: "A gateway should do it, and clients can reach the service without the gateway.",
    checks: () => trusted,
  },
});
