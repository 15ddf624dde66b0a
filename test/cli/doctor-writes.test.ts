import { describe, expect, it } from "vitest";

import type { Check } from "../../src/doctor/check.ts";
import type { Examination } from "../../src/doctor/checks.ts";
import { mergePatch } from "../../src/reference/merge-patch.ts";
import { Refusal } from "../../src/reference/refusal.ts";
import type { Patch } from "../../src/reference/steps.ts";
import type { Profile } from "./doctor.ts";
import { command, ioWith, oneLine } from "./io.ts";
import { receiver } from "./servers.ts";

interface Seen {
  readonly code: number;
  readonly found: Examination;
  readonly of: (id: string) => Check | undefined;
  /** The operations of the writes that arrived with a good token, in order. */
  readonly writes: readonly string[];
}

/** The output of `doctor --writes --json` for a reference receiver that records the writes. */
async function doctorWrites(profilePatch: object = {}, patch: Patch = {}): Promise<Seen> {
  const writes: string[] = [];
  const recording: Patch = {
    applyPolicy: (original) => (call) => {
      if (call.method !== "GET") writes.push(call.operation);
      return original(call);
    },
  };
  const { profile } = await receiver({ patches: [patch, recording] });
  const changed = mergePatch(profile, profilePatch) as Profile;
  const { code, out } = await command(["doctor", "--writes", "--json"], ioWith(changed));
  const found = JSON.parse(out) as Examination;
  return { code, found, writes, of: (id) => found.checks.find((one) => one.id === id) };
}

/** A receiver that refuses an operation with a message. */
function refusing(operation: string, status: number, message: string): Patch {
  return {
    applyPolicy: (original) => (call) => {
      if (call.operation === operation) throw new Refusal(status, message);
      return original(call);
    },
  };
}

