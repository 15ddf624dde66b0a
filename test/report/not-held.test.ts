import { expect, test } from "vitest";

import { render } from "../../src/render.ts";
import { annotations } from "../../src/report/annotations.ts";
import { command, ioWith, reportIn } from "../cli/io.ts";
import { receiver } from "../cli/servers.ts";

const TITLE = "A token for another audience is rejected";

/** The texts before each place in which a text has the title. */
function before(text: string): string[] {
  return text.split(TITLE).slice(0, -1);
}

test("no format shows the title of a violated rule as what happened", async () => {
  const { profile } = await receiver({ faults: ["audience-unchecked"] });
  const rule = "receiver.audience/other@viewOrganization";
  const { io, out } = await command(["run", "--rule", rule, "--seed", "1"], ioWith(profile));
  const report = reportIn(io);
  const sarif = JSON.parse(render(report, "sarif")) as {
    readonly runs: readonly {
      readonly results: readonly { readonly message: { text: string } }[];
    }[];
  };
  const texts = [
    out,
    render(report, "junit"),
    render(report, "markdown"),
    ...sarif.runs.flatMap(({ results }) => results.map(({ message }) => message.text)),
    annotations(report),
  ].map((text) => text.replaceAll("&quot;", '"'));
  const places = texts.flatMap(before);
  expect(places.length).toBeGreaterThanOrEqual(4);
  for (const place of places) expect(place.slice(-20)).toMatch(/Does not hold: "?$/);
});
