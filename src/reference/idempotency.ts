import type { Answer, Call, Receiver } from "./model.ts";
import { perReceiver } from "./per-receiver.ts";

/** The answer to a submission, and the body that it was given for. */
interface Stored {
  readonly body: string;
  readonly answer: Answer;
}

/** The answers to submissions by their idempotency key. */
export const storedAnswersOf: (receiver: Receiver) => Map<string, Stored> = perReceiver(
  () => new Map<string, Stored>(),
);

/** The idempotency key of a call; `undefined` where it has none. */
export function idempotencyKeyOf({ headers }: Call): string | undefined {
  const key = headers["idempotency-key"];
  return typeof key === "string" ? key : undefined;
}
