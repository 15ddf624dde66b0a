import { expect, test } from "vitest";

import { command, ioWith, oneLine, reportIn, textIn } from "../cli/io.ts";
import { receiver } from "../cli/servers.ts";
import { reportProblems } from "../report/schema.ts";

const ONLY = ["--explore-only", "--explore-requests", "150", "--seed", "1"];

test("run --explore-only finds a violation, every format marks it as explored, and replay runs it again", async () => {
  const { profile } = await receiver({ faults: ["audience-unchecked"] });
  const formats = ["markdown", "html", "junit", "sarif"];
  const { code, out, io } = await command(
    ["run", ...ONLY, "--report", formats.join(",")],
    ioWith(profile),
  );
  expect(code).toBe(1);
  const report = reportIn(io);
  expect(reportProblems(report)).toEqual([]);
  const explored = report.rules.flatMap(({ cases }) => cases).filter((one) => one.explored);
  expect(explored).toHaveLength(1);
  const id = explored[0]?.id ?? "";
  expect(id).toMatch(/^receiver\.audience\/explored-1-/);
  expect(oneLine(out)).toContain("found by exploration: `aud` is");
  expect(oneLine(out)).toMatch(
    /Exploration: \d+ of \d+ drawn cases judged with \d+ requests\. 1 violation found/,
  );
  for (const name of ["report.md", "report.html", "junit.xml", "report.sarif"]) {
    expect(textIn(io, `reports/${name}`)).toContain(id.split("/")[1]);
  }
  const again = await command(["replay", "reports/report.json", id], io);
  expect(again.code).toBe(1);
  expect(again.out).toContain("Failed then, and fails now.");
});

test("run --dry-run says what exploration would send", async () => {
  const { profile } = await receiver({});
  const timed = await command(
    ["run", "--dry-run", "--rule", "receiver.issuer", "--explore", "5m"],
    ioWith(profile),
  );
  expect(oneLine(timed.out)).toContain(
    "After the plan, exploration sends requests that no case lists, for 300 seconds",
  );
  const only = await command(
    ["run", "--dry-run", "--explore-only"],
    ioWith({ ...profile, writes: false }),
  );
  expect(oneLine(only.out)).toContain(
    "In place of the plan, exploration sends requests that no case lists, at most 3000 requests",
  );
  expect(oneLine(only.out)).toContain("None of them is a PATCH or POST");
});

test("a time of exploration that is none is refused", async () => {
  const { profile } = await receiver({});
  const { code, err } = await command(["run", "--explore", "soon"], ioWith(profile));
  expect(code).toBe(2);
  expect(err).toContain("60s, 5m or 1h");
});
