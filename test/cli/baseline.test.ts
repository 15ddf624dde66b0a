import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";

import { reportProblems } from "../report/schema.ts";
import { type TestIo, command, ioWith, refusal, reportIn } from "./io.ts";
import { receiver } from "./servers.ts";

const WILDCARD = "receiver.audience/wildcard@viewOrganization";
const ISSUER = "receiver.audience/issuer@viewOrganization";
const CLEAN = "receiver.audience/other@viewOrganization";
const UNSELECTED = "receiver.expiry/hour-ago@viewOrganization";

interface Entry {
  case: string | string[];
  reason: string;
  expires?: string;
  flaky?: boolean;
}

const known = (id: string, more: Partial<Entry> = {}): Entry => ({
  case: id,
  reason: "to be fixed",
  ...more,
});

/** A receiver with one failing case of `receiver.audience`, and a baseline. */
async function world(
  baseline: string | readonly Entry[] | undefined,
  faults: readonly string[] = ["audience-wildcard"],
): Promise<TestIo> {
  const { profile } = await receiver({ faults });
  const text = typeof baseline === "string" ? baseline : stringify(baseline);
  return ioWith(profile, baseline === undefined ? {} : { "known.yaml": text });
}

const SELECTED = ["--rule", "receiver.audience/{wildcard,issuer,other}@viewOrganization"];
const RUN = ["run", ...SELECTED, "--baseline", "known.yaml"];

async function run(
  baseline: Parameters<typeof world>[0],
  { faults, argv = RUN }: { faults?: readonly string[]; argv?: readonly string[] } = {},
): Promise<{ code: number; out: string; err: string; io: TestIo }> {
  return command(argv, await world(baseline, faults));
}

function baselineIn({ cwd }: TestIo, file = "known.yaml"): Entry[] {
  return parse(readFileSync(join(cwd, file), "utf8")) as Entry[];
}

