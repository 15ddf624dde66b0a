import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";

/**
 * Names that mean nothing else in a message: claims, header parameters and fields, members, and keys of the profile. Words of
 * English, such as `scope` or `page`, cannot be told from names here.
 */
const NAME =
  /(?<![\w`"'./{}-])(?:aud|iss|iat|exp|nbf|jti|kid|alg|typ|crit|pageSize|totalItems|totalPages|claimsNamespace|grant_type|org_id|client_id|[A-Z][a-z]+(?:-[A-Z][a-z]+)+|WWW-Authenticate|ETag|(?:organizations|operations|testIssuer|authorizationServer|tokens|request|denied)\.[a-zA-Z]+)(?![\w`"'=/-])/g;

/** Texts in which names are not quoted, and why. */
const ELSEWHERE: readonly (readonly [file: RegExp, why: string])[] = [
  [/^src\/init\//, "lines of a ticket, a profile or a prompt, laid out in columns"],
  [/^src\/cli\/commands\/(?:init|serve)\//, "the same"],
  [/^src\/report\/schema\//, "descriptions in a JSON Schema"],
  [/^src\/profile\/(?:need|schema|authorization-server-schema)\.ts$/, "keys, and a JSON Schema"],
  [/^src\/(?:reference|proof)\//, "what the reference receiver answers, and tables of the proof"],
];

/** A list of names alone, a key of the profile's needs, a line of a header or of YAML, or code. */
const OTHERWISE =
  /t#S256|crit b64|^orgId org_id|\\\$\{unique\} in|If-Match: "|, Retry-After: |\.exec\(/;

/** The texts of a source file with three words or more, without what is quoted or filled in. */
function textsOf(source: string): string[] {
  return source
    .split("\n")
    .filter((line) => !/^\s*(?:\/\/|\*|\/\*|import )/.test(line))
    .flatMap((line) => [...line.matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)])
    .map(([, plain, template]) => plain ?? template ?? "")
    .filter((text) => text.split(" ").length > 2 && !OTHERWISE.test(text))
    .map((text) => text.replaceAll(/\\?`[^`]*`/g, "").replaceAll(/\$\{[^}]*\}/g, ""));
}

test("names in messages are quoted, in all rules and commands", () => {
  const files = ["src", "suites"].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
  );
  const judged = files.filter((file) => !ELSEWHERE.some(([pattern]) => pattern.test(file)));
  const unquoted = judged.flatMap((file) =>
    textsOf(readFileSync(join(packageRoot, file), "utf8")).flatMap((text) =>
      [...text.matchAll(NAME)].map(([name]) => `${file}: ${name} in "${text}"`),
    ),
  );
  expect(judged.length).toBeGreaterThan(400);
  expect(unquoted).toEqual([]);
});

test("an unquoted name is found", () => {
  const found = textsOf(
    'const a = "the claim aud is missing";\nconst b = "the `aud` is missing";',
  ).flatMap((text) => text.match(NAME) ?? []);
  expect(found).toEqual(["aud"]);
});
