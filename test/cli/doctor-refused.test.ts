import { createServer, type RequestListener } from "node:http";
import {
  createSecureServer as createHttp2Server,
  createServer as createPlainHttp2Server,
} from "node:http2";
import { createServer as createTlsServer } from "node:https";
import { createServer as createRawServer, type Server } from "node:net";
import { join } from "node:path";
import type { TlsOptions as ServerOptions } from "node:tls";

import { describe, expect, it } from "vitest";

import type { Check } from "../../src/doctor/check.ts";
import { generateKeys } from "../../src/keys/generate.ts";
import { CERTIFICATE, INTERMEDIATE, KEY, LEAF, OTHER_HOST, ROOT } from "../http/certificate.ts";
import { close, listen as listenAnywhere, listening } from "../support/listening.ts";
import { doctor, doctorOf, type Patch, type Profile } from "./doctor.ts";
import { command, createIo } from "./io.ts";
import { listen } from "./servers.ts";

const OWN = { cert: CERTIFICATE, key: KEY };
const DEMANDING = { ca: CERTIFICATE, requestCert: true, rejectUnauthorized: true };
const FILES = {
  "self.pem": CERTIFICATE,
  "root.pem": ROOT,
  "intermediate.pem": INTERMEDIATE,
  "other.pem": OTHER_HOST,
};

const answerBriefly: RequestListener = (_request, response) => void response.writeHead(401).end();

/** A maker of servers: only those of tests that run are made. */
type Made = () => Server;

function tls(options: ServerOptions = {}): Made {
  return () => createTlsServer({ ...OWN, ...options }, answerBriefly);
}

function refuseName(_name: string, done: (error: Error) => void): void {
  done(new Error("no such name"));
}

describe("doctor, when good tokens are refused", () => {
  it.each(
    Object.entries<[Patch, string, Check["side"], RegExp, string[]]>({
      "the issuer is wrong": [
        { testIssuer: { url: "https://wrong.example" } },
        "token.issuer",
        "deployment",
        /does not trust https:\/\/wrong\.example\. It says: The access token's issuer/,
        ["token.key.RS256"],
      ],
      "the audience is wrong": [
        { audience: "https://wrong.example" },
        "token.audience",
        "profile",
        /https:\/\/wrong\.example is not the deployment's own base URL/,
        ["token.key.RS256", "token.issuer"],
      ],
      "there is nothing at that path": [
        ({ baseUrl }) => ({ baseUrl: `${String(baseUrl)}/v9` }),
        "connection.answers",
        "profile",
        /^There is nothing at .*\/v9\. /,
        ["connection.reachable", "connection.redirect"],
      ],
      "the base URL ends in the first route": [
        ({ baseUrl }) => ({ baseUrl: `${String(baseUrl)}/orgs` }),
        "connection.answers",
        "profile",
        /^The base URL .*\/orgs ends in \/orgs, and the routes/,
        ["connection.reachable", "connection.redirect"],
      ],
    }),
  )("names the failing check: %s", async (_what, [patch, id, side, detail, before]) => {
    const { code, found, problems, of } = await doctorOf(patch);
    expect(code).toBe(3);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ id, side, state: "problem" });
    expect(problems[0]?.detail).toMatch(detail);
    expect(problems[0]?.remedy).toBeTruthy();
    for (const passed of before) expect(of(passed).state).toBe("ok");
    const after = [
      "token.subject",
      "token.typ",
      "organization.primary",
      "operation.viewOrganization",
    ];
    for (const later of after) {
      expect(of(later).state).toBe("unknown");
      expect(of(later).detail).toMatch(/known once .* is right$/);
    }
    expect(found.requests).toBeLessThan(40);
  });

  it("names the key when the deployment trusts other keys", async () => {
    const io = createIo();
    await generateKeys(join(io.cwd, "keys"), { algorithms: ["RS256"] });
    const testIssuer = { keys: join(io.cwd, "keys"), algorithms: ["RS256"] };
    const { code, problems } = await doctorOf({ testIssuer });
    expect(code).toBe(3);
    expect(problems.map(({ id }) => id)).toEqual(["token.key.RS256"]);
    expect(problems[0]?.detail).toContain("does not know the test issuer's key");
  });

  it("reports a redirect and its destination", async () => {
    const { baseUrl } = await listen(({ url }, response) => {
      response.writeHead(308, { location: `https://elsewhere.example${url}` }).end();
    });
    const { code, found, problems } = await doctor({ baseUrl });
    expect(code).toBe(3);
    expect(problems[0]).toMatchObject({ id: "connection.redirect", side: "profile" });
    expect(problems[0]?.detail).toContain("to https://elsewhere.example/base/orgs");
    expect(found.requests).toBeLessThan(10);
  });

  it.each<[string, number, Record<string, string>, string]>([
    ["fails", 500, {}, "connection.answers"],
    ["limits", 429, { "retry-after": "9999" }, "connection.available"],
  ])("reports a deployment that %s everything", async (_what, status, headers, id) => {
    const { baseUrl } = await listen((_request, response) => {
      response.writeHead(status, headers).end();
    });
    const { code, problems, of } = await doctor({ baseUrl });
    expect([code, problems[0]?.id, problems[0]?.side]).toEqual([3, id, "deployment"]);
    expect(problems[0]?.detail).toContain(String(status));
    expect(of("token.issuer").state).toBe("unknown");
  });

  it("escapes everything that a deployment sends", async () => {
    const { baseUrl } = await listen((_request, response) => {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ status: 401, message: "\u001b[2J\u202eno", errors: [] }));
    });
    const io = createIo();
    const { out } = await command(["doctor", baseUrl], io);
    expect(out).toContain("It says: \\u{1b}[2J\\u{202e}no");
  });
});