describe("run --baseline", () => {
  it("exits 0 when every failure is known, keeps the verdict and says so in the first line", async () => {
    const { code, out, io } = await run([
      known(WILDCARD.replace("receiver.", ""), { expires: "2999-12-31" }),
    ]);
    expect(code).toBe(0);
    expect(out).toMatch(/^\nBaseline known\.yaml: 1 known failure, no other\.\n/);
    expect(out).toMatch(/\nNot conformant\. /);
    const report = reportIn(io);
    expect(reportProblems(report)).toEqual([]);
    expect(report.verdict).toBe("non-conformant");
    expect(report.baseline).toEqual({
      file: "known.yaml",
      known: [{ case: WILDCARD, reason: "to be fixed", expires: "2999-12-31" }],
      unknown: [],
      stale: [],
    });
  });

  it("exits 1 for an unknown failure", async () => {
    const faults = ["audience-wildcard", "audience-issuer"];
    const { code, out, io } = await run([known(WILDCARD)], { faults });
    expect(code).toBe(1);
    expect(out).toMatch(
      /^\nBaseline known\.yaml: 1 known failure, 1 new\.\n {2}new {3}receiver\.audience\/issuer@viewOrganization\n/,
    );
    expect(reportIn(io).baseline?.unknown).toEqual([ISSUER]);
  });

  it.each(
    Object.entries<[Entry, string]>({
      "whose case no longer fails": [known(CLEAN), "no longer fails: pass"],
      "past its date": [
        known(WILDCARD, { expires: "2020-01-31" }),
        "was allowed to fail only until 2020-01-31",
      ],
      "whose case does not exist": [
        known("receiver.audience/wildcart@viewOrganization"),
        `is no case of this target; did you mean ${WILDCARD}?`,
      ],
    }),
  )("exits 1 for an entry %s, and says why", async (_, [entry, why]) => {
    const others = entry.case === WILDCARD ? [] : [known(WILDCARD)];
    const { code, out, io } = await run([...others, entry]);
    expect(code).toBe(1);
    expect(out).toContain(`${String(entry.case)} ${why}`.slice(0, 80));
    expect(reportIn(io).baseline?.stale).toEqual([{ case: entry.case, why }]);
  });

  it("exits 1 for a stale entry of a conforming receiver", async () => {
    const { code, io } = await run([known(WILDCARD)], { faults: [] });
    expect(code).toBe(1);
    expect(reportIn(io).verdict).toBe("partial");
  });

  it("ignores entries that the run did not judge, and counts them", async () => {
    const { code, out, io } = await run([known(WILDCARD), known(UNSELECTED)]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^\nBaseline known\.yaml: 1 known failure, no other, 1 entry not judged\.\n/,
    );
    expect(reportIn(io).baseline).toMatchObject({ stale: [], unjudged: 1 });
  });

  describe("when a known failure hides other cases", () => {
    // A failure on an operation takes the blame for the cases there that depend on it.
    const faults = ["token-not-required-on-readChange"];
    const rules = ["--rule", "receiver.{token-required,audience}/*@readChange"];
    const argv = ["run", ...rules, "--baseline", "known.yaml"];
    const baseline = ["missing", "missing-unmarked"].map((name) =>
      known(`receiver.token-required/${name}@readChange`),
    );

    it("exits 0 when nothing else is inconclusive, and says how many cases are", async () => {
      const { code, out, io } = await run(baseline, { faults, argv });
      expect(code).toBe(0);
      const report = reportIn(io);
      expect(reportProblems(report)).toEqual([]);
      const blamed = report.rules.flatMap(({ cases }) => cases.filter((one) => one.blamedOn));
      expect(blamed.length).toBeGreaterThan(1);
      expect(report.baseline?.blamed).toBe(blamed.length);
      expect(out).toMatch(
        new RegExp(
          `^\nBaseline known\\.yaml: 2 known failures, no other, ${blamed.length} cases inconclusive because\\s+of\\s+them\\.\n`,
        ),
      );
    });

    it("exits 3 when another MUST could not be judged, and 0 with --accept-incomplete", async () => {
      const { profile } = await receiver({ faults });
      const unbound = { ...profile, claimsNamespace: undefined };
      const io = ioWith(unbound, { "known.yaml": stringify(baseline) });
      const wider = [...argv, "--rule", "receiver.binding/*@readChange"];
      expect((await command(wider, io)).code).toBe(3);
      expect((await command([...wider, "--accept-incomplete"], io)).code).toBe(0);
    });

    it("exits 1 when the failure that hides them is not the known one", async () => {
      const { code } = await run([known(CLEAN, { flaky: true })], { faults, argv });
      expect(code).toBe(1);
    });
  });

  describe("with an entry for all operations", () => {
    const EVERYWHERE = "receiver.audience/wildcard@*";

    it("exits 0 when some or all of them fail, and knows each failure", async () => {
      const { code, io } = await run([known(EVERYWHERE)]);
      expect(code).toBe(0);
      const { baseline } = reportIn(io);
      expect(baseline?.known.map((one) => one.case)).toContain(WILDCARD);
      expect(baseline).toMatchObject({ unknown: [], stale: [] });
    });

    it("exits 1 when none of them fails", async () => {
      const { code, io } = await run([known(EVERYWHERE)], { faults: [] });
      expect(code).toBe(1);
      const stale = [{ case: EVERYWHERE, why: "no longer fails: pass" }];
      expect(reportIn(io).baseline?.stale).toEqual(stale);
    });

    it("ignores the entry when the run did not judge all of them", async () => {
      const argv = ["run", "--rule", CLEAN, "--baseline", "known.yaml"];
      const { code, io } = await run([known("receiver.audience/other@*")], { argv });
      expect(code).toBe(0);
      expect(reportIn(io).baseline).toMatchObject({ stale: [], unjudged: 1 });
    });

    it("exits 1 when the case does not exist, and suggests the nearest one", async () => {
      const { code, io } = await run([known("receiver.audience/wildcart@*"), known(WILDCARD)]);
      expect(code).toBe(1);
      expect(reportIn(io).baseline?.stale[0]?.why).toBe(
        `is no case of this target; did you mean ${EVERYWHERE}?`,
      );
    });
  });

  describe("with a flaky entry", () => {
    it("exits 0 whether its case fails or passes", async () => {
      const entry = known(WILDCARD, { flaky: true });
      expect((await run([entry])).code).toBe(0);
      expect((await run([entry], { faults: [] })).code).toBe(0);
    });

    it("exits 1 when its date has passed or its case does not exist", async () => {
      const past = known(WILDCARD, { flaky: true, expires: "2020-01-31" });
      expect((await run([past], { faults: [] })).code).toBe(1);
      const none = known("receiver.audience/none@viewOrganization", { flaky: true });
      expect((await run([none], { faults: [] })).code).toBe(1);
    });
  });

  it.each(
    Object.entries<[string, string]>({
      "an unknown key": [
        `- case: ${WILDCARD}\n  reasn: x\n`,
        "known.yaml:2:3: reasn is not a known key; did you mean reason?",
      ],
      "no reason": [`- case: ${WILDCARD}\n`, "lacks the key reason. Why it may fail for now."],
      "an empty reason": [
        `- case: ${WILDCARD}\n  reason: " "\n`,
        "known.yaml:2:11: reason must not be empty",
      ],
      "a placeholder reason": [
        `- case: ${WILDCARD}\n  reason: "TODO: why?"\n`,
        "known.yaml:2:11: reason is still to be written",
      ],
      "an invalid date": [
        `- case: ${WILDCARD}\n  reason: x\n  expires: 2026-02-30\n`,
        "known.yaml:3:12: expires must be a day",
      ],
      "a rule instead of a case": [
        "- case: receiver.audience\n  reason: x\n",
        "known.yaml:1:9: case must be the id of a case",
      ],
      "a case twice": [
        `- { case: ${WILDCARD}, reason: x }\n- { case: ${WILDCARD}, reason: y }\n`,
        "known.yaml:2:11: case receiver.audience/wildcard@viewOrganization is listed twice",
      ],
      "a `flaky` that is text": [
        `- case: ${WILDCARD}\n  reason: x\n  flaky: "yes"\n`,
        "known.yaml:3:10: flaky must be true or false",
      ],
      "all rules on an operation": [
        "- case: receiver.*/missing@readChange\n  reason: x\n",
        "known.yaml:1:9: case must be the id of a case",
      ],
      "a mapping": [`case: ${WILDCARD}\n`, "the baseline must be a list, not a mapping"],
      "invalid YAML": ["- {\n", "known.yaml:"],
    }),
  )("exits 2 for %s, before anything is sent", async (_, [text, message]) => {
    const { code, err, io } = await run(text);
    expect(code).toBe(2);
    expect(err.replaceAll("\\n", "\n")).toContain(message);
    expect(() => reportIn(io)).toThrow("ENOENT");
  });

  it("exits 2 when the file does not exist", async () => {
    const err = await refusal(run(undefined));
    expect(err).toContain("The baseline");
    expect(err).toContain("does not exist");
  });
});

