import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { onTestFinished } from "vitest";

import type { SideOpener, SideRun } from "../../src/engine/side.ts";
import { createHttpClient, type HttpClient } from "../../src/http/client.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";

/**
 * A side of a few lines, on an origin of its own: a ticket is asked for, and shown at a door, once. Who is
 * let in gets 200, who is not is redirected to the desk.
 */
export interface ToyFaults {
  /** A ticket opens the door again. */
  readonly reusable?: boolean;
  /** The door opens for anything. */
  readonly open?: boolean;
  /** No ticket opens the door any more, from this many on. */
  readonly shutsAfter?: number;
}

export interface Toy {
  readonly origin: string;
  /** The headers of every request. */
  readonly heard: readonly Readonly<Record<string, unknown>>[];
}

export async function toyServer({ reusable, open, shutsAfter }: ToyFaults = {}): Promise<Toy> {
  const heard: Record<string, unknown>[] = [];
  const good = new Set<string>();
  let issued = 0;
  const server = createServer((request, response) => {
    heard.push(request.headers);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://toy");
    if (pathname === "/ticket") {
      issued += 1;
      const ticket = `ticket-number-${issued}`;
      if (shutsAfter === undefined || issued <= shutsAfter) good.add(ticket);
      response.end(JSON.stringify({ ticket }));
      return;
    }
    const ticket = searchParams.get("ticket") ?? "";
    const lets = open || good.has(ticket);
    if (!reusable) good.delete(ticket);
    response.writeHead(lets ? 200 : 302, lets ? {} : { location: "/desk" }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

interface ToyProbe {
  /** A ticket that was let in, and its exchange; used up by now. */
  control(): Promise<{ ticket: string; exchange: string }>;
  /** A new ticket. */
  ticket(): Promise<string>;
  enter(ticket: string): Promise<{ status: number; exchange: string }>;
}

/** The side, over an HTTP client with a header and a secret of its own. */
export function toySide({ origin }: Toy): SideOpener {
  return ({ http: options }) => {
    const http: HttpClient = createHttpClient(
      {
        origin,
        request: { headers: { "x-toy": "toy-secret" }, timeoutMs: 5000 },
        secrets: ["toy-secret"],
      },
      options,
    );
    const send = (name: string, path: string) =>
      http.send({ method: "GET", path, headers: [] }, { caseId: name });
    const ticket = async (name: string): Promise<string> =>
      ((await send(name, "/ticket")).json() as { ticket: string }).ticket;
    const enter = async (name: string, shown: string) => {
      const reply = await send(name, `/door?ticket=${shown}`);
      return { status: reply.status, exchange: reply.exchange.id };
    };
    const run: SideRun<string> = {
      side: "authorization-server",
      sequential: true,
      createProbe({ caseId: name }) {
        const used = new Set<string>();
        const probe: ToyProbe = {
          async control() {
            const shown = await ticket(name);
            const { exchange } = await enter(name, shown);
            used.add("the door");
            return { ticket: shown, exchange };
          },
          ticket: () => ticket(name),
          enter: (shown) => enter(name, shown),
        };
        return { probe, used };
      },
      nameOf: String,
      // A used ticket cannot be shown again, so another one is needed.
      async repeat(_control, label) {
        const name = `control/door-${label}`;
        const { status, exchange } = await enter(name, await ticket(name));
        return status === 200 ? { exchange } : { refused: `the status ${status}`, exchange };
      },
    };
    return {
      run,
      get requests() {
        return http.requests;
      },
      unwaited: 0,
      close: () => http.close(),
    };
  };
}

/** A rule of that side: what it shows at the door has to be refused, by a redirect. */
function toyRule(
  id: string,
  shows: (probe: ToyProbe, control: string) => Promise<string>,
  more: Partial<Rule> = {},
): Rule {
  return defineRule({
    id: `authorization-server.${id}`,
    title: "The door stays shut",
    level: "MUST",
    side: "authorization-server",
    cases: () => [
      {
        id: "door",
        endpoint: "door",
        client: "guest",
        async judge(probe: ToyProbe): Promise<Finding> {
          const control = await probe.control();
          const { status, exchange } = await probe.enter(await shows(probe, control.ticket));
          const evidence = { probes: [exchange], controls: [control.exchange] };
          if (status === 302) return { kind: "pass", evidence };
          return {
            kind: "fail",
            expected: phrase`a redirect`,
            actual: phrase`the status ${status}`,
            evidence,
          };
        },
      },
    ],
    ...more,
  });
}

export const FORGED: Rule = toyRule("forged", () => Promise.resolve("forged"));
export const REPLAY: Rule = toyRule("replay", (_probe, used) => Promise.resolve(used), {
  dependsOn: ["authorization-server.forged"],
});
