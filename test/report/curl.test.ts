import { execFileSync } from "node:child_process";

import { describe, expect, it } from "vitest";

import type { Exchange } from "../../src/http/exchange.ts";
import { curlCommand } from "../../src/report/curl.ts";
import { isPrintable } from "../../src/report/untrusted.ts";

type Request = Exchange["request"];

function lines(request: Partial<Request>): string[] {
  return curlCommand({ request: { method: "GET", url: "http://h/orgs", headers: [], ...request } });
}

/** The arguments that a shell would pass to curl. */
function argumentsOf(request: Partial<Request>, shell = "sh"): string[] {
  const script = `TOKEN=secret\ncurl() { printf '%s\\0' "$@"; }\n${lines(request).join("\n")}\n`;
  return execFileSync(shell, ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

describe("curl", () => {
  it("is one command on several lines, with the token in a variable", () => {
    const request = {
      method: "PATCH",
      headers: [
        ["accept", "application/json"],
        ["conformance-case", "receiver.expiry/hour-ago@editOrganization"],
        ["content-type", "application/json"],
        ["authorization", "Bearer [redacted]"],
      ] as const,
      body: '{"mission":"it\'s"}',
    };
    expect(lines(request).join("\n")).toMatchInlineSnapshot(`
      "curl -i -X PATCH 'http://h/orgs' \\
        -H 'accept: application/json' \\
        -H 'conformance-case: receiver.expiry/hour-ago@editOrganization' \\
        -H 'content-type: application/json' \\
        -H "authorization: Bearer $TOKEN" \\
        --data-raw '{"mission":"it'\\''s"}'"
    `);
    expect(argumentsOf(request)).toEqual([
      "-i",
      "-X",
      "PATCH",
      "http://h/orgs",
      "-H",
      "accept: application/json",
      "-H",
      "conformance-case: receiver.expiry/hour-ago@editOrganization",
      "-H",
      "content-type: application/json",
      "-H",
      "authorization: Bearer secret",
      "--data-raw",
      '{"mission":"it\'s"}',
    ]);
  });

  it.each(["$(reboot)", "`reboot`", "a'b", 'a"b', "a\\b", "!!", "-x", "$HOME", "a b", "ü😀"])(
    "passes %s through a shell unchanged",
    (value) => {
      const request = { url: `http://h/${value}`, headers: [["x-a", value]] as const, body: value };
      const passed = argumentsOf(request);
      expect(passed).toEqual(
        expect.arrayContaining([`http://h/${value}`, `x-a: ${value}`, "--data-raw", value]),
      );
    },
  );

  it("shows control characters as escapes, and still passes them", () => {
    const body = "\u001B[2J\r\n\u202E'\\ü1";
    expect(lines({ body }).every((line) => isPrintable(line))).toBe(true);
    expect(argumentsOf({ body }, "bash")).toContain(body);
  });

  it.each([
    ["authorization", "Basic [redacted]", "authorization: Basic secret"],
    ["Authorization", "[redacted]", "Authorization: secret"],
    ["authorization", 'DPoP "[redacted]"', 'authorization: DPoP "secret"'],
    ["x-api-key", "[redacted]", "x-api-key: [redacted]"],
    ["authorization", "", "authorization;"],
  ])("%s: %s", (name, value, passed) => {
    expect(argumentsOf({ headers: [[name, value]] })).toContain(passed);
  });

  it("puts the token into a URL or a body where it was", () => {
    const request = { url: "http://h/?t=[redacted token]", body: "t=[redacted]&a='" };
    expect(argumentsOf(request)).toEqual(
      expect.arrayContaining(["http://h/?t=secret", "t=secret&a='"]),
    );
  });

  it("prevents curl from changing the request", () => {
    expect(argumentsOf({ url: "http://h/orgs/../x" })).toContain("--path-as-is");
    expect(argumentsOf({ url: "http://[::1]:80/{a}" })).toContain("--globoff");
    expect(argumentsOf({ body: "x" })).toEqual(
      expect.arrayContaining(["-X", "GET", "content-type:"]),
    );
    expect(argumentsOf({ method: "HEAD" })).toContain("--head");
    expect(argumentsOf({})).toEqual(["-i", "http://h/orgs"]);
  });
});
