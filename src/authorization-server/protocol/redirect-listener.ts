import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { SuiteError } from "../../lib/errors.ts";
import { systemReason } from "../../lib/system-error.ts";

const REQUEST_TIMEOUT_MS = 10_000;
const LONGEST_FORM = 64 * 1024;

export interface Redirected {
  /** The URL at which it arrived, without query. */
  readonly at: string;
  /** The parameters of the query, and of the form of a POST, in order and with repeated ones. */
  readonly parameters: URLSearchParams;
  /** The form's parameters alone, for a POST. */
  readonly posted?: URLSearchParams | undefined;
}

/** The suite's listener at a client's redirect URI, RFC 8252 section 7.3. */
export interface RedirectListener {
  /** The redirect URI, with the actual port where it names port 0. */
  readonly redirectUri: string;
  /** The next redirect from now on that satisfies a predicate. Throws the signal's reason. */
  next(wanted: (redirected: Redirected) => boolean, signal: AbortSignal): Promise<Redirected>;
  close(): Promise<void>;
}

/**
 * Listens on loopback at a redirect URI.
 * @param redirectUri an http URL on a loopback host; port 0 takes any free port
 * @throws SuiteError when the suite cannot listen there
 */
export async function listenForRedirects(redirectUri: string): Promise<RedirectListener> {
  const { hostname, port, protocol } = new URL(redirectUri);
  const arrived: Redirected[] = [];
  let onArrival: (() => void) | undefined;
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= LONGEST_FORM) chunks.push(chunk);
    });
    request.on("end", () => {
      const target = request.url ?? "/";
      const url = new URL(target.startsWith("/") ? target : "/", "http://redirect.invalid");
      const parameters = new URLSearchParams(url.search);
      const posted =
        request.method === "POST"
          ? new URLSearchParams(Buffer.concat(chunks).toString())
          : undefined;
      for (const [name, value] of posted ?? []) parameters.append(name, value);
      response.setHeader("connection", "close");
      response.setHeader("content-type", "text/html; charset=utf-8");
      // The URL holds a code, so no other page may receive it as referrer.
      response.setHeader("referrer-policy", "no-referrer");
      response.end(PAGE);
      // Browsers request an icon too.
      if (url.pathname === "/favicon.ico") return;
      arrived.push({ at: origin + url.pathname, parameters, posted });
      onArrival?.();
    });
  });
  if (protocol !== "http:") {
    throw new SuiteError(
      "ERR_LISTEN",
      `The redirect URI ${redirectUri} is not one that the suite can listen at`,
      {
        hint: "Register http://127.0.0.1:<port>/callback for the client, and name it in the profile.",
      },
    );
  }
  try {
    server.listen({
      port: Number(port === "" ? 80 : port),
      host: hostname.replace(/^\[|\]$/g, ""),
    });
    await once(server, "listening");
  } catch (cause) {
    throw new SuiteError(
      "ERR_LISTEN",
      `The suite cannot listen at the redirect URI ${redirectUri}: ${systemReason(cause)}`,
      { hint: "Free the port, or register another redirect URI.", cause },
    );
  }
  // The server must not keep a failed run alive.
  server.unref();
  const found = (server.address() as AddressInfo).port;
  const actual = port === "0" ? redirectUri.replace(":0", `:${found}`) : redirectUri;
  const { origin } = new URL(actual);

  return {
    redirectUri: actual,
    async next(wanted, signal) {
      arrived.length = 0;
      for (;;) {
        for (let one = arrived.shift(); one; one = arrived.shift()) {
          if (wanted(one)) return one;
        }
        signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          onArrival = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const PAGE = `<!doctype html>
<html lang="en">
<title>Back at orgsync-conformance</title>
<p>The answer has arrived. You can close this page and go back to the terminal.</p>
</html>
`;
