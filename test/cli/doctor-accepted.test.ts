import { describe, expect, it } from "vitest";

import { UNKNOWN_ID, doctor, doctorOf, type Patch, type Profile } from "./doctor.ts";
import { command, ioWith, reportIn } from "./io.ts";
import { receiver } from "./servers.ts";

/** The denied organization is missing, and the acting subject is the denied one. */
const UNKNOWN_DENIED = { denied: { subject: null, organization: UNKNOWN_ID } };

describe("doctor, after a token was accepted", () => {
  it.each(
    Object.entries<[Patch, string, RegExp]>({
      "the primary organization is missing": [
        { organizations: { primary: UNKNOWN_ID } },
        "organization.primary",
        /knows no organization dddddddd/,
      ],
      "the other organization is missing": [
        { organizations: { other: UNKNOWN_ID } },
        "organization.other",
        /knows no organization dddddddd.*404 Not Found on viewOrganization/,
      ],
      "the denied organization is missing": [
        UNKNOWN_DENIED,
        "organization.denied",
        /404 Not Found on viewOrganization, but it is not known that dddddddd.* exists/,
      ],
      "the denied subject is unknown": [
        { denied: { subject: "none" } },
        "organization.denied",
        /403 Forbidden on viewOrganization, but none is accepted nowhere, and may be unknown/,
      ],
      "local policy allows the denied pair": [
        ({ organizations }) => ({
          organizations: { other: null },
          denied: {
            subject: null,
            organization: ((organizations as Profile)["other"] as Profile)["id"],
          },
        }),
        "organization.denied",
        /Local policy does not forbid svc-conformance .*: 200 OK on viewOrganization, not 403/,
      ],
      "the subject may not act there": [
        { subject: "nobody" },
        "organization.primary",
        /The subject nobody may not act on the organization .* answers 403/,
      ],
      "the change does not exist": [
        { operations: { readChange: { changeId: "none" }, readChangesFeed: false } },
        "operation.readChange",
        /does not accept a good token, though another operation does: 404/,
      ],
      "the document cannot be read": [
        ({ baseUrl }) => ({ openapi: `${String(baseUrl)}/none.json` }),
        "profile.openapi",
        /none\.json cannot be fetched: 404/,
      ],
    }),
  )("reports the problem: %s", async (_what, [patch, id, detail]) => {
    const { code, problems } = await doctorOf(patch);
    expect(code).toBe(3);
    expect(problems[0]?.id).toBe(id);
    expect(problems[0]?.detail).toMatch(detail);
    expect(problems[0]?.remedy).toBeTruthy();
  });

  it("says how to prove that a refusal comes from local policy", async () => {
    const missing = await doctorOf(UNKNOWN_DENIED);
    expect(missing.problems[0]?.remedy).toMatch(
      /^Set `denied\.subject` to a second subject that may act on `organizations\.other` but not on/,
    );
    const unknown = await doctorOf({ denied: { subject: "none" } });
    expect(unknown.problems[0]?.remedy).toMatch(/^Allow it to act on `organizations\.other`; or /);
  });

  it.each([
    ["rs256-only", "token.key.ES256"],
    ["policy-404", "organization.denied"],
  ])("is ready for a verdict on a mere violation: %s", async (fault, id) => {
    const { code, found, of } = await doctorOf({}, { faults: [fault] });
    expect({ code, state: found.state }).toEqual({ code: 0, state: "ready" });
    expect(of(id)).toMatchObject({ state: "violation", side: "deployment" });
  });

  it("names the accepted typ, and the answers to the others", async () => {
    const { code, of } = await doctorOf({}, { variants: ["typ-jwt-only"] });
    expect(code).toBe(0);
    expect(of("token.typ").detail).toMatch(/^JWT accepted; not at\+jwt \(401 .*\), none \(401 /);
  });

  it("recognises a policy against unbound tokens", async () => {
    const { code, of } = await doctorOf({}, { variants: ["unbound-refused"] });
    expect(code).toBe(0);
    expect(of("token.binding").detail).toMatch(
      /^only bound tokens; unbound: 403 Forbidden; the claim is/,
    );
  });

  it("does not confirm a binding claim that the deployment does not check", async () => {
    const { of } = await doctorOf({ claimsNamespace: "https://wrong.example" });
    expect(of("token.binding")).toMatchObject({ state: "unknown" });
    expect(of("token.binding").detail).toMatch(/`claimsNamespace` is not the deployment's, or/);
  });

  it("names each key that the profile lacks, and the number of MUST cases that need it", async () => {
    const { profile } = await receiver();
    const { code, problems, of } = await doctor({
      baseUrl: profile["baseUrl"],
      organizations: profile["organizations"],
      writes: true,
    });
    expect(code).toBe(3);
    expect(problems.map(({ id }) => id).toSorted()).toEqual(
      [
        "profile.claimsNamespace",
        "profile.denied",
        "profile.operations.editOrganization.body",
        "profile.operations.submitChange.body",
        ...["editOrganization", "submitChange"].map((id) => `profile.operations.${id}.invalidBody`),
      ].toSorted(),
    );
    for (const { side, detail, remedy } of problems) {
      expect([side, remedy !== undefined]).toEqual(["profile", true]);
      expect(detail).toMatch(/without it [1-9]\d* MUST cases? cannot be judged\.$/);
    }
    expect(of("profile.writes").state).toBe("ok");
  });

  it("counts the cases that a run then reports as not provisioned", async () => {
    const { profile } = await receiver();
    const bare = { baseUrl: profile["baseUrl"] };
    const found = await doctor(bare);
    const problems = found.problems.filter(
      ({ detail }) => !detail.endsWith("once writes is true."),
    );
    const io = ioWith(bare);
    await command(["run"], io);
    const report = reportIn(io);
    const lacking = report.rules
      .flatMap(({ cases }) => cases)
      // Only reading the feed shows that it is too short for pages without writes.
      .filter(({ id }) => !/^pagination\.[^/]*\/(?!denied-).*@readChangesFeed$/.test(id))
      .flatMap(({ level, missing = [] }) => (level === "MUST" ? missing : []));
    expect(new Set(lacking)).toEqual(new Set(problems.map(({ id }) => id.replace("profile.", ""))));
    for (const { id, detail } of problems) {
      const count = lacking.filter((key) => `profile.${key}` === id).length;
      expect(detail).toContain(`without it ${count} MUST case`);
    }
  });

  it("names in one go what is missing now, and what will be missing once writes are allowed", async () => {
    const { profile } = await receiver();
    const bare = { baseUrl: profile["baseUrl"], organizations: profile["organizations"] };
    const [before, after] = [await doctor(bare), await doctor({ ...bare, writes: true })];
    const bodies = before.problems.filter(({ detail }) => detail.endsWith("once writes is true."));
    expect(bodies).toHaveLength(4);
    expect(before.problems.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["profile.writes", ...after.problems.map(({ id }) => id)]),
    );
  });

  it("reports that the change that the profile names does not exist, but another one does", async () => {
    const { code, of } = await doctorOf({ operations: { readChange: { changeId: "none" } } });
    expect(code).toBe(0);
    expect(of("operation.readChange").detail).toMatch(/200 OK, with another change than none$/);
  });

  it("is ready without consent to writes if no case of the offered operations writes", async () => {
    const left = ["editOrganization", "submitChange", "readChangesFeed", "readChange"];
    const operations = Object.fromEntries(left.map((id) => [id, false]));
    const { code, of } = await doctorOf({ writes: false, operations });
    expect(of("profile.writes")).toMatchObject({ state: "ok" });
    expect(code).toBe(0);
  });

  it("is not ready without consent to writes, because a run is then incomplete", async () => {
    const { code, of } = await doctorOf({ writes: false });
    expect(code).toBe(3);
    expect(of("profile.writes")).toMatchObject({
      state: "problem",
      detail: expect.stringMatching(/no consent .* [1-9]\d+ MUST cases cannot be judged/),
      remedy: expect.stringContaining("writes: true"),
    });
  });
});
