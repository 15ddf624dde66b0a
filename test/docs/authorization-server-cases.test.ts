import { expect, test } from "vitest";

import { profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import { RULES } from "../../suites/index.ts";
import { documentedReceiver } from "../cli/servers.ts";
import { packageText } from "../support/package-text.ts";

const PAGE = packageText("docs/authorization-server-cases.md");
const ROWS = PAGE.split("\n").flatMap((line) => {
  const [, number, what, level, answer = ""] = line.split("|").map((cell) => cell.trim());
  return /^\d+$/.test(number ?? "") ? [{ number: Number(number), what, level, answer }] : [];
});

/** Level by id, without the client or operation at its end. */
async function knownCases(): Promise<Map<string, string>> {
  const { profile } = await documentedReceiver({ authorizationServer: true });
  const target = resolveTarget({ profile: profileFromObject(profile) });
  const { authorizationServer: server } = target;
  const others = (["private_key_jwt", "none"] as const).map((authentication) => {
    const clients = server?.clients.map(({ secret: _secret, ...client }) => ({
      ...client,
      authentication,
      ...(authentication === "private_key_jwt" && { key: { x: client.id } }),
    }));
    return {
      ...target,
      ...(server && clients && { authorizationServer: { ...server, clients } }),
    };
  });
  return new Map(
    RULES.flatMap((rule) =>
      [...others, target]
        .flatMap((one) => rule.cases(one))
        .map(({ id, level = rule.level }) => [`${rule.id}/${id.replace(/@.*$/, "")}`, level]),
    ),
  );
}

test("every row of the page names existing cases, the first at its level, or says why there is none", async () => {
  const known = await knownCases();
  for (const { number, level, answer } of ROWS) {
    const names = [...answer.matchAll(/`((?:authorization-server|receiver)\.[^`]+)`/g)];
    const [first] = names.map(([, id = ""]) => id);
    if (answer.startsWith("none: ")) continue;
    const unknown = names.map(([, id = ""]) => id).filter((id) => !known.has(id));
    expect([number, unknown]).toEqual([number, []]);
    expect([number, known.get(first ?? "")]).toEqual([number, level]);
  }
});

test("the rows are numbered without a gap, and each says what it looks at", () => {
  expect(ROWS).not.toEqual([]);
  expect(ROWS.map(({ number }) => number)).toEqual(ROWS.map((_row, index) => index + 1));
  expect(ROWS.filter(({ what, answer }) => what === "" || answer === "")).toEqual([]);
});

test("the page names every case of this side", async () => {
  const own = [...(await knownCases()).keys()].filter((id) =>
    /^authorization-server\.(?!accepted|recommended)/.test(id),
  );
  expect(own.filter((id) => !PAGE.includes(`\`${id}\``))).toEqual([]);
});