describe("run --baseline with several cases in an entry", () => {
  const faults = ["audience-wildcard", "audience-issuer"];

  it("knows each of them", async () => {
    const { code, io } = await run([{ case: [WILDCARD, ISSUER], reason: "ticket 7" }], { faults });
    expect(code).toBe(0);
    expect(reportIn(io).baseline?.known.map((one) => one.case)).toEqual([WILDCARD, ISSUER]);
  });

  it("names the one that no longer fails", async () => {
    const { code, io } = await run([{ case: [WILDCARD, ISSUER], reason: "ticket 7" }]);
    expect(code).toBe(1);
    expect(reportIn(io).baseline?.stale).toEqual([{ case: ISSUER, why: "no longer fails: pass" }]);
  });
});

describe("a reason that is not written to its end", () => {
  it.each([
    ["TODO: why may this fail for now, and until when?", "TODO"],
    ["the gateway accepts any audience, TODO ticket", "TODO"],
    ["ticket 12, and until when?", "until when?"],
    ["todo", "todo"],
    ["because", "because"],
    ["because …", "…"],
    ["tokens of the old client, until", "until"],
    ["ticket:", ":"],
    ["the gateway accepts it <ticket>", "<ticket>"],
    ["???", "???"],
  ])("%j is refused with its line and what to write", async (reason, part) => {
    const { code, err, io } = await run([{ case: WILDCARD, reason }]);
    expect(code).toBe(2);
    expect(err).toMatch(/known\.yaml:2:11: reason is (?:still to be|only half) written: /);
    expect(err).toContain(`it says "${part}"; write why the case may fail for now, such as: `);
    expect(() => reportIn(io)).toThrow("ENOENT");
  });

  it.each(["ticket TODO-12", "the todo list of the gateway, ticket 7", "known issue", "#1234"])(
    "%j is none of these",
    async (reason) => {
      expect((await run([{ case: WILDCARD, reason }])).code).toBe(0);
    },
  );
});

