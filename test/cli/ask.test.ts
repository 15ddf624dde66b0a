import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";

import { expect, test } from "vitest";

import { askAt } from "../../src/cli/ask.ts";
import type { Asker } from "../../src/init/gather.ts";
import { BASE, ioWith, profileIn, withKeys } from "./init.ts";
import { command } from "./io.ts";

/** What a field showed when Enter was pressed, by its question. */
type Shown = Map<string, string>;

/** A terminal at which a person presses Enter alone, unless `typed` has an answer to a question that begins so. */
function terminalWith(typed: Readonly<Record<string, string>>): { ask: Asker; shown: Shown } {
  const shown: Shown = new Map();
  const answered = async <T>(message: string, asked: (asker: Asker) => Promise<T>): Promise<T> => {
    const input = new PassThrough();
    const output = Object.assign(new PassThrough(), { columns: 400 });
    let written = "";
    output.on("data", (chunk: Buffer) => {
      written += stripVTControlCharacters(chunk.toString());
      const field = written.split(`${message}\n`)[1]?.match(/^(.*)\n/)?.[1];
      // `_` is the cursor of an empty field.
      if (field !== undefined && !shown.has(message))
        shown.set(message, field.replace(/^│\s*_?/, ""));
    });
    const said = asked(askAt(input, output));
    const answer = Object.entries(typed).find(([start]) => message.startsWith(start))?.[1] ?? "";
    await expect.poll(() => shown.has(message)).toBe(true);
    input.write(`${answer}\r`);
    return said;
  };
  return {
    shown,
    ask: {
      text: (question) => answered(question.message, (asker) => asker.text(question)),
      confirm: (question) => answered(question.message, (asker) => asker.confirm(question)),
    },
  };
}

test("at each question of init, Enter takes what the field shows, or the field shows nothing", async () => {
  const { ask, shown } = terminalWith({ "Base URL": BASE, "Issuer URL": "https://auth.example" });
  const { code, io } = await command(["init"], await withKeys(ioWith(ask)));
  expect(code).toBe(0);
  const { profile } = profileIn(io);
  const field = (start: string): string | undefined =>
    [...shown].find(([message]) => message.startsWith(start))?.[1];
  expect(shown.size).toBe(13);
  const empty = ["Base URL", "Its {claims", "Issuer URL", "A client_id", "Its OpenAPI"];
  expect(empty.map(field)).toEqual(empty.map(() => ""));
  expect(profile.claimsNamespace).toBeUndefined();
  expect(profile.openapi).toBeUndefined();
  expect(profile.writes).toBe(false);
  expect(profile.subject).toBe(field("Subject"));
  expect(profile.testIssuer).toMatchObject({ url: field("Issuer (iss)") });
  expect(profile.organizations).toMatchObject({
    primary: field("Id of the organization"),
    other: field("Id of a second"),
  });
  expect(profile.denied).toMatchObject({ subject: field("A second subject") });
});

test("an answer of blanks takes what the field shows", async () => {
  const { ask, shown } = terminalWith({ "Base URL": BASE, Subject: "   " });
  const { io } = await command(["init"], await withKeys(ioWith(ask)));
  const subject = [...shown].find(([message]) => message.startsWith("Subject"))?.[1];
  expect(profileIn(io).profile.subject).toBe(subject);
});
