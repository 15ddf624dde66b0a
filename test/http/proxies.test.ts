import { expect, test } from "vitest";

import { mayBeProxied } from "../../src/http/proxies.ts";

const PROXY = "http://proxy.example:3128";

test.each<[string, NodeJS.ProcessEnv, boolean]>([
  ["https://sync.example.com", { HTTPS_PROXY: PROXY }, true],
  ["https://sync.example.com", { http_proxy: PROXY }, true],
  ["https://sync.example.com", { HTTPS_PROXY: "" }, false],
  ["https://sync.example.com", {}, false],
  ["http://127.0.0.1:3000", { HTTP_PROXY: PROXY }, false],
  ["http://[::1]:3000", { HTTP_PROXY: PROXY }, false],
])("%s with %o: %s", (origin, environment, proxied) => {
  expect(mayBeProxied(origin, environment)).toBe(proxied);
});
