import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { expect, test, vi } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { folderWith } from "../support/folder.ts";
import { HANGS_MS } from "../support/hangs.ts";
import { close, listen } from "../support/listening.ts";
import { runAgainst } from "../support/run-against.ts";
import { type Claims, plainApi } from "./plain-api.ts";
import { BUNDLED, trusting } from "./world.ts";

/** The examples of `docs/stacks` that need more than Node; tried where their language and libraries are installed. */
const PYTHON = process.env["PYTHON"] ?? "python3";
const STACKS = [
  {
    name: "flask",
    needs: [PYTHON, "-c", "import flask, jwt, cryptography"],
    runs: [PYTHON, "flask_server.py"],
  },
  {
    name: "fastapi",
    needs: [PYTHON, "-c", "import fastapi, uvicorn, jwt, cryptography"],
    runs: [PYTHON, "fastapi_server.py"],
  },
  {
    name: "go",
    needs: ["go", "version"],
    runs: ["./server"],
    builds: ["go", "build", "-o", "server", "server.go", "verify.go", "routes.go"],
  },
] as const;

interface Call {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly claims: Claims;
}

/** `npm run stacks`: they take more than a test may. */
const isAsked = process.env["STACKS"] === "write";

test.for(STACKS)(
  "$name is conformant",
  { timeout: 600_000 },
  async ({ needs, runs, ...rest }, { skip }) => {
    const [program, ...args] = needs;
    skip(!isAsked, "npm run stacks");
    skip(spawnSync(program, args).status !== 0, `${needs.join(" ")} fails`);
    const folder = folderWith();
    for (const from of ["docs/stacks/code", "test/receivers/foreign"]) {
      cpSync(join(packageRoot, from), folder, { recursive: true });
    }
    expect(readdirSync(folder)).toContain("backend.py");
    const options = trusting(BUNDLED);
    writeFileSync(join(folder, "jwks.json"), JSON.stringify(options.jwks));
    if ("builds" in rest) {
      const [compiler, ...flags] = rest.builds;
      const { stderr } = spawnSync(compiler, flags, { cwd: folder, encoding: "utf8" });
      if (stderr !== "") throw new Error(stderr);
    }
    const baseUrl = await freeOrigin();
    const { serve, profile } = plainApi(options, "careful");
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method, url, body, claims } = JSON.parse(await text(request)) as Call;
      response.end(JSON.stringify(serve(method, url, body, claims)));
    };
    const backend = createServer((request, response) => void answer(request, response));
    const [command, ...words] = runs;
    const receiver = spawn(command, words, {
      cwd: folder,
      stdio: "ignore",
      env: {
        ...process.env,
        AUDIENCE: baseUrl,
        ISSUER: options.issuer,
        JWKS: join(folder, "jwks.json"),
        BACKEND: await listen(backend),
      },
    });
    try {
      await answering(baseUrl, receiver);
      const { finished, results } = await runAgainst(profile(baseUrl));
      expect(
        results
          .filter(({ outcome }) => outcome === "fail" || outcome === "warn")
          .map(({ id }) => id),
      ).toEqual([]);
      expect(finished.verdict).toBe("conformant");
    } finally {
      receiver.kill();
      await close(backend);
    }
  },
);

/** The origin of a free port. */
async function freeOrigin(): Promise<string> {
  const server = createServer();
  const origin = await listen(server);
  await close(server);
  return origin;
}

/** Waits until somebody answers, or the program has ended. */
async function answering(url: string, program: ChildProcess): Promise<void> {
  const ended = once(program, "exit").then(([code]) => {
    throw new Error(`it ended with ${code}`);
  });
  await Promise.race([vi.waitFor(() => fetch(url), { timeout: HANGS_MS, interval: 100 }), ended]);
}
