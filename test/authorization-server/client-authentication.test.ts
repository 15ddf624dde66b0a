import { join } from "node:path";

import {
  decodeJwt,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
} from "jose";
import { describe, expect, test } from "vitest";

import { folderWith } from "../support/folder.ts";
import { type Ran, unsettled } from "../support/run-against.ts";
import { describedClients, judge, SECRET } from "./judge.ts";
import type { Habits } from "./small-server-habits.ts";
import { credentialsIn } from "./small-server.ts";

const TOKEN_RULES = [
  "authorization-server.client-credentials",
  "authorization-server.authorization-code",
];

/** A file with a text. */
function fileOf(text: string): string {
  return join(folderWith({ client: text }), "client");
}

/** Runs the rules against a server whose two clients have further members in the profile. */
function judgeClients(
  member: Record<string, unknown>,
  habits: Habits,
  patterns?: readonly string[],
): Promise<Ran> {
  const clients = Object.entries(describedClients()).map(([name, described]) => {
    const { secretFile, authentication, ...client } = described as Record<string, unknown>;
    return [name, { secretFile, authentication, ...client, ...member }];
  });
  return judge(habits, { clients: Object.fromEntries(clients) }, patterns);
}

function failed({ results }: Ran): string[] {
  return results.filter(({ outcome }) => outcome === "fail").map(({ id }) => id);
}

describe("a secret", () => {
  test.for<[id: string, isAccepted: (given: string) => boolean]>([
    ["wrong-secret", (given) => given.startsWith(SECRET.slice(0, 8))],
    ["longer-secret", (given) => given.startsWith(SECRET)],
    ["secret-case", (given) => given.toLowerCase() === SECRET.toLowerCase()],
  ])("that is accepted loosely is found by %s", async ([id, isAccepted]) => {
    const authenticates: Habits["authenticates"] = (form, basic) => {
      const [name, given = ""] = credentialsIn(form, basic);
      return isAccepted(given) ? name : undefined;
    };
    const patterns = ["authorization-server.client-credentials"];
    const ran = await judgeClients({}, { authenticates }, patterns);
    expect(failed(ran)).toContain(`authorization-server.client-credentials/${id}@service`);
  });

  const odd = `${SECRET}+/%`;
  const decodesNothing: Habits["authenticates"] = (form, basic) => {
    const [name, given] = credentialsIn(form, basic);
    return basic !== undefined && given === odd ? name : undefined;
  };

  test("that a server does not decode is sent as it is, in both flows", async () => {
    const member = { secretFile: fileOf(odd), authentication: "client_secret_basic" };
    const ran = await judgeClients(member, { authenticates: decodesNothing });
    expect(unsettled(ran.results)).toEqual([]);
  });

  test("that a server does not decode is sent as it is beside the name of another client", async () => {
    const habits: Habits = { codesByName: true, authenticates: decodesNothing };
    const { service, web } = describedClients();
    const member = { secretFile: fileOf(odd), authentication: "client_secret_basic" };
    const clients = {
      service: { ...service, ...member },
      web: { ...web, ...member },
      second: { ...web, ...member, id: "second" },
    };
    const ran = await judge(habits, { clients }, ["authorization-server.authorization-code"]);
    expect(failed(ran)).toEqual(["authorization-server.authorization-code/mixed-client@web"]);
  });
});

