import * as fc from "fast-check";
import { expect, test } from "vitest";

import { likeliestMiss, nearMisses, respellings } from "../../src/mutations/near-misses.ts";

function values(misses: ReturnType<typeof nearMisses>): Record<string, string> {
  return Object.fromEntries(misses.map(({ name, value }) => [name, value]));
}

test("every careless comparison of a base URL with a path has a near miss", () => {
  expect(values(nearMisses("https://sync.example.com:8443/common-grants"))).toEqual({
    longer: "https://sync.example.com:8443/common-grants.untrusted.example",
    shorter: "https://sync.example.com:8443/common-grant",
    preceded: "https://untrusted.example/?https://sync.example.com:8443/common-grants",
    embedded: "https://untrusted.example/?https://sync.example.com:8443/common-grants&x",
    listed: "https://untrusted.example https://sync.example.com:8443/common-grants",
    "listed-by-commas": "x,https://sync.example.com:8443/common-grants",
    "on-a-line": "https://untrusted.example\nhttps://sync.example.com:8443/common-grants",
    nul: "https://sync.example.com:8443/common-grants\0.untrusted.example",
    "regex-dot": "https://syncxexample.com:8443/common-grants",
    below: "https://sync.example.com:8443/common-grants/untrusted",
    query: "https://sync.example.com:8443/common-grants?x=1",
    fragment: "https://sync.example.com:8443/common-grants#x",
    user: "https://x@sync.example.com:8443/common-grants",
    userinfo: "https://sync.example.com:8443@untrusted.example/common-grants",
    scheme: "http://sync.example.com:8443/common-grants",
    port: "https://sync.example.com:8444/common-grants",
    "no-scheme": "sync.example.com:8443/common-grants",
    subdomain: "https://x.sync.example.com:8443/common-grants",
    "glued-host": "https://xsync.example.com:8443/common-grants",
    "host-only": "sync.example.com:8443",
    "origin-only": "https://sync.example.com:8443",
    sibling: "https://sync.example.com:8443/untrusted",
    "path-case": "https://sync.example.com:8443/COMMON-GRANTS",
  });
});

test.each([
  ["http://[::1]/api", { port: "http://[::1]:81/api", "no-scheme": "[::1]/api" }],
  [
    "https://h.example:65535",
    { port: "https://h.example:65534", shorter: "https://h.example:6553" },
  ],
  [
    "https://issuer.example/a/b/",
    { sibling: "https://issuer.example/a/untrusted", above: "https://issuer.example/a" },
  ],
  ["https://issuer.example/a/b/", { below: "https://issuer.example/a/b/untrusted" }],
  ["https://issuer.example?realm=a", { query: "https://issuer.example?realm=a&x=1" }],
  ["https://h.example/%2fa%2F", { "path-case": "https://h.example/%2fA%2F" }],
])("%s is split exactly as it is written", (right, some) => {
  expect(values(nearMisses(right))).toMatchObject(some);
});

test.each([
  ["https://issuer.example.com", ["host-only", "origin-only", "sibling", "above", "path-case"]],
  ["http://127.0.0.1:8080/api", ["subdomain", "glued-host"]],
  ["http://[::1]:8080/api", ["regex-dot", "subdomain", "glued-host"]],
  ["orgsync", ["regex-dot", "below", "fragment", "user", "scheme", "port", "userinfo"]],
])("%s has no near misses for parts that it lacks", (right, lacking) => {
  const names = nearMisses(right).map(({ name }) => name);
  expect(names).toContain("longer");
  for (const name of lacking) expect(names).not.toContain(name);
});

test.each([
  [
    "https://h.example/a",
    ["https://h.example/a/", "https://H.EXAMPLE/a", "https://h.example:443/a"],
  ],
  ["http://h.example:80/", ["http://h.example:80", "http://H.EXAMPLE:80/", "http://h.example/"]],
  ["http://127.0.0.1:8080", ["http://127.0.0.1:8080/"]],
  ["orgsync", []],
])("%s has these other spellings", (right, spellings) => {
  expect(respellings(right).map(({ value }) => value)).toEqual(spellings);
});

const urls = fc
  .record({
    scheme: fc.constantFrom("http", "https"),
    host: fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((address) => `[${address}]`),
    ),
    port: fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }),
    path: fc.stringMatching(/^(\/[a-z\d-]{1,8}){0,3}\/?$/),
  })
  .map(({ scheme, host, port, path }) => `${scheme}://${host}${port ? `:${port}` : ""}${path}`)
  .filter((url) => URL.canParse(url));

/** The normal form of a URL, without a trailing slash. */
function normal(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/$/, "") : url;
}

test("no near miss is equal to the URL after normalization", () => {
  fc.assert(
    fc.property(urls, (right) => {
      const misses = nearMisses(right);
      expect(new Set(misses.map(({ name }) => name)).size).toBe(misses.length);
      for (const { name, value } of misses) {
        expect([name, normal(value)]).not.toEqual([name, normal(right)]);
      }
    }),
  );
});

test("every respelling is equal to the URL after normalization", () => {
  fc.assert(
    fc.property(urls, (right) => {
      for (const { value } of respellings(right)) {
        expect(value).not.toBe(right);
        expect(normal(value)).toBe(normal(right));
      }
    }),
  );
});

test.each([
  ["https://issuer.example.com/realm", "https://issuer.example.com/realm/untrusted"],
  ["https://issuer.example.com", "https://issuer.example.com/untrusted"],
  ["orgsync", "orgsync.untrusted.example"],
])("the likeliest near miss of %s starts with it", (right, value) => {
  expect(likeliestMiss(right).map((miss) => miss.value)).toEqual([value]);
});