describe("run --write-baseline", () => {
  it("writes one bug as one entry with one reason, on all operations where it held on none", async () => {
    const rule = ["--rule", "receiver.audience/{other,wildcard,missing,*url*}@*"];
    const argv = ["run", ...rule, "--write-baseline"];
    const { err, io } = await run(undefined, { faults: ["audience-unchecked"], argv });
    expect(err).toContain("known.yaml holds 1 entry; write the reason of one.");
    const [entry, ...others] = baselineIn(io);
    expect(others).toEqual([]);
    // A case that one operation alone has is named with it.
    expect(entry?.case).toEqual(expect.arrayContaining(["receiver.audience/other@*", WILDCARD]));
    const written = stringify([{ ...entry, reason: "the gateway checks it, ticket 7" }]);
    writeFileSync(join(io.cwd, "known.yaml"), written);
    const again = await command(["run", ...rule, "--baseline", "known.yaml"], io);
    expect([again.code, reportIn(io).baseline?.unknown]).toEqual([0, []]);
  });

  it("names the operations where a case failed on some and held on others", async () => {
    const argv = ["run", "--rule", "receiver.audience/other@*", "--write-baseline"];
    const faults = ["audience-unchecked-on-readChange"];
    const { io } = await run(undefined, { faults, argv });
    expect(baselineIn(io).map((entry) => entry.case)).toEqual([
      "receiver.audience/other@readChange",
    ]);
  });

  it("writes the failures with placeholder reasons, which must be replaced before the file counts", async () => {
    const argv = ["run", ...SELECTED, "--write-baseline"];
    const { code, err, io } = await run(undefined, { argv });
    expect(code).toBe(1);
    expect(err).toContain("known.yaml holds 1 entry; write the reason of one.");
    const [entry, ...others] = baselineIn(io);
    expect(others).toEqual([]);
    expect(entry).toEqual({ case: WILDCARD, reason: expect.stringMatching(/^TODO/) });
    expect((await command(RUN, io)).code).toBe(2);
    writeFileSync(join(io.cwd, "known.yaml"), stringify([known(WILDCARD)]));
    expect((await command(RUN, io)).code).toBe(0);
  });

  it("keeps reasons, dates and entries that were not judged, and removes entries that no longer fail", async () => {
    const kept = [
      known(WILDCARD, { reason: "ticket 7", expires: "2999-01-01" }),
      known(UNSELECTED),
    ];
    const faults = ["audience-wildcard", "audience-issuer"];
    const argv = [...RUN, "--write-baseline"];
    const { io } = await run([...kept, known(CLEAN)], { faults, argv });
    const entries = baselineIn(io);
    expect(entries.slice(0, 2)).toEqual(kept);
    expect(entries.slice(2).map((entry) => entry.case)).toEqual([ISSUER]);
  });

  it("keeps flaky entries, and entries for all operations while one of them fails", async () => {
    const kept = [known("receiver.audience/wildcard@*"), known(CLEAN, { flaky: true })];
    const gone = known("receiver.audience/other@*");
    const rule = ["--rule", "receiver.audience/{wildcard,other}@*"];
    const argv = ["run", ...rule, "--baseline", "known.yaml", "--write-baseline"];
    const { io } = await run([...kept, gone], { argv });
    expect(baselineIn(io)).toEqual(kept);
  });

  it("writes to the given path", async () => {
    const argv = ["run", ...SELECTED, "--write-baseline", "other.yaml"];
    const { io } = await run(undefined, { argv });
    expect(baselineIn(io, "other.yaml").map((entry) => entry.case)).toEqual([WILDCARD]);
  });

  it("exits 2 when it cannot write, and still writes the report", async () => {
    const argv = ["run", ...SELECTED, "--write-baseline", "no/such/folder.yaml"];
    const { code, err, io } = await run(undefined, { argv });
    expect(code).toBe(2);
    expect(err).toContain("The baseline no/such/folder.yaml cannot be written");
    expect(reportIn(io).verdict).toBe("non-conformant");
  });
});
