import { describe, expect, test } from "vitest";

import { judge, SECRET } from "./judge.ts";
import type { Habits } from "./small-server-habits.ts";
import { credentialsIn } from "./small-server.ts";

/** FAULT: redirect URIs are equal if these parts of them are. */
function comparing(part: (uri: string) => string | undefined): Habits {
  return { sameUri: (given, wanted) => part(given) === part(wanted) };
}

/** FAULT: another text is good too in place of the secret. */
function accepting(text: string): Habits {
  return {
    refresh: "as consented",
    authenticates: (form, basic) => {
      const [id, given] = credentialsIn(form, basic);
      return given === SECRET || given === text ? id : undefined;
    },
  };
}

/** FAULT: whoever authenticates and has a code acts as the code's client. */
const codesOfAnybody: Habits = {
  authenticates: (form, basic) => {
    const [id, given] = credentialsIn(form, basic);
    return given === SECRET ? (form.has("code") ? "web" : id) : undefined;
  },
};

/** FAULT: a secret in the header is not looked at. */
const wrongInHeader: Habits = {
  authenticates: (form, basic) => {
    const [id, given] = credentialsIn(form, basic);
    return basic !== undefined || given === SECRET ? id : undefined;
  },
};

/** FAULT: whoever is not known is taken for a known client. */
const anybody: Habits = {
  authenticates: (form, basic) => {
    const [id = "", given] = credentialsIn(form, basic);
    if (id !== "service" && id !== "web") return "service";
    return given === SECRET ? id : undefined;
  },
};

async function failedIn(name: string, habits: Habits): Promise<readonly string[]> {
  const { results } = await judge(habits, {}, [`authorization-server.${name}@*`]);
  expect(results.length).toBeGreaterThan(0);
  return results.filter(({ outcome }) => outcome !== "pass").map(({ outcome }) => outcome);
}

/** FAULTS: redirect URIs that are almost equal are equal. */
const ALMOST_EQUAL: readonly Habits[] = [
  { sameUri: (given, wanted) => given === wanted || given === "" },
  comparing((uri) => uri.split("?")[0]),
  comparing((uri) => uri.replace(/\/$/, "")),
  comparing((uri) => uri.replace(/:\d+/, "")),
  comparing((uri) => uri.toLowerCase()),
  comparing((uri) => uri.split("#")[0]),
  comparing((uri) => uri.replace(/^\w+:/, "")),
  comparing((uri) => (URL.canParse(uri) ? new URL(uri).href : uri)),
  comparing((uri) => uri.replace("localhost", "127.0.0.1")),
];

const FAULTS: readonly (readonly [name: string, outcome: string, habits: Habits])[] = [
  ...ALMOST_EQUAL.map((one) => ["authorization-code/redirect-almost", "fail", one] as const),
  ["authorization-code/wrong-secret", "fail", accepting("web")],
  ["authorization-code/wrong-secret", "fail", wrongInHeader],
  ["authorization-code/service-client", "fail", codesOfAnybody],
  ["authorization-code/refresh-wrong-secret", "warn", accepting("")],
  ["authorization-code/refresh-wrong-secret", "warn", accepting("web")],
  ["client-credentials/id-as-secret", "fail", accepting("service")],
  ["client-credentials/unknown-client", "fail", anybody],
  ["client-credentials/shorter-secret", "fail", accepting(SECRET.slice(0, -1))],
  [
    "claims/scope-spaces",
    "warn",
    { claims: ({ scope }) => ({ scope: String(scope).replaceAll(" ", "  ") }) },
  ],
];

describe.each<[string, Habits]>([
  ["stays valid", {}],
  ["is revoked", { burns: true }],
])("a code %s after a wrong request", (_what, usual) => {
  test.each(FAULTS)("%s: %s", async (name, outcome, habits) => {
    const found = await failedIn(name, { ...usual, ...habits });
    expect(new Set(found)).toEqual(new Set([outcome]));
  });

  test("a server without a fault passes", async () => {
    for (const name of new Set(FAULTS.map(([one]) => one))) {
      const failed = await failedIn(name, { refresh: "as consented", ...usual });
      expect([name, failed]).toEqual([name, []]);
    }
  });
});
