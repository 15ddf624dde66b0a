import { expect, test, vi } from "vitest";

import type { Exchange, HttpRequest } from "../../src/http/exchange.ts";
import { createRedactor } from "../../src/http/recording/redact.ts";
import { profileFromObject } from "../../src/profile/load.ts";
import { response, sender, type SenderOptions, talking } from "./wire.ts";

const HEADER = "eyJhbGciOiJSUzI1NiJ9";
const SIGNATURE = "c2lnbmF0dXJlLXRoYXQtaXMtbG9uZy1lbm91Z2g";
const TOKEN = `${HEADER}.eyJzdWIiOiJtZSJ9.${SIGNATURE}`;
const FOREIGN = `${HEADER}.eyJzdWIiOiJzb21lYm9keS1lbHNlIn0.Zm9yZWlnbg`;

/** The record of a request, and of an answer with the given body. */
async function recorded(
  body: string,
  options: SenderOptions = {},
  spec: Partial<HttpRequest> = {},
  lines: readonly string[] = [],
): Promise<{ exchange: Exchange; all: string; json: unknown }> {
  const { send } = await talking(options, response(401, body, ...lines));
  const reply = await send(spec, { token: TOKEN });
  const { exchange } = reply;
  return { exchange, all: JSON.stringify(exchange), json: reply.json() };
}

test("the token is not recorded: not in the request, its URL, its body or the response", async () => {
  const { exchange, all } = await recorded(
    JSON.stringify({ message: `"${TOKEN}" of ${SIGNATURE}`, again: encodeURIComponent(TOKEN) }),
    {},
    {
      method: "POST",
      path: `/base/orgs?access_token=${TOKEN}`,
      headers: [
        ["authorization", `Bearer ${TOKEN}`],
        ["x-other", `a ${TOKEN}`],
      ],
      body: JSON.stringify({ token: TOKEN }),
    },
    [`WWW-Authenticate: Bearer error_description="${TOKEN}"`, `Location: /?t=${SIGNATURE}`],
  );
  expect(all).not.toContain(SIGNATURE);
  expect(all).not.toContain(TOKEN);
  expect(exchange.request.headers).toContainEqual(["authorization", "Bearer [redacted]"]);
  expect(exchange.request.url).toMatch(/\?access_token=\[redacted\]$/);
});

test.each([
  ["in a sentence", `no ${FOREIGN}, please`],
  ["after an escape", `"\\n${FOREIGN}"`],
  ["in a URL", `https://x.example/?t=${FOREIGN}&u=1`],
  ["as a JWE", `${HEADER}.a.b.c.d`],
  ["without its signature", FOREIGN.slice(0, FOREIGN.lastIndexOf(".") + 1)],
])("a token of somebody else is redacted too: %s", async (_where, body) => {
  const { all } = await recorded(body);
  expect(all).toContain("[redacted token]");
  expect(all).not.toMatch(/eyJ[\w-]+\./);
});

test.each(["eyJ", "eyJust a word.", "x.eyJ.y", "see greyJar.example"])(
  "text that is not a token is kept: %s",
  async (body) => {
    expect((await recorded(body)).exchange.response?.body).toBe(body);
  },
);

test("the authentication scheme is recorded, but no credential", async () => {
  const headers = [
    ["authorization", "Basic dXNlcjpwYXNz"],
    ["authorization", "no-scheme-at-all"],
    ["authorization", ""],
    ["cookie", "session=abc"],
  ] as const;
  const { exchange } = await recorded("", {}, { headers });
  expect(exchange.request.headers.filter(([name]) => /authorization|cookie/.test(name))).toEqual([
    ["authorization", "Basic [redacted]"],
    ["authorization", "[redacted]"],
    ["authorization", ""],
    ["cookie", "[redacted]"],
  ]);
});

test.each(["set-cookie", "x-session-token", "x-new-api-key"])(
  "what the deployment hands out is not recorded: %s",
  async (name) => {
    const { exchange } = await recorded("", {}, {}, [`${name}: secret-of-theirs`]);
    expect(exchange.response?.headers[name]).toBe("[redacted]");
  },
);

test.each([
  "X-Api-Key",
  "Cookie",
  "X-Auth-Token",
  "X-Client-Secret",
  "Ocp-Apim-Subscription-Key",
  "X-Password",
  "X-Credential",
])(
  "a profile header whose name indicates a credential is recorded without its value: %s",
  async (name) => {
    const profile = { request: { headers: { [name]: "k3y" } } };
    const { exchange } = await recorded("k3y", { profile });
    expect(exchange.request.headers).toContainEqual([name.toLowerCase(), "[redacted]"]);
  },
);

test("a credential of the profile is redacted in a response, whole or in part", async () => {
  const profile = {
    request: { headers: { "X-Auth": "Basic dXNlcjpodW50ZXIy", Cookie: "sid=abcdef123; x=1" } },
  };
  const { all } = await recorded("dXNlcjpodW50ZXIy, hunter2, abcdef123", { profile });
  expect(all).not.toMatch(/dXNlcjpodW50ZXIy|hunter2|abcdef123/);
});

test("other profile headers are recorded unchanged", async () => {
  const profile = { request: { headers: { "X-Tenant": "blue" } } };
  const { exchange } = await recorded("blue", { profile });
  expect(exchange.request.headers).toContainEqual(["x-tenant", "blue"]);
  expect(exchange.response?.body).toBe("blue");
});

