import { bindingOf, isBound } from "../checks.ts";
import type { Answer, Call } from "../model.ts";
import { PARTNER } from "../store.ts";
import { finished } from "./answering.ts";
import type { Fault, FaultWords } from "./fault.ts";

/** Faults that answer a request for what the client already has before a check. */
export const CONDITIONAL_FAULTS: readonly Fault[] = [
  notModified("token", {
    rule: "receiver.token-required",
    title: "Answers If-None-Match before it checks the token",
    how: "A cache in front knows that nothing has changed, and does not ask the service.",
    when: ({ status }) => status === 401,
  }),
  notModified("binding", {
    rule: "receiver.binding",
    title: "Answers If-None-Match before it checks the binding",
    how: "The organization is loaded and compared with the condition, before the code that checks access gets it.",
    when: ({ status }, call) => status === 403 && isBound(call) && bindingOf(call) !== call.orgId,
  }),
  notModified("policy", {
    rule: "receiver.local-policy",
    title: "Answers If-None-Match before it applies local policy",
    how: "The organization is loaded and compared with the condition, before the code that checks access gets it.",
    when: ({ status }, call) =>
      status === 403 &&
      call.claims["sub"] === PARTNER &&
      (!isBound(call) || bindingOf(call) === call.orgId),
  }),
];

function notModified(
  check: string,
  {
    when,
    ...words
  }: FaultWords & {
    readonly rule: string;
    readonly when: (answer: Answer, call: Call) => boolean;
  },
): Fault {
  return finished({
    ...words,
    name: `not-modified-before-${check}`,
    applies: (answer, call) => call?.headers["if-none-match"] !== undefined && when(answer, call),
    answer: () => ({ status: 304 }),
  });
}
