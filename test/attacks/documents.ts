import { changed, type HostileTarget } from "./targets.ts";

/** Malicious or large OpenAPI documents of a conforming receiver. */

type Json = Readonly<Record<string, unknown>>;

const HEAD = 'openapi: 3.1.0\ninfo: { title: T, version: "1" }\npaths: {}\n';

/** Generates many names. */
const many = (count: number, one: (n: number) => readonly [string, unknown]): Json =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => one(n)));

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** A document in which both reads of an organization are of the schema `Root`. */
function document(schemas: Json, more: Json = {}): string {
  const content = { "application/json": { schema: ref("Root") } };
  const get = { responses: { 200: { description: "", content } } };
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "T", version: "1" },
    paths: { "/orgs/{orgId}": { get }, "/orgs": { get } },
    components: { schemas },
    ...more,
  });
}

/** An honest receiver with such a document. */
function documented(
  name: string,
  text: string,
  more: Pick<HostileTarget, "thorough"> = {},
): HostileTarget {
  return {
    ...changed(`a document with ${name}`, () => ({})),
    profile: { openapi: "api.yaml" },
    files: { "api.yaml": text },
    rule: "document.*",
    ...more,
  };
}

const level = (n: number): string => (n === 0 ? "Root" : `L${n}`);

/** Levels, each with two references to the next. */
function doubling(levels: number, byTwo: (next: Json) => Json): string {
  const schemas = many(levels, (n) => [level(n), byTwo(ref(level(n + 1)))]);
  return document({ ...schemas, [level(levels)]: { type: "object" } });
}

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

/** In test/document/attacks.test.ts. */
const TRIED_IN_PROCESS = { thorough: true } as const;

export const HOSTILE_DOCUMENTS: readonly HostileTarget[] = [
  documented(
    "a pattern that a backtracking engine never ends",
    document({
      Root: { properties: { name: { type: "string", pattern: "^([a-zA-Z ]+)+[!]$" } } },
    }),
    TRIED_IN_PROCESS,
  ),
  documented(
    "a pattern that counts to a million",
    document({ Root: { properties: { name: { pattern: "^((a{0,1000}){0,1000}){0,1000}$" } } } }),
  ),
  documented(
    "thirty levels of references by two ways",
    doubling(30, (next) => ({ required: ["id"], properties: { a: next, b: next } })),
    TRIED_IN_PROCESS,
  ),
  documented(
    "thirty levels of allOf by two ways",
    doubling(30, (next) => ({ allOf: [next, next] })),
    { thorough: true },
  ),
  documented(
    "thirty levels of oneOf by two ways",
    doubling(30, (next) => ({ oneOf: [next, { ...next, title: "again" }] })),
    { thorough: true },
  ),
  documented("a reference to itself", document({ Root: ref("Root") })),
  documented("an allOf of itself", document({ Root: { allOf: [ref("Root")] } }), {
    thorough: true,
  }),
  documented(
    "300,000 keys in YAML",
    `${HEAD}x:\n${Array.from({ length: 300_000 }, (_, n) => ` k${n}: 1\n`).join("")}`,
  ),
  documented("100,000 levels in YAML", `${HEAD}x: ${nested(100_000)}`, TRIED_IN_PROCESS),
  documented(
    "100,000 levels in JSON",
    `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{},"x":${nested(100_000)}}`,
    TRIED_IN_PROCESS,
  ),
  documented(
    "aliases of aliases",
    `${HEAD}x:\n${Array.from({ length: 30 }, (_, n) => (n === 0 ? " - &a0 [1]\n" : ` - &a${n} [*a${n - 1}, *a${n - 1}]\n`)).join("")}`,
  ),
  documented(
    "an enum of 100,000 values",
    document({ Root: { properties: { name: { enum: Array.from({ length: 100_000 }, String) } } } }),
  ),
  documented(
    "50,000 properties, all required",
    document({
      Root: {
        required: Array.from({ length: 50_000 }, (_, n) => `p${n}`),
        properties: many(50_000, (n) => [`p${n}`, { type: "string" }]),
      },
    }),
    { thorough: true },
  ),
  documented(
    "a choice of 5,000",
    document({
      Root: {
        oneOf: Array.from({ length: 5000 }, (_, n) => ({ properties: { id: { const: n } } })),
      },
    }),
    { thorough: true },
  ),
  documented(
    "3,000 schemas that are honest",
    document({
      Root: ref("S0"),
      ...many(3000, (n) => [
        `S${n}`,
        {
          type: "object",
          description: `The schema of number ${n}, as a generator writes it. `.repeat(2),
          properties: {
            id: { type: "string", format: "uuid" },
            name: { type: "string", maxLength: 200 },
            next: ref(`S${(n + 1) % 3000}`),
          },
        },
      ]),
    }),
  ),
  documented("20 MiB of text", `${HEAD}x: "${"y".repeat(20 * 1024 * 1024)}"`),
];
