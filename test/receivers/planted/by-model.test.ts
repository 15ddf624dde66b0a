import { describe, expect, it } from "vitest";

import { reportFrom } from "../../../src/report/json.ts";
import { behaviour } from "../../../src/report/text/diagnosis.ts";
import { factTexts } from "../../../src/report/text/facts.ts";
import { runAgainst } from "../../support/run-against.ts";
import { EXPRESS } from "./express.ts";
import { API, type Plant, VERIFY } from "./plant.ts";
import { example, startPlanted } from "./start.ts";

interface Said {
  readonly facts: readonly string[];
  readonly likely: readonly string[];
}

/** What a run says of the Express example with a planted fault. */
async function saidOf(plant: Plant, ...more: readonly string[]): Promise<Said> {
  const receiver = await startPlanted(example("express"), plant);
  try {
    const options = { patterns: [plant.rule, ...more], patienceMs: 500 };
    const { finished, events } = await runAgainst(receiver.profile, options);
    return {
      facts: factTexts(reportFrom(events), plant.rule),
      likely: finished.diagnoses.map((one) => behaviour(one, false)),
    };
  } finally {
    await receiver.close();
  }
}

function planted(name: string): Plant {
  const found = EXPRESS.find((one) => one.name === name);
  if (!found) throw new Error(`no fault is called ${name}`);
  return found;
}

describe("the model is asked about the run's own requests, with a mistake in place of a check", () => {
  it("recognises a comparison by prefix that breaks more cases than in the reference receiver", async () => {
    expect(await saidOf(planted("aud.startsWith"))).toEqual({
      facts: [
        "The deployment accepts a token whose `aud` begins with the right one, and refuses one whose `aud` does not.",
      ],
      likely: ["Behaves like a receiver that compares `aud` by prefix"],
    });
  });

  it("names the scope that guards a route in place of its own", async () => {
    const { facts, likely } = await saidOf(
      planted("PATCH guarded by org:read"),
      "receiver.scope-sufficient",
    );
    // The run did not fail receiver.scope-sufficient there, because receiver.scope had failed.
    expect(facts).toEqual([
      // How many of the others it was shown depends on how many writes were accepted before.
      expect.stringMatching(
        /^PATCH \/orgs\/\{orgId\} accepts a token with only `org:read`, and refuses one with only `org:write`/,
      ),
    ]);
    expect(likely).toEqual([
      expect.stringMatching(
        /^Behaves like a receiver that requires `org:read` in place of the scope of the operation, on editOrganization but not on /,
      ),
    ]);
  });

  it("says until when after `exp` tokens are accepted", async () => {
    const { facts } = await saidOf(planted("clockTolerance of two hours"));
    expect(facts).toEqual([
      expect.stringMatching(
        /^The deployment accepts a token [\d,]+ s after `exp`, and refuses one [\d,]+ (?:s|days) after it\.$/,
      ),
    ]);
  });

  it("says which ids in the path are taken for the organization's", async () => {
    const { facts } = await saidOf({
      name: "the first 36 characters of the path",
      rule: "errors.not-found",
      plant: [
        API,
        "const [, orgId, changeId] = routeOf(id).exec(request.path) ?? [];",
        "const [, named, changeId] = routeOf(id).exec(request.path) ?? [];\n      const orgId = named?.slice(0, 36);",
      ],
      right: [],
      wrong: [],
    });
    expect(facts).toEqual([
      "The deployment accepts an id in the path that begins with the right one, and refuses one that does not.",
    ]);
  });

  it("says for which tokens a check is not made", async () => {
    const { likely } = await saidOf({
      name: "no scope for bound tokens",
      rule: "receiver.scope",
      plant: [
        VERIFY,
        'if (typeof granted !== "string" ||',
        'if (bound === undefined) if (typeof granted !== "string" ||',
      ],
      right: [],
      wrong: [],
    });
    expect(likely).toEqual([
      "Behaves like a receiver that requires `scope`, and accepts any value of it, if the token is bound to an organization",
    ]);
  });

  it("says of rules about all checks what the other requests do not contradict", async () => {
    const { likely } = await saidOf(planted("aud.startsWith"), "receiver.order");
    expect(new Set(likely)).toEqual(
      new Set(["Behaves like a receiver that compares `aud` by prefix"]),
    );
  });

  it("makes a mistake of a comparison and what is done before it", async () => {
    const { likely } = await saidOf({
      name: "scopes by suffix",
      rule: "receiver.scope",
      plant: [
        VERIFY,
        '!granted.split(" ").includes(scope)',
        '!granted.split(" ").some((one) => one.endsWith(scope))',
      ],
      right: [],
      wrong: [],
    });
    expect(likely).toEqual([
      "Behaves like a receiver that compares each word of `scope` by suffix",
    ]);
  });

  it("does not say that a check is missing where a judged request was refused by it", async () => {
    const { likely } = await saidOf({
      name: "admin is every scope",
      rule: "receiver.scope",
      plant: [
        VERIFY,
        '!granted.split(" ").includes(scope)',
        '!/(^| )admin/.test(granted) && !granted.split(" ").includes(scope)',
      ],
      right: [],
      wrong: [],
    });
    expect(likely.join()).not.toMatch(/not check|everything|any of/);
  });
});
