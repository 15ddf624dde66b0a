import { expect, test } from "vitest";

import { type Plan, planRun } from "../../src/engine/plan.ts";
import { inWords } from "../../src/probe/phrase.ts";
import { type Facts, maskedFacts } from "../../src/profile/facts.ts";
import { profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import type { Target } from "../../src/profile/target.ts";
import { RULES } from "../../suites/index.ts";

/** The parts of a plan that a report shows. */
function toldOf({ cases, ...rest }: Plan): unknown {
  return {
    ...rest,
    cases: cases.map(({ caseId, level, phase, settled, open, testCase }) => ({
      caseId,
      level,
      phase,
      settled: settled && "reason" in settled && settled.reason ? inWords(settled.reason) : settled,
      open,
      title: testCase.title,
      requirement: testCase.requirement,
      grounds: testCase.grounds,
    })),
  };
}

const ENV = { ONE: "one secret", ANOTHER: "another secret" };

function fromObject(profile: Record<string, unknown>): Target {
  const baseUrl = "https://sync.example.com:8443/common-grants/";
  return resolveTarget({
    profile: profileFromObject({ baseUrl, ...profile }, ".", { env: ENV }),
  });
}

const ORGANIZATION = "c4a9e5ed-0000-4000-8000-000000000001";
const OTHER = "c4a9e5ed-0000-4000-8000-000000000002";
const server = (clients: object, more: object = {}): Record<string, unknown> => ({
  issuer: "https://auth.example.com",
  clients,
  ...more,
});
const service = { flow: "client_credentials", id: "service", secret: "${env:ONE}" };
const admin = {
  flow: "authorization_code",
  id: "admin",
  redirectUri: "http://127.0.0.1:8765/callback",
  consent: "browser",
};

test.each(
  Object.entries<() => Target>({
    "with a base URL only": () => fromObject({}),
    "with claims, headers and a callback": () =>
      fromObject({
        testIssuer: {
          url: "https://issuer.example.com/",
          algorithms: ["ES256", "RS256"],
          algorithm: "ES256",
          claims: { client_id: "x", tenant: "y" },
          header: { typ: "at+jwt" },
          serve: "http://127.0.0.1:9000",
        },
        request: {
          headers: { "X-Forwarded-User": "x", "X-Api-Key": "y" },
          callback: "http://127.0.0.1:9001",
        },
      }),
    "with bodies of every kind": () =>
      fromObject({
        writes: true,
        organizations: { primary: ORGANIZATION, other: OTHER },
        operations: {
          editOrganization: { body: { name: "${unique}" }, invalidBody: { name: 1 } },
          submitChange: { body: "text of ${unique}", contentType: "text/plain", paginated: true },
          readChange: { changeId: "change-1" },
          readChangesFeed: {},
        },
      }),
    "with both sides": () =>
      fromObject({
        organizations: { primary: ORGANIZATION },
        testIssuer: { url: "https://issuer.example.com" },
        authorizationServer: server(
          {
            service: { ...service, scopes: ["org:read"], organization: "primary" },
            second: { ...service, id: "second", secret: "${env:ANOTHER}" },
            third: { ...service, id: "third" },
            admin,
          },
          { probes: true, narrowing: false },
        ),
      }),
    "with consent by commands, for clients of both kinds and two of one kind": () => {
      const unattended = { ...admin, consent: ["consent"] };
      return fromObject({
        authorizationServer: server({
          admin,
          second: { ...unattended, id: "second" },
          third: { ...unattended, id: "third", secret: "${env:ONE}" },
        }),
      });
    },
    "with issued tokens": () =>
      fromObject({
        claimsNamespace: "https://example.com",
        organizations: { primary: ORGANIZATION, other: OTHER },
        denied: { client: "denied", organization: OTHER, operations: ["viewOrganization"] },
        testIssuer: false,
        authorizationServer: server({
          service,
          bound: { ...service, id: "bound", organization: "primary" },
          denied: { ...service, id: "denied", subject: "nobody" },
        }),
      }),
    "with tokens from a command": () =>
      fromObject({
        tokens: { command: ["print-token"] },
        denied: { subject: "nobody", organization: OTHER },
      }),
  }),
)("the plan for a profile %s can be computed from the report", (_, resolve) => {
  const target = resolve();
  const recorded = JSON.parse(JSON.stringify(maskedFacts(target))) as Facts;
  expect(toldOf(planRun(recorded, RULES, []))).toEqual(toldOf(planRun(target, RULES, [])));
});

test("a report contains no secret of a profile", () => {
  const target = fromObject({
    request: { headers: { "X-Api-Key": "a key of the gateway" } },
    authorizationServer: server({ service, second: { ...service, secret: "${env:ANOTHER}" } }),
  });
  const recorded = JSON.stringify(maskedFacts(target));
  for (const secret of [
    "a key of the gateway",
    "one secret",
    "another secret",
    ...target.secrets,
  ]) {
    expect(recorded).not.toContain(secret);
  }
});
