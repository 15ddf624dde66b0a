import { describe, expect, it } from "vitest";

import type { TrustFinding } from "../../src/doctor/expect-untrusted.ts";
import type { ReferenceOptions } from "../../src/reference/index.ts";
import { Refusal } from "../../src/reference/refusal.ts";
import { command, ioWith, refusal } from "./io.ts";
import { listen, receiver } from "./servers.ts";

const ELSEWHERE = "https://issuer.elsewhere.example";

/** The output of the command for a deployment, with the profile of a staging deployment that has another audience. */
async function look(
  baseUrl: string,
  ...more: string[]
): Promise<{ code: number; found: TrustFinding; out: string; err: string }> {
  const io = ioWith({ baseUrl: "http://127.0.0.1:1/staging", audience: "urn:staging" });
  const { code, out, err } = await command(["doctor", "--expect-untrusted", baseUrl, ...more], io);
  const isJson = more.includes("--json") && out !== "";
  return { code, out, err, found: (isJson ? JSON.parse(out) : {}) as TrustFinding };
}

async function lookAt(options: Omit<ReferenceOptions, "jwks">): ReturnType<typeof look> {
  const { baseUrl } = await receiver(options);
  return look(baseUrl, "--json");
}

describe("doctor --expect-untrusted", () => {
  it("exits 0 if good tokens are refused like forged ones, and sends only a few reads", async () => {
    const { code, found } = await lookAt({ issuer: ELSEWHERE, variants: ["statuses-all-403"] });
    expect([code, found.state]).toEqual([0, "untrusted"]);
    expect(found.requests).toBeLessThan(10);
  });

  it.each([
    ["at the first token", []],
    ["if another `typ` is needed", ["at-jwt-only"]],
  ])("exits 1 if the test issuer is trusted: %s", async (_what, variants) => {
    const { code, found } = await lookAt({ variants });
    expect([code, found.state]).toEqual([1, "trusted"]);
    expect(found.remedy).toContain("Take the test issuer out");
  });

  it("takes an answer that differs from the answer to a forged token as a sign of trust", async () => {
    const { code, found } = await lookAt({
      patches: [
        {
          applyPolicy: () => () => {
            throw new Refusal(403, "The subject is not known here.");
          },
        },
      ],
    });
    expect([code, found.state]).toEqual([1, "trusted"]);
    expect(found.detail).toContain("403 Forbidden, one with a forged signature 401 Unauthorized");
  });

  it("exits 3 if the answers do not show whether the issuer is trusted", async () => {
    for (const [status, body] of [[200, "<h1>Welcome</h1>"], [404], [500]] as const) {
      const { baseUrl } = await listen((_request, response) =>
        response.writeHead(status).end(body),
      );
      const shown = { code: 3, found: { state: "unknown" } };
      expect(await look(baseUrl, "--json")).toMatchObject(shown);
    }
  });

  it("exits 2 if nobody answers or two base URLs are given", async () => {
    expect((await look("http://127.0.0.1:1/")).code).toBe(2);
    expect(await refusal(look("http://127.0.0.1:1/", "http://127.0.0.1:2/"))).toContain(
      "--expect-untrusted takes the only base URL",
    );
  });

  it("prints the result as text, without any token", async () => {
    const { baseUrl } = await receiver();
    const { out } = await look(baseUrl);
    expect(out).toContain("TRUSTED");
    expect(out).toContain("https://issuer.example.com");
    expect(out).not.toContain("eyJ");
  });
});
