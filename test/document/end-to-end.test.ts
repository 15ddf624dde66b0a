import { createServer, request } from "node:http";

import { expect, test } from "vitest";

import { documentedReceiver as receiver } from "../cli/servers.ts";
import { listening } from "../support/listening.ts";
import { runAgainst, runAgainstReference, unsettled } from "../support/run-against.ts";
import type { openapi } from "./support.ts";

const patterns = ["routes.*", "errors.*", "pagination.*", "resources.*", "document.*"];

test.each(["document-alone", "document-3.0", "change-ids-numeric"])(
  "%s: every case is settled",
  async (name) => {
    const { finished, results } = await runAgainstReference({ variants: [name] }, { patterns });
    expect(unsettled(results)).toEqual([]);
    expect(finished.verdict).toBe("partial");
  },
);

/** A gateway in front of a receiver: every path must end in a slash. It also serves the document of such a receiver. */
async function gateway(to: URL): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    const [path = "", query] = url.split("?", 2);
    if (!path.endsWith("/") && !path.endsWith(".json")) {
      outgoing.writeHead(404, { "content-type": "application/json" });
      outgoing.end(JSON.stringify({ status: 404, message: "There is no such route", errors: [] }));
      return;
    }
    const target = path.replace(/\/$/, "") + (query === undefined ? "" : `?${query}`);
    const options = { host: to.hostname, port: to.port, method, path: target, headers };
    const onward = request(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const body = path.endsWith(".json") ? withSlashes(text) : text;
        const { "content-length": _length, ...others } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, others).end(body);
      });
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  return listening(server);
}

function withSlashes(document: string): string {
  const parsed = JSON.parse(document) as ReturnType<typeof openapi>;
  const paths = Object.entries(parsed["paths"] as object);
  return JSON.stringify({
    ...parsed,
    paths: Object.fromEntries(paths.map(([path, item]) => [`${path}/`, item as unknown])),
  });
}

test("a path is sent with a trailing slash if it has one in the document", async () => {
  const { baseUrl, profile } = await receiver();
  const origin = await gateway(new URL(baseUrl));
  const before = { ...profile, baseUrl: `${origin}/common-grants`, audience: baseUrl };
  const { results } = await runAgainst(
    { ...before, openapi: `${origin}/common-grants/openapi.json` },
    { patterns },
  );
  expect(unsettled(results)).toEqual([]);
  const { openapi: _openapi, ...without } = before as Record<string, unknown>;
  const { finished } = await runAgainst(without, { patterns: ["routes.*"] });
  expect(["incomplete", "non-conformant"]).toContain(finished.verdict);
});
