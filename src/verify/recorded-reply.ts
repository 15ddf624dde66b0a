import type { Exchange, Reply } from "../http/exchange.ts";
import { parseJson } from "../lib/json.ts";

/** A rule asks for something that the record does not have. */
export class NotRecorded extends Error {
  override readonly name = "NotRecorded";
}

/**
 * A view of an object of which only some members are recorded.
 * @throws NotRecorded when any other is asked for
 */
export function onlyRecorded<T extends object>(members: Partial<T>): T {
  return new Proxy(members, {
    get(known, name, receiver): unknown {
      // A promise looks whether it was given another.
      if (name === "then") return undefined;
      if (!Object.hasOwn(known, name)) throw new NotRecorded(String(name));
      return Reflect.get(known, name, receiver);
    },
  }) as T;
}

/**
 * An answer as rules judge it, made of what is recorded of it. A body that is not there as it came, because it was
 * long, or something in it was redacted or is no UTF-8, is not recorded.
 */
export function recordedReply(exchange: Exchange): Reply {
  const { response, fault } = exchange;
  if (!response) {
    if (!fault) throw new NotRecorded("an answer");
    return {
      exchange,
      status: 0,
      headers: {},
      body: "",
      hasBody: false,
      cut: false,
      json: () => undefined,
      keep() {},
    };
  }
  const { status, headers, body, truncated } = response;
  const whole = (): string => {
    if (truncated || /\[redacted|\uFFFD/.test(body)) throw new NotRecorded("the whole answer");
    return body;
  };
  return {
    exchange,
    status,
    headers: truncated ? onlyRecorded<Reply["headers"]>(headers) : headers,
    get body() {
      return whole();
    },
    hasBody: body !== "" || truncated,
    get cut() {
      whole();
      return false;
    },
    json: () => parseJson(whole()),
    keep() {},
  };
}