describe("doctor, when nobody answers", () => {
  it("exits 2 when nobody listens, and marks all other checks as not known", async () => {
    const server = createRawServer();
    const baseUrl = await listenAnywhere(server);
    await close(server);
    const { code, found, problems, of } = await doctor({ baseUrl });
    expect([code, found.state]).toEqual([2, "unreachable"]);
    expect(problems.slice(0, 1)).toMatchObject([{ id: "connection.reachable", side: "network" }]);
    expect(problems[0]?.detail).toMatch(/ECONNREFUSED/);
    for (const id of ["connection.clock", "token.issuer", "operation.listOrganizations"]) {
      expect(of(id).detail).toMatch(/known once the base URL is right$/);
    }
  });

  it("exits 2 when the host is unknown or does not answer in time", async () => {
    const io = createIo();
    await generateKeys(join(io.cwd, "keys"), { algorithms: ["ES256"] });
    const testIssuer = { keys: join(io.cwd, "keys") };
    const nowhere = await doctor({ baseUrl: "http://no-such-host.invalid", testIssuer });
    expect(nowhere.code).toBe(2);
    expect(nowhere.problems[0]?.id).toBe("connection.reachable");
    const { baseUrl } = await listen(() => {});
    const silent = await doctor({ baseUrl, request: { timeoutMs: 50 } });
    expect(silent.code).toBe(2);
    expect(silent.problems[0]?.remedy).toMatch(/firewall.*request\.timeoutMs/);
  });

  it.each(
    Object.entries<[serve: Made, check: string, remedy: RegExp, ca?: keyof typeof FILES]>({
      "plain http": [
        () => createServer(answerBriefly),
        "tls, profile",
        /is the URL http:\/\/localhost:\d+\?$/,
      ],
      "HTTP/2 alone": [() => createHttp2Server(OWN), "tls, deployment", /only HTTP\/2/, "self.pem"],
      "a certificate that nobody knows": [
        tls(),
        "tls, profile",
        /signed by itself.*`request\.ca`\.$/,
      ],
      "a certificate that request.ca does not hold": [
        tls(),
        "tls, profile",
        /`request\.ca` holds another one/,
        "root.pem",
      ],
      "a certificate without its intermediate one": [
        tls({ cert: LEAF }),
        "tls, deployment",
        /let the server send that certificate too; otherwise .* `request\.ca`\.$/,
        "root.pem",
      ],
      "the same, and no request.ca": [
        tls({ cert: LEAF }),
        "tls, deployment",
        /let the server send that certificate too; if it is/,
      ],
      "a chain to another authority": [
        tls({ cert: `${LEAF}\n${INTERMEDIATE}` }),
        "tls, profile",
        /^`request\.ca` is another authority/,
        "self.pem",
      ],
      "a chain, and an intermediate authority in request.ca": [
        tls({ cert: LEAF }),
        "tls, profile",
        /add the root authority/,
        "intermediate.pem",
      ],
      "a certificate for another host": [
        tls({ cert: OTHER_HOST }),
        "tls, profile",
        /for another host: .*baseUrl.* for localhost\.$/,
        "other.pem",
      ],
      "no host of that name": [
        tls({ SNICallback: refuseName }),
        "reachable, network",
        /no host of the name localhost/,
        "self.pem",
      ],
      "a demand for a client certificate": [
        tls(DEMANDING),
        "tls, profile",
        /^The server demands a client certificate: .*`request\.cert` and `request\.key`/,
        "self.pem",
      ],
      "the same in TLS 1.2": [
        tls({ ...DEMANDING, maxVersion: "TLSv1.2" }),
        "tls, deployment",
        /may demand a client certificate.*request\.cert/,
        "self.pem",
      ],
      "no version of TLS that this machine has": [
        tls({ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }),
        "tls, deployment",
        /must offer TLS 1\.2 or 1\.3/,
        "self.pem",
      ],
    }),
  )("advises what helps when an https URL meets %s", async (_what, [serve, check, remedy, ca]) => {
    const { code, problems } = await doctorAt(serve(), "https", { ca });
    const [first] = problems;
    expect([code, `${first?.id}, ${first?.side}`]).toEqual([2, `connection.${check}`]);
    expect(first?.remedy).toMatch(remedy);
  });

  it.each(
    Object.entries<[serve: Made, remedy: RegExp]>({
      "closes the connection": [tls(), /if TLS is spoken there, it is https:\/\/localhost:\d+\.$/],
      "answers in TLS": [
        () => createRawServer((socket) => void socket.end("\x15\x03\x01\0\x02\x02\x46", "latin1")),
        /if TLS is spoken there/,
      ],
      "says so": [
        () =>
          createServer(
            (_request, response) =>
              void response.writeHead(400).end("Client sent an HTTP request to an HTTPS server.\n"),
          ),
        /if TLS is spoken there/,
      ],
      "answers in HTTP/2": [() => createPlainHttp2Server(), /only HTTP\/2/],
    }),
  )(
    "advises what helps when an http URL meets a server of another protocol that %s",
    async (_what, [serve, remedy]) => {
      const { code, problems } = await doctorAt(serve(), "http");
      expect([code, problems[0]?.id]).toEqual([2, "connection.reachable"]);
      expect(problems[0]?.remedy).toMatch(remedy);
    },
  );

  it("trusts a chain to the authority of request.ca", async () => {
    const serve = tls({ cert: `${LEAF}\n${INTERMEDIATE}` });
    const { code, of } = await doctorAt(serve(), "https", { ca: "root.pem" });
    expect([code, of("connection.tls").state]).toEqual([3, "ok"]);
  });
});

/** The output of `doctor` for a server at localhost that lives as long as the test. */
async function doctorAt(
  server: Server,
  scheme: "http" | "https",
  request: Profile = {},
): ReturnType<typeof doctor> {
  server.on("tlsClientError", () => {});
  const { port } = new URL(await listening(server));
  return doctor({ baseUrl: `${scheme}://localhost:${port}`, request }, FILES);
}
