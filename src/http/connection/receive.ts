import type { IncomingHttpHeaders } from "node:http";

import type { buildConnector, Dispatcher } from "undici";

import type { HttpRequest } from "../exchange.ts";
import { sendRaw } from "./raw.ts";

/** Receives one response, part by part. */
export interface Receiver {
  /** Called once, when the head has arrived. */
  head(status: number, headers: IncomingHttpHeaders): void;
  /** Takes each piece of the body as it arrives. `false` ends the response, without an error. */
  piece(bytes: Buffer): boolean;
}

/** A request under way. */
export interface UnderWay {
  /** Resolves when the response is complete or no more of it is wanted; rejects with the error that ended it. */
  readonly ended: Promise<void>;
  /** Ends it with an error. */
  end(error: Error): void;
}

/** Sends a request by undici, without a stream: making one takes as long as the request. */
export function dispatch(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  receiver: Receiver,
): UnderWay {
  let controller: Dispatcher.DispatchController | undefined;
  let endedWith: Error | undefined;
  const ended = new Promise<void>((resolve, reject) => {
    dispatcher.dispatch(options, {
      onRequestStart(its) {
        controller = its;
        if (endedWith) its.abort(endedWith);
      },
      onResponseStart(_its, status, headers) {
        receiver.head(status, headers);
      },
      onResponseData(its, bytes) {
        if (receiver.piece(bytes)) return;
        resolve();
        its.abort(ENOUGH);
      },
      onResponseEnd: () => resolve(),
      onResponseError: (_its, error) => reject(error),
    });
  });
  return {
    ended,
    end(error) {
      endedWith ??= error;
      controller?.abort(endedWith);
    },
  };
}

/** Sends a request as it is; see `sendRaw`. */
export function dispatchRaw(
  connect: buildConnector.connector,
  origin: string,
  spec: HttpRequest,
  receiver: Receiver,
): UnderWay {
  const abort = new AbortController();
  const receive = async (): Promise<void> => {
    const { statusCode, headers, body } = await sendRaw(connect, origin, spec, abort.signal);
    receiver.head(statusCode, headers);
    for await (const bytes of body as AsyncIterable<Buffer>) {
      // Leaving the loop destroys the stream.
      if (!receiver.piece(bytes)) break;
    }
  };
  return { ended: receive(), end: (error) => abort.abort(error) };
}

const ENOUGH = new Error("no more of the response is wanted");