test("a value from the environment is redacted in every spelling and place", async () => {
  vi.stubEnv("TOP_SECRET", 'a "b"/ü\n');
  const loaded = profileFromObject({
    baseUrl: "http://127.0.0.1:9",
    subject: "${env:TOP_SECRET}",
  });
  vi.unstubAllEnvs();
  expect(loaded.secrets).toEqual(['a "b"/ü\n']);
  const { http, exchanges } = await talking(
    {
      change: (own) => ({ ...own, secrets: loaded.secrets }),
    },
    response(400, String.raw`{"m":"a \"b\"/Ã¼\n","u":"a%20%22b%22%2F%C3%BC%0A"}`),
  );
  const reply = await http.send(
    { method: "PATCH", path: "/base", headers: [], body: loaded.profile.subject },
    {
      caseId: "a/b",
      tokenNote: { claims: { sub: loaded.profile.subject, deep: [loaded.profile.subject] } },
    },
  );
  // Rules judge the answer as it came.
  expect(reply.json()).toEqual({ m: 'a "b"/ü\n', u: "a%20%22b%22%2F%C3%BC%0A" });
  expect(exchanges[0]?.response?.body).toBe('{"m":"[redacted]","u":"[redacted]"}');
  expect(exchanges[0]?.redactions).toContainEqual({ place: "response.body", kind: "secret" });
  expect(exchanges[0]?.request).toMatchObject({
    body: "[redacted]",
    token: { claims: { sub: "[redacted]", deep: ["[redacted]"] } },
  });
});

test("a short secret in a record is redacted as a whole word, and the JSON that is judged is as it came", async () => {
  const { json, exchange } = await recorded('{"status":4012,"n":"4012","m":"x4012x"}', {
    change: (target) => ({ ...target, secrets: ["4012"] }),
  });
  expect(json).toEqual({ status: 4012, n: "4012", m: "x4012x" });
  expect(exchange.response?.body).not.toMatch(/[^x]4012[^x]/);
});

test("a short secret is redacted as a whole word only, and a long one anywhere", () => {
  const redact = createRedactor(["prod", "a-secret-that-is-long", "abc"]);
  expect(redact("prod product a prod.")).toBe("[redacted] product a [redacted].");
  expect(redact("xa-secret-that-is-longx abc")).toBe("x[redacted]x abc");
});

test("special characters of regular expressions in a secret are only text", () => {
  expect(createRedactor(["$&.*+?^(["])("$&.*+?^([ $1")).toBe("[redacted] $1");
});

const MINUTE_US = 60_000_000;

test.each<[string, string]>([
  ["the beginnings of tokens", "eyJ".repeat(1_400_000)],
  ["one word", "a".repeat(4_200_000)],
  ["dots", "eyJabcde".padEnd(4_200_000, ".")],
  ["words that begin like tokens", "eyJ. ".repeat(840_000)],
])("four megabytes of %s are redacted quickly", (_what, text) => {
  const redact = createRedactor(["a-secret", "another-secret"]);
  const before = process.cpuUsage();
  redact(text);
  // An algorithm that is slower than linear would take hours.
  expect(process.cpuUsage(before).user).toBeLessThan(MINUTE_US);
});

test("error messages contain no secrets", async () => {
  const { send } = sender("http://127.0.0.1:9", {
    change: (target) => ({
      ...target,
      origin: "http://secret-host.invalid",
      secrets: ["secret-host"],
    }),
  });
  vi.stubEnv("http_proxy", "");
  const { exchange } = await send();
  expect(exchange.fault?.kind).toBe("unreachable");
  expect(JSON.stringify(exchange)).not.toContain("secret-host");
  vi.unstubAllEnvs();
});

test.each([
  [
    "JSON escapes",
    (text: string) => text.replaceAll(/[+/.-]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
  ],
  ["base64", (text: string) => Buffer.from(text).toString("base64")],
  [
    "base64url together with other text",
    (text: string) => Buffer.from(`Bearer ${text}`).toString("base64url"),
  ],
  ["percent-encoding", (text: string) => text.replaceAll(".", "%2e").replaceAll("-", "%2D")],
])("an echo of the token in %s cannot be used from a report", async (_what, spelt) => {
  const echo = spelt(TOKEN);
  const { all } = await recorded(`{"echo":"${echo}","${echo}":1}`);
  expect(all).toContain("[redacted");
  expect(all).not.toContain(echo.slice(-40));
  expect(all).not.toContain(JSON.stringify(echo).slice(-40, -1));
  expect(all).not.toContain(SIGNATURE);
});

test("the token of another exchange is recognised in base64 too", async () => {
  const { all } = await recorded(Buffer.from(FOREIGN).toString("base64"));
  expect(all).not.toContain("ZXlK");
});

test("a Basic password is redacted with all its colons, alone and with its user", async () => {
  const pair = "user:first-part:second-part";
  const profile = {
    request: { headers: { "X-Auth": `Basic ${Buffer.from(pair).toString("base64")}` } },
  };
  const { all } = await recorded(
    `first-part:second-part; second-part; ${Buffer.from(pair).toString("base64url")}`,
    { profile },
  );
  expect(all).not.toMatch(/first-part|second-part|dXNlcjpmaXJz/);
});

test.each(["Zx81kQp0LmVt72Ws", "d41d8cd98f00b204e9800998ecf8427e", "gw 4eC39HqLyjWDarjtT1zdp7dc"])(
  "a random-looking header value is secret, whatever its name: %s",
  async (value) => {
    const profile = { request: { headers: { "X-Gateway": value } } };
    const { all } = await recorded(`<p>${value}</p>`, { profile });
    expect(all).not.toContain(value.slice(-16));
  },
);

test.each([
  "550e8400-e29b-41d4-a716-446655440000",
  "application/vnd.example.v2+json",
  "2031-01-31T10:00:00Z",
  "conformance-tests-of-team-blue",
])("a header value that is not a key is kept: %s", async (value) => {
  const profile = { request: { headers: { "X-Tenant": value } } };
  const { exchange } = await recorded(value, { profile });
  expect(exchange.response?.body).toBe(value);
});
