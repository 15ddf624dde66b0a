import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { expect, onTestFinished, test } from "vitest";

import type { RunEvent } from "../../src/engine/events.ts";
import { run } from "../../src/engine/run.ts";
import { casesOn } from "../../src/probe/cases.ts";
import { decodeToken } from "../../src/probe/difference/difference.ts";
import { onlyMutation } from "../../src/probe/rule.ts";
import { profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import { BAD, OTHER, PRIMARY, refusal, tinyRule } from "./tiny.ts";

const DEADLY = {
  name: "deadly",
  what: "the claim deadly is there",
  token: { claims: { deadly: true } },
};

/**
 * A receiver that dies at a token with the claim `deadly`: every connection is closed and nobody listens until
 * somebody starts it again.
 */
async function mortal(): Promise<{
  baseUrl: string;
  deaths: () => number;
  revive: () => Promise<void>;
}> {
  let deaths = 0;
  let server: Server;
  let port = 0;
  const start = async (): Promise<void> => {
    server = createServer((request, response) => {
      const token = request.headers.authorization?.slice("Bearer ".length);
      const { claims } = token === undefined ? {} : decodeToken(token);
      if (claims?.["deadly"] === true) {
        deaths += 1;
        server.close();
        server.closeAllConnections();
        return;
      }
      const { status, body } =
        !claims || claims["bad"] === true ? refusal(401) : { status: 200, body: { id: PRIMARY } };
      response.writeHead(status, { "content-type": "application/json" });
      // Some requests are always in progress when it crashes.
      setImmediate(() => response.end(JSON.stringify(body)));
    }).listen(port, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  };
  await start();
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    deaths: () => deaths,
    revive: async () => {
      if (!server.listening) await start();
    },
  };
}

test.each(["viewOrganization", "editOrganization"] as const)(
  "the request that makes the deployment crash is found among others: %s",
  async (operation) => {
    const receiver = await mortal();
    const rule = tinyRule({
      id: "tiny.refusing",
      title: "What is bad is refused",
      level: "MUST",
      cases: () => [
        ...casesOn(["viewOrganization", operation], many(6)).slice(0, 6),
        ...casesOn([operation], [DEADLY]),
        ...casesOn(["viewOrganization"], many(12)).slice(6),
      ],
      judge: (probe, one) => probe.rejects(onlyMutation(one) ?? DEADLY),
    });
    const events: RunEvent[] = [];
    const finished = await run({
      target: resolveTarget({
        profile: profileFromObject({
          baseUrl: receiver.baseUrl,
          organizations: { primary: PRIMARY, other: OTHER },
          writes: true,
          operations: { editOrganization: { body: { mission: "${unique}" } } },
        }),
      }),
      rules: [rule],
      seed: 1,
      emit(event) {
        events.push(event);
        // A supervisor that restarts it after the first refused connection.
        const turnedAway = event.type === "exchange" && event.exchange.fault?.kind;
        if (turnedAway === "unreachable") void receiver.revive();
      },
    });
    const results = events.flatMap((event) => (event.type === "case-judged" ? [event.result] : []));
    const name = `tiny.refusing/deadly@${operation}`;
    expect(results.filter(({ code }) => code === "crash").map(({ id }) => id)).toEqual([name]);
    expect(results.filter(({ outcome }) => outcome !== "pass").map(({ id }) => id)).toEqual([name]);
    expect(finished.setup[0]?.problem).toContain(name);
    expect(receiver.deaths()).toBe(2);
  },
);

function many(count: number): (typeof BAD)[] {
  return Array.from({ length: count }, (_, n) => ({ ...BAD, name: `bad-${n}` }));
}
