import { createServer, type IncomingMessage } from "node:http";
import { connect } from "node:net";

import { onTestFinished } from "vitest";

import { listening } from "./listening.ts";

/** A proxy that lives as long as the test. */
export interface TestProxy {
  /** `127.0.0.1:port` */
  readonly host: string;
  /** What it was asked to connect to, host and port. */
  readonly asked: readonly string[];
}

/**
 * Starts a proxy that connects whoever asks to one port of this machine, whatever the name.
 * @param port undefined: it refuses all with 403
 * @param credentials `user:password` that it wants; it refuses others with 407
 */
export async function startProxy(port?: number, credentials?: string): Promise<TestProxy> {
  const asked: string[] = [];
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const server = createServer((_request, response) => response.writeHead(400).end());
  server.on("connect", ({ headers, url = "" }: IncomingMessage, socket) => {
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    asked.push(url);
    const isKnown = headers["proxy-authorization"] === wanted;
    if (!isKnown || port === undefined) {
      socket.end(`HTTP/1.1 ${isKnown ? 403 : 407} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const target = connect(port, "127.0.0.1");
    target.on("error", () => socket.destroy());
    socket.write("HTTP/1.1 200 Connected\r\n\r\n");
    socket.pipe(target).pipe(socket);
  });
  return { host: new URL(await listening(server)).host, asked };
}
