import { createServer, type IncomingHttpHeaders, request } from "node:http";

import { startReference } from "../../src/reference/index.ts";
import { close, listen } from "./listening.ts";
import { BUNDLED_JWKS, runAgainst, type Ran, type RunAgainstOptions } from "./run-against.ts";

/** The answer of a front in place of the receiver behind it. Without one, the front forwards the request. */
export type FrontAnswer =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | "hang up"
  | undefined;

/** Decides on a request by its method, its path as it was sent, and its headers. */
export interface Front {
  (method: string, path: string, headers: IncomingHttpHeaders): FrontAnswer;
  /** Told the status of each answer of the receiver behind it. */
  seen?(status: number): void;
}

/** Runs the suite against a reference receiver behind something that answers some requests itself. */
export async function runBehind(front: Front, options: RunAgainstOptions = {}): Promise<Ran> {
  const receiver = await startReference({ jwks: BUNDLED_JWKS });
  const origin = new URL(receiver.baseUrl);
  const server = createServer((incoming, outgoing) => {
    const { method = "", url: path = "", headers } = incoming;
    const answer = front(method, path, headers);
    if (answer === "hang up") {
      incoming.socket.destroy();
    } else if (answer) {
      outgoing.writeHead(answer.status, answer.headers).end(answer.body);
      incoming.resume();
    } else {
      const onward = request({ host: origin.hostname, port: origin.port, method, path, headers });
      onward.on("response", (response) => {
        front.seen?.(response.statusCode ?? 502);
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      });
      incoming.pipe(onward);
    }
  });
  // Otherwise Node answers 417 itself, in place of the receiver behind it.
  server.on("checkExpectation", (incoming, outgoing) => {
    server.emit("request", incoming, outgoing);
  });
  const frontOrigin = await listen(server);
  try {
    const profile = structuredClone(receiver.profile) as Record<string, unknown>;
    return await runAgainst(
      { ...profile, baseUrl: frontOrigin + origin.pathname, audience: receiver.baseUrl },
      options,
    );
  } finally {
    await close(server);
    await receiver.close();
  }
}
