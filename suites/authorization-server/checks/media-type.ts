import type { ServerAnswer } from "../../../src/authorization-server/protocol/origins.ts";

/** What is wrong with the media type of an answer that must be JSON, as a phrase; `undefined` where nothing is. */
export function mediaTypeFault({ headers }: Pick<ServerAnswer, "headers">): string | undefined {
  const type = headers["content-type"];
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type ?? "")
    ? undefined
    : `it is ${type?.slice(0, 80) ?? "absent"}`;
}