describe("doctor --writes", () => {
  it("sends each good write once, restores the edited member, and names what stays", async () => {
    const seen = await doctorWrites();
    expect([seen.code, seen.found.state]).toEqual([0, "ready"]);
    // The second edit restores.
    expect(seen.writes).toEqual(["editOrganization", "editOrganization", "submitChange"]);
    expect(seen.found.written).toMatchObject({ sent: 3, restored: ["mission"] });
    expect(seen.found.written?.leftBehind.join("; ")).toMatch(
      /^traces of the edit of 3f6c1d52.*; a submitted change of 3f6c1d52/,
    );
    expect(seen.of("operation.editOrganization")).toMatchObject({ state: "ok" });
    expect(seen.of("operation.submitChange")?.detail).toMatch(/: 202 Accepted$/);
  });

  it("sets back a member whose value is the same in every edit", async () => {
    const before: unknown[] = [];
    const after: unknown[] = [];
    const seen = await doctorWrites(
      { operations: { editOrganization: { body: { mission: "always the same" } } } },
      {
        editOrganization: (original) => (call) => {
          before.push(call.organization?.["mission"]);
          const answer = original(call);
          after.push(call.receiver.store.organizations.get(call.orgId ?? "")?.["mission"]);
          return answer;
        },
      },
    );
    expect(after).toEqual(["always the same", before[0]]);
    expect(seen.found.written?.restored).toEqual(["mission"]);
  });

  it("says which write was refused, with the deployment's own words, and sends it once", async () => {
    const said = "You need \u001B[31mprofile.admin\u001B[0m for this.";
    const seen = await doctorWrites({}, refusing("editOrganization", 403, said));
    expect([seen.code, seen.found.state]).toEqual([3, "not-ready"]);
    expect(seen.writes).toEqual(["editOrganization", "submitChange"]);
    const check = seen.of("operation.editOrganization");
    expect(check).toMatchObject({ state: "problem", side: "deployment" });
    expect(check?.detail).toMatch(
      /403 Forbidden\. It says: You need .*profile\.admin.* for this\./,
    );
    expect(check?.detail).not.toContain("\u001B");
    expect(check?.remedy).toContain("org:write");
    expect(seen.found.written?.restored).toEqual([]);
  });

  it.each([
    [422, "operations.submitChange.body"],
    [415, "operations.submitChange.contentType"],
    [428, "operations.submitChange.headers"],
  ])("names the key of the profile for a %i", async (status, key) => {
    const seen = await doctorWrites({}, refusing("submitChange", status, "No."));
    expect(seen.of("operation.submitChange")).toMatchObject({ state: "problem", side: "profile" });
    expect(seen.of("operation.submitChange")?.remedy).toContain(key);
  });

  it("says what it could not restore", async () => {
    let edits = 0;
    const seen = await doctorWrites(
      {},
      {
        editOrganization: (original) => (call) => {
          edits += 1;
          if (edits > 1) throw new Refusal(409, "It is locked.");
          return original(call);
        },
      },
    );
    expect(seen.found.written?.restored).toEqual([]);
    expect(seen.found.written?.leftBehind[0]).toMatch(/^mission of 3f6c.*, not restored: 409/);
  });

  it("writes nothing without consent, and names the keys that would give it", async () => {
    const seen = await doctorWrites({ writes: false });
    expect(seen.writes).toEqual([]);
    expect(seen.of("operation.submitChange")).toMatchObject({
      state: "unknown",
      detail: expect.stringContaining("writes: true and names `organizations.primary`") as string,
    });
  });

  it("writes nothing where no good token is accepted", async () => {
    const seen = await doctorWrites({ audience: "https://elsewhere.example" });
    expect(seen.writes).toEqual([]);
    expect(seen.code).toBe(3);
  });

  it("leaves out what the profile does not offer", async () => {
    const seen = await doctorWrites({ operations: { submitChange: false } });
    expect(seen.writes).toEqual(["editOrganization", "editOrganization"]);
  });

  it("tries every form of a token only where no read shows which one is accepted", async () => {
    const reads = ["listOrganizations", "viewOrganization", "readChangesFeed", "readChange"];
    const operations = Object.fromEntries(reads.map((id) => [id, false]));
    const seen = await doctorWrites(
      { operations },
      {
        checkType: () => (call) => {
          if (call.header["typ"] !== "at+jwt") throw new Refusal(401, "No.");
        },
      },
    );
    expect(seen.of("operation.submitChange")).toMatchObject({ state: "ok" });
  });

  it("names the profile in the commands that it prints", async () => {
    const { profile } = await receiver();
    const io = ioWith(profile);
    const { out } = await command(["doctor", "--profile", "orgsync.yaml"], io);
    expect(oneLine(out)).toMatch(/`orgsync-conformance run --profile orgsync.yaml` certifies/);
    expect(oneLine(out)).toMatch(/`orgsync-conformance doctor --profile orgsync.yaml --writes`/);
  });

  it("prints what was written; without the flag, that nothing was, and names the flag", async () => {
    const { profile } = await receiver();
    const without = await command(["doctor"], ioWith(profile));
    expect(oneLine(without.out)).toMatch(
      /Writes were not tried: `orgsync-conformance doctor --writes`/,
    );
    const { out } = await command(["doctor", "--writes"], ioWith(profile));
    expect(out).not.toContain("not tried");
    expect(oneLine(out)).toMatch(
      /Written restored mission stays traces of the edit of .* a submitted change of .* requests, 3 PATCH and POST included/,
    );
  });
});

describe("doctor, where every path ends with a slash", () => {
  it("names the lines to add to the profile, with which it is ready", async () => {
    const { profile } = await receiver({ variants: ["paths-with-slash"] });
    const operations = profile["operations"] as Record<string, Record<string, unknown>>;
    const bare = Object.entries(operations).map(([id, one]) => [id, { ...one, path: undefined }]);
    const without = { ...profile, operations: Object.fromEntries(bare) as object };
    const before = await command(["doctor", "--json"], ioWith(without));
    const problem = (JSON.parse(before.out) as Examination).checks.find(
      ({ state }) => state === "problem",
    );
    expect([before.code, problem?.id, problem?.side]).toEqual([
      3,
      "connection.redirect",
      "profile",
    ]);
    expect(problem?.remedy).toContain('listOrganizations: { path: "/orgs/" }');
    expect(problem?.remedy).toContain('submitChange: { path: "/orgs/{orgId}/changes/" }');
    const after = await command(["doctor", "--writes"], ioWith(profile));
    expect([after.code, after.out]).toEqual([0, expect.stringContaining("Ready.")]);
  });

  it("accepts no other path", async () => {
    const { profile } = await receiver();
    const changed = mergePatch(profile, { operations: { listOrganizations: { path: "/all" } } });
    const { code, err } = await command(["doctor"], ioWith(changed as Profile));
    expect(code).toBe(2);
    expect(err).toContain("operations.listOrganizations.path must be one of /orgs, /orgs/");
  });
});
