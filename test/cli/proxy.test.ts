import { connect } from "node:net";
import { createServer as createTlsServer } from "node:tls";

import { afterEach, describe, expect, test, vi } from "vitest";

import { CERTIFICATE, KEY } from "../http/certificate.ts";
import { listening } from "../support/listening.ts";
import { startProxy } from "../support/proxy.ts";
import { command, ioWith, reportIn } from "./io.ts";
import { receiver } from "./servers.ts";

/** The profile of a receiver as `sync.example`, and the port that answers for it. */
async function far(scheme: string): Promise<{ profile: object; port: number }> {
  const { baseUrl, profile } = await receiver();
  const { port, hostname, pathname } = new URL(baseUrl);
  const named = { ...profile, audience: baseUrl, baseUrl: `${scheme}://sync.example${pathname}` };
  if (scheme === "http") return { profile: named, port: Number(port) };
  const front = createTlsServer({ key: KEY, cert: CERTIFICATE }, (socket) => {
    const target = connect(Number(port), hostname);
    for (const one of [socket, target]) one.on("error", () => {});
    socket.pipe(target).pipe(socket);
  });
  const request = { ca: "ca.pem" };
  return { profile: { ...named, request }, port: Number(new URL(await listening(front)).port) };
}

describe("a proxy of the environment", () => {
  const CA = { "ca.pem": CERTIFICATE };
  afterEach(() => void vi.unstubAllEnvs());
  const CREDENTIALS = "user:proxy-pass@word";
  const ESCAPED = "user:proxy-pass%40word";
  // Headers and bytes that proxies keep to themselves are sent too.
  const RULE = ["run", "--allow-bundled-keys", "--rule", "receiver.token-required/*@listOrg*"];

  test.each([
    ["http", "HTTP_PROXY", "http://", undefined],
    ["http", "all_proxy", "", CREDENTIALS],
    ["https", "ALL_PROXY", "", undefined],
    ["https", "https_proxy", "http://", CREDENTIALS],
  ])(
    "carries all requests to an %s target: %s=%s…, %s",
    async (scheme, variable, prefix, wanted) => {
      const { profile, port } = await far(scheme);
      const { host, asked } = await startProxy(port, wanted);
      vi.stubEnv(variable, `${prefix}${wanted === undefined ? "" : `${ESCAPED}@`}${host}`);
      const { code, out, err, io } = await command(RULE, ioWith(profile, CA));
      expect(code).toBe(0);
      expect(new Set(asked)).toEqual(new Set([`sync.example:${scheme === "http" ? 80 : 443}`]));
      expect(reportIn(io).verdict).toBe("partial");
      expect(out + err + JSON.stringify(reportIn(io))).not.toContain("proxy-pass");
    },
  );

  test.each([
    ["wants credentials", { wanted: CREDENTIALS }, /wants a user and password.*HTTPS_PROXY/],
    ["refuses", {}, /403 Forbidden[^]*HTTPS_PROXY.*CONNECT/],
    ["is not there", { host: "127.0.0.1:9" }, /ECONNREFUSED[^]*HTTPS_PROXY/],
    ["is a SOCKS proxy", { host: "socks5://127.0.0.1:9" }, /HTTPS_PROXY names a SOCKS proxy/],
  ])(
    "that %s is named, with its variable",
    async (_what, { wanted, host }: { wanted?: string; host?: string }, named) => {
      vi.stubEnv("HTTPS_PROXY", host ?? (await startProxy(undefined, wanted)).host);
      const { code, err } = await command(RULE, ioWith({ baseUrl: "https://sync.example/x" }));
      expect([code, err]).toEqual([2, expect.stringMatching(named)]);
    },
  );
});
