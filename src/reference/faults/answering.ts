import type { Answer, Call } from "../model.ts";
import type { Refusal } from "../refusal.ts";
import type { Fault } from "./fault.ts";

/** Kinds of faults that are another answer in some place. */

export type Named = Pick<Fault, "name" | "title" | "how">;

/** Another Error body. */
export function errorBody({
  body,
  rule = "errors.shape",
  ...named
}: Named & { rule?: Fault["rule"]; body: (refusal: Refusal) => unknown }): Fault {
  return { ...named, rule, step: "errorBody", patch: () => body };
}

/** Another answer where it `applies`, headers that all have in common included. */
export function finished({
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
export function framework({
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
