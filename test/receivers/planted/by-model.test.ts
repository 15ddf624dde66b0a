import { describe, expect, it } from "vitest";

import { behaviour } from "../../../src/report/text/diagnosis.ts";
import { runAgainst } from "../../support/run-against.ts";
import { EXPRESS } from "./express.ts";
import { type Plant, VERIFY } from "./plant.ts";
import { example, startPlanted } from "./start.ts";

/** What a run of its rule says of the Express example with a planted fault. */
async function saidOf(plant: Plant): Promise<readonly string[]> {
  const receiver = await startPlanted(example("express"), plant);
  try {
    const options = { patterns: [plant.rule], patienceMs: 500 };
    const { finished } = await runAgainst(receiver.profile, options);
    return finished.diagnoses.map((one) => behaviour(one, false));
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
    expect(await saidOf(planted("aud.startsWith"))).toEqual([
      "Behaves like a receiver that compares `aud` by prefix",
    ]);
  });

  it("names the scope that guards a route in place of its own", async () => {
    expect(await saidOf(planted("PATCH guarded by org:read"))).toEqual([
      "Behaves like a receiver that requires `org:read` in place of the scope of the operation, on editOrganization but not on viewOrganization, submitChange, readChangesFeed and readChange",
    ]);
  });

  it("does not say that a check is missing where a judged request was refused by it", async () => {
    const [said = ""] = await saidOf({
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
    expect(said).not.toMatch(/not check|everything|any of/);
  });
});
