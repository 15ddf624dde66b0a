import { expect, test } from "vitest";

import { proxyFor } from "../../src/http/proxies.ts";

const PROXY = "http://proxy.example:3128";
const SYNC = "https://sync.example.com";
const IP = "https://10.1.2.3:8443";

test.each<[string, NodeJS.ProcessEnv, string | undefined]>([
  [SYNC, {}, undefined],
  [SYNC, { HTTPS_PROXY: "" }, undefined],
  [SYNC, { HTTPS_PROXY: PROXY }, PROXY],
  [SYNC, { https_proxy: PROXY, HTTPS_PROXY: "http://other.example" }, PROXY],
  [SYNC, { ALL_PROXY: PROXY, HTTP_PROXY: "http://other.example" }, PROXY],
  [SYNC, { http_proxy: PROXY }, PROXY],
  ["http://sync.example.com", { all_proxy: PROXY, HTTPS_PROXY: "http://other.example" }, PROXY],
  ["http://sync.example.com", { HTTPS_PROXY: PROXY }, undefined],
  [SYNC, { HTTPS_PROXY: "proxy.example:3128" }, PROXY],
  [SYNC, { HTTPS_PROXY: "https://proxy.example" }, "https://proxy.example"],
  ["http://127.0.0.1:3000", { HTTP_PROXY: PROXY }, undefined],
  ["http://[::1]:3000", { HTTP_PROXY: PROXY }, undefined],
  ...[
    "*",
    "sync.example.com",
    "a.example, .example.com",
    "*.example.com b",
    "SYNC.example.com:443",
  ].map((list): [string, NodeJS.ProcessEnv, undefined] => [
    SYNC,
    { HTTPS_PROXY: PROXY, NO_PROXY: list },
    undefined,
  ]),
  ...["", "ample.com", "sync.example.com:8443", "10.0.0.0/8", "http://sync.example.com"].map(
    (list): [string, NodeJS.ProcessEnv, string] => [
      SYNC,
      { HTTPS_PROXY: PROXY, no_proxy: list },
      PROXY,
    ],
  ),
  [IP, { HTTPS_PROXY: PROXY, NO_PROXY: "10.0.0.0/8" }, undefined],
  [IP, { HTTPS_PROXY: PROXY, NO_PROXY: "10.1.2.3" }, undefined],
  [IP, { HTTPS_PROXY: PROXY, NO_PROXY: "10.1.0.0/24,10.0.0.0/99" }, PROXY],
  ["https://[fd00::7]", { HTTPS_PROXY: PROXY, NO_PROXY: "fd00::/8" }, undefined],
  ["https://[fd00::7]", { HTTPS_PROXY: PROXY, NO_PROXY: "[fd00::7]:443" }, undefined],
])("%s with %o: %s", (origin, environment, proxy) => {
  expect(proxyFor(origin, environment)?.url.origin).toBe(proxy);
});

test.each([
  ["user:pass%40word@proxy.example", "user:pass@word"],
  ["http://user@proxy.example", "user:"],
  ["http://proxy.example", undefined],
])("the credentials in %s are %s", (value, credentials) => {
  const { authorization } = proxyFor(SYNC, { HTTPS_PROXY: value }) ?? {};
  const encoded = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  expect(authorization).toBe(encoded);
});

test.each([
  ["https_proxy", "http://[secret", "does not name an HTTP proxy"],
  ["HTTPS_PROXY", "http://user:secret%@proxy.example", "does not name an HTTP proxy"],
  ["ALL_PROXY", "socks5://user:secret@proxy.example", "names a SOCKS proxy"],
])("%s=%s is an error of the user that names the variable alone", (name, value, problem) => {
  const attempt = (): unknown => proxyFor(SYNC, { [name]: value });
  expect(attempt).toThrow(
    expect.objectContaining({
      code: "ERR_PROXY",
      message: `The environment variable ${name} ${problem}`,
    }),
  );
});