describe("an assertion", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = JSON.stringify({ ...(await exportJWK(privateKey)), alg: "ES256" });

  /** Verifies an assertion as a good server does. */
  const verified = (assertion: string, audience: string): Promise<unknown> =>
    jwtVerify(assertion, publicKey, { audience, requiredClaims: ["exp"] });

  /** Judges a server whose clients authenticate by assertions. */
  function judgeAssertions(
    isAccepted: (assertion: string, issuer: string) => unknown,
    patterns?: readonly string[],
  ): Promise<Ran> {
    const member = { secretFile: undefined, key: fileOf(key), authentication: "private_key_jwt" };
    const authenticates: Habits["authenticates"] = async (form, _basic, issuer) => {
      const assertion = form.get("client_assertion") ?? "";
      try {
        return (await isAccepted(assertion, issuer)) ? decodeJwt(assertion).sub : undefined;
      } catch {
        return undefined;
      }
    };
    return judgeClients(member, { authenticates }, patterns);
  }

  test("for the issuer or for the token endpoint is made as the server wants it, in both flows", async () => {
    for (const path of ["", "/oauth/token"]) {
      const ran = await judgeAssertions((assertion, issuer) => verified(assertion, issuer + path));
      expect(unsettled(ran.results)).toEqual([]);
    }
  });

  test("that nobody verifies is blamed on client credentials, and not on each flow", async () => {
    const ran = await judgeAssertions((assertion) => decodeJwt(assertion).aud, TOKEN_RULES);
    expect(failed(ran)).toEqual([
      "authorization-server.client-credentials/wrong-key@service",
      "authorization-server.client-credentials/unsigned-assertion@service",
      "authorization-server.client-credentials/confused-assertion@service",
      "authorization-server.client-credentials/embedded-key@service",
    ]);
  });

  test.for(
    Object.entries<(assertion: string, issuer: string) => unknown>({
      "unsigned-assertion": (assertion, audience) =>
        assertion.endsWith(".") || verified(assertion, audience),
      "confused-assertion": async (assertion, audience) =>
        verified(assertion, audience).catch(async () =>
          jwtVerify(assertion, Buffer.from(`${await exportSPKI(publicKey)}\n`), { audience }),
        ),
      "embedded-key": (assertion, audience) =>
        jwtVerify(
          assertion,
          async ({ jwk }) => (jwk ? importJWK(jwk as JWK, "ES256") : publicKey),
          { audience, requiredClaims: ["exp"] },
        ),
      "assertion-for-another": (assertion) =>
        jwtVerify(assertion, publicKey, { requiredClaims: ["aud", "exp"] }),
      "assertion-without-audience": async (assertion, audience) => {
        const { payload } = await jwtVerify(assertion, publicKey, { requiredClaims: ["exp"] });
        return payload.aud === undefined || payload.aud === audience;
      },
      "assertion-without-expiry": (assertion, audience) =>
        jwtVerify(assertion, publicKey, { audience }),
      "expired-assertion": (assertion, audience) =>
        jwtVerify(assertion, publicKey, {
          audience,
          clockTolerance: "1 day",
          requiredClaims: ["exp"],
        }),
    }),
  )("that is accepted although wrong is found by %s alone", async ([id, isAccepted]) => {
    const { results } = await judgeAssertions(isAccepted, TOKEN_RULES);
    const found = results.filter(({ outcome }) => outcome === "fail" || outcome === "warn");
    expect(found.map((one) => one.id)).toEqual([
      `authorization-server.client-credentials/${id}@service`,
    ]);
  });

  test.for<[id: string, isAnyKey: boolean]>([
    ["other-key", true],
    ["other-issuer", false],
  ])("by another client is found by %s alone", async ([id, isAnyKey]) => {
    const pair = await generateKeyPair("ES256", { extractable: true });
    const { publicKey: otherKey } = pair;
    const other = JSON.stringify({ ...(await exportJWK(pair.privateKey)), alg: "ES256" });
    const authenticates: Habits["authenticates"] = async (form, _basic, audience) => {
      const assertion = form.get("client_assertion") ?? "";
      try {
        const { iss, sub } = decodeJwt(assertion);
        const named = iss === "web" ? otherKey : publicKey;
        if (isAnyKey && iss !== sub) return undefined;
        const trusted = isAnyKey ? [publicKey, otherKey] : [named];
        const options = { audience, requiredClaims: ["exp"] };
        await Promise.any(trusted.map((one) => jwtVerify(assertion, one, options)));
        return sub;
      } catch {
        return undefined;
      }
    };
    const clients = Object.entries(describedClients()).map(([name, described]) => {
      const { secretFile: _secret, ...client } = described as Record<string, unknown>;
      const file = fileOf(name === "web" ? other : key);
      return [name, { ...client, authentication: "private_key_jwt", key: file }];
    });
    const ran = await judge({ authenticates }, { clients: Object.fromEntries(clients) }, [
      "authorization-server.client-credentials",
    ]);
    expect(failed(ran)).toEqual([`authorization-server.client-credentials/${id}@service`]);
  });
});
