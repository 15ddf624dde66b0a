import { describe, expect, it } from "vitest";

import { didYouMean, namesLike } from "../../src/lib/did-you-mean.ts";
import { reportOf, result } from "../report/events.ts";
import { command, createIo, ioWith, refusal } from "./io.ts";

const PROFILE = { baseUrl: "http://127.0.0.1:9", organizations: {} };

function run(rule: string): Promise<string> {
  const io = createIo();
  return refusal(command(["run", "http://127.0.0.1:9", "--rule", rule, "--dry-run"], io));
}

/** The names that are suggested. */
function suggested(said: string): string | undefined {
  return /id you mean ([^?]*)\?/.exec(said)?.[1];
}

describe("a name that does not exist", () => {
  it.each([
    ["receiver.expiry/hour-agoo@viewOrganization", "receiver.expiry/hour-ago@viewOrganization"],
    ["expiry/ago-hour@viewOrganization", "receiver.expiry/hour-ago@viewOrganization"],
    ["receiver.expiry/hour-agp", "receiver.expiry/hour-ago@*"],
    ["receiver.expirey", "receiver.expiry"],
    ["shape", "errors.shape"],
    ["receiver.audiense/wildcard@viewOrganization", "receiver.audience/wildcard@viewOrganization"],
    ["receiver.expiry/nonsense@viewOrganization", undefined],
    ["frobnicate", undefined],
  ])("--rule %s: suggests %s", async (typed, meant) => {
    const said = await run(typed);
    expect(said).toContain("matches no rule and no case");
    expect(suggested(said)).toBe(meant);
  });

  it.each<[argv: string[], meant: string | undefined]>([
    [["run", "--read-olny"], "--read-only"],
    [["run", "--only-read"], "--read-only"],
    [["run", "--accept"], "--accept-incomplete"],
    [["run", "--frobnicate"], undefined],
    [["rn"], "run"],
    [["frobnicate"], undefined],
    [["keys", "genrate"], "generate"],
    [["serve", "--fault", "unchecked-expiry"], "expiry-unchecked"],
    [["serve", "--fault", "audience-wildcart"], "audience-wildcard"],
    [["serve", "--variant", "nonsense"], undefined],
    [["rules", "expirry"], "receiver.expiry"],
    [["rules", "receiver.expiry/hour-agoo"], "receiver.expiry/hour-ago@*"],
  ])("%j: suggests %s", async (argv, meant) => {
    const found = suggested(await refusal(command(argv)));
    expect(found?.split(/, | or /)[0]).toBe(meant);
  });

  it.each([
    ["othr", "receiver.audience/other"],
    ["audience/other-token", "receiver.audience/other"],
  ])("token %s: suggests a mutation", async (typed, meant) => {
    const said = await refusal(command(["token", typed], ioWith(PROFILE)));
    expect(said).toContain(`Did you mean`);
    expect(suggested(said)).not.toBe(typed);
    expect(suggested(said)).toContain(meant.split("/")[1]);
  });

  it("replay: suggests a case of the report by its words", async () => {
    const report = reportOf([result("hour-ago@viewOrganization"), result("null@readChange")]);
    const io = createIo({}, "", { "report.json": JSON.stringify(report) });
    const said = await refusal(command(["replay", "report.json", "viewOrganization/ago"], io));
    expect(suggested(said)).toBe("receiver.expiry/hour-ago@viewOrganization");
  });

  it.each([
    ["basUrl", "baseUrl"],
    ["namespace_claims", "claimsNamespace"],
    ["frobnicate", undefined],
  ])("key %s of a profile: suggests %s", async (key, meant) => {
    const io = ioWith({ baseUrl: "http://127.0.0.1:9", [key]: "x" });
    expect(suggested(await refusal(command(["run"], io)))).toBe(meant);
  });
});

describe("a suggestion", () => {
  it("is never what was typed", () => {
    expect(namesLike("a-b", ["a-b", "a-c"], 3)).not.toContain("a-b");
    expect(didYouMean("one", ["one"])).toBe("");
  });

  it("is by the words that few names have, and not by letters alone", () => {
    const names = [
      "receiver.order/pair@viewOrganization",
      "receiver.issuer/other@viewOrganization",
    ];
    expect(namesLike("receiver.odd/other@viewOrganization", names)).toEqual([names[1]]);
    expect(namesLike("cat", ["car-park", "dog-house"])).toEqual([]);
  });
});
