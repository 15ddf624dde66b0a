import { generateKeyPairSync, randomUUID, sign } from "node:crypto";

import { changed, type HostileTarget } from "./targets.ts";

/** Targets that repeat what they were sent, in a way that a report must not show. */

const SECRET = "Zx81kQp0LmVt72WsRb5N";
const KEY = "k9Yw3Hd7Tq2Xv8Lm";

const hex = (character: string, digits = 1): string =>
  character.charCodeAt(0).toString(16).padStart(digits, "0");
const spelt = (text: string, spell: (character: string) => string): string =>
  Array.from(text, spell).join("");
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** A text in every way in which a reader could read it. */
function spellingsOf(text: string): readonly string[] {
  return [
    text,
    text.toUpperCase(),
    spelt(text, (one) => `%${hex(one)}`),
    spelt(text, (one) => `%u${hex(one, 4)}`),
    spelt(text, (one) => `&#${one.charCodeAt(0)}`),
    spelt(text, (one) => `&#0000000${one.charCodeAt(0)};`),
    spelt(text, (one) => `&#x${hex(one, 12)};`),
    spelt(text, (one) => `\\u{${hex(one)}}`),
    base64(text),
    base64(`user:${text}`).replace(/=+$/, ""),
    base64(base64(text)),
    base64(text).replaceAll(/.{8}/g, "$&\r\n"),
    text.replaceAll(/.{4}/g, "$& "),
    text.replaceAll(/.{4}/g, "$&\n"),
    text.replaceAll(/.{4}/g, "$&\u200B"),
    Buffer.from(text).toString("hex"),
    Buffer.from(text).toString("hex").toUpperCase(),
  ];
}

/** The spellings of secrets that occur in a text as it stands, or as JSON holds it. */
export function leaksIn(text: string, secrets: readonly string[]): string[] {
  return secrets
    .flatMap(spellingsOf)
    .filter((one) => [one, JSON.stringify(one).slice(1, -1)].some((as) => text.includes(as)));
}

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

function signedToken(issuer: string, audience: string): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, sub: "service", aud: audience, iat, exp: iat + 300 };
  const parts = [
    { alg: "ES256", kid: "1" },
    { ...claims, scope: "org:read", jti: randomUUID() },
  ];
  const text = parts.map((one) => Buffer.from(JSON.stringify(one)).toString("base64url")).join(".");
  const signature = sign("sha256", Buffer.from(text), {
    key: privateKey,
    dsaEncoding: "ieee-p1363",
  });
  return `${text}.${signature.toString("base64url")}`;
}

const otherCase = (text: string): string =>
  spelt(text, (one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase()));

export const LEAKS: readonly HostileTarget[] = [
  {
    name: "an authorization server that repeats wrong secrets",
    answer(request, response, genuine) {
      const { url = "", headers } = request;
      const issuer = `http://${headers.host}/as`;
      const answered = (status: number, body: unknown): void =>
        void response
          .writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
          .end(JSON.stringify(body));
      if (url === "/as/jwks") {
        return answered(200, { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1" }] });
      }
      if (url !== "/as/token") {
        return genuine().then(
          (own) => void response.writeHead(own.status, own.headers).end(own.body),
        );
      }
      const pair = Buffer.from(headers.authorization?.split(" ")[1] ?? "", "base64").toString();
      const given = pair.slice(pair.indexOf(":") + 1);
      if (given !== SECRET) {
        const said = `${headers.authorization} ${spellingsOf(given).join(" , ")}`;
        return answered(401, { error: "invalid_client", error_description: said, echo: pair });
      }
      answered(200, {
        access_token: signedToken(issuer, "https://sync.example"),
        token_type: "Bearer",
        expires_in: 300,
      });
    },
    profile: {
      authorizationServer: {
        issuer: "{origin}/as",
        tokenUrl: "{origin}/as/token",
        jwksUrl: "{origin}/as/jwks",
        probes: true,
        clients: {
          service: {
            flow: "client_credentials",
            id: "service",
            secret: "${env:LEAKED}",
            authentication: "client_secret_basic",
          },
        },
      },
    },
    env: { LEAKED: SECRET },
    secrets: [SECRET, SECRET.slice(0, -1), otherCase(SECRET)],
    testedBy: ["authorization-server.client-credentials"],
  },
  {
    ...changed("field names that are the key of the request", ({ headers }, request) => {
      const key = String(request.headers["x-api-key"]);
      return { headers: { ...headers, [key]: "1", [`x-${key}`]: "2", [key.slice(1)]: "3" } };
    }),
    profile: { request: { headers: { "X-Api-Key": "${env:LEAKED}" } } },
    env: { LEAKED: KEY },
    secrets: [KEY, KEY.toLowerCase()],
    testedBy: ["routes.*"],
  },
  {
    ...changed("every spelling of the key of the request", ({ body }, { headers }) => {
      const echo = spellingsOf(String(headers["x-api-key"])).map((one) => ({ echo: one }));
      return { body: JSON.stringify({ echo, ...(JSON.parse(body || "{}") as object) }) };
    }),
    profile: { request: { headers: { "X-Api-Key": "${env:LEAKED}" } } },
    env: { LEAKED: KEY },
    secrets: [KEY],
    testedBy: ["routes.*"],
  },
];
