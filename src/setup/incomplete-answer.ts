import type { IncompleteBody } from "../http/exchange.ts";

/** What is missing of an incomplete body, and what to change for that, in the words of reports. */
export function explainIncomplete({ arrived, announced }: IncompleteBody): {
  readonly missing: string;
  readonly remedy: string;
} {
  return announced === undefined
    ? {
        missing: `the body neither ends nor has a length, and ${arrived} bytes of it came`,
        remedy:
          "Look in the deployment for what does not end the answer, perhaps an error handler that only begins one.",
      }
    : {
        missing: `Content-Length announces ${announced} bytes, and ${arrived} came`,
        remedy:
          "Let the server compute Content-Length, or count the bytes that are sent: it is wrong where characters are counted, or where something later changes the body or does not send all of it.",
      };
}
