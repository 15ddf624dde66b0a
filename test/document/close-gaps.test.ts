import { describe, expect, it } from "vitest";

import type { Dialect } from "../../src/document/json-schema.ts";
import { closeGaps } from "../../src/document/with-document.ts";
import type { OperationProfile } from "../../src/profile/operation.ts";
import { referenceTarget } from "../support/target.ts";
import { described, json, type Json, known, openapi, OPERATION } from "./support.ts";

/** What a run would know of an edit whose request has this content. */
function edit(
  content: unknown,
  { profile = {}, dialect = "3.1" }: { profile?: OperationProfile; dialect?: Dialect } = {},
): OperationProfile | undefined {
  const patch = { ...OPERATION, requestBody: { content } };
  const paths = { "/orgs/{id}": { get: OPERATION, patch } };
  const document = described(openapi(paths), { dialect });
  const target = referenceTarget({ operations: { editOrganization: profile } });
  return closeGaps(target, known(document, target.operations)).operations.editOrganization;
}

const text = { type: "string" };

describe("the body of a write", () => {
  it.each(
    Object.entries<[content: unknown, body: unknown]>({
      "one free text, if nothing is required": [
        json({ properties: { id: text, name: text, mission: text, homepageUrl: text } }),
        { mission: "${unique}" },
      ],
      "required members and a free text": [
        json({
          required: ["kind", "name"],
          properties: { kind: { enum: ["edit"] }, name: text, size: { type: "integer" } },
        }),
        { kind: "edit", name: "${unique}" },
      ],
      "an example, with the text in the likeliest place": [
        json(
          { required: ["code"], properties: { code: text, note: text } },
          { example: { code: "A1", note: "hi" } },
        ),
        { code: "A1", note: "${unique}" },
      ],
      "a named example": [
        json({ required: ["a"] }, { examples: { first: { value: { a: "x", title: "y" } } } }),
        { a: "x", title: "${unique}" },
      ],
      "an example of the schema": [
        json({
          required: ["code", "name"],
          properties: { code: { pattern: "^A" }, name: text },
          examples: [{ code: "A1", name: "n" }],
        }),
        { code: "A1", name: "${unique}" },
      ],
      "an example without a schema": [
        { "application/json": { example: { mission: "to help", id: "7" } } },
        { mission: "${unique}", id: "7" },
      ],
      "no read-only member": [
        json(
          { required: ["id", "name"], properties: { id: { ...text, readOnly: true }, name: text } },
          { example: { id: "7", name: "n" } },
        ),
        { name: "${unique}" },
      ],
      "no text with a format": [
        json({
          required: ["code", "day", "short"],
          properties: {
            code: { ...text, pattern: "^[A-Z]+$", examples: ["ABC"] },
            day: { ...text, format: "date" },
            short: { ...text, maxLength: 5 },
            about: text,
          },
        }),
        { code: "ABC", day: "2024-01-01", short: "confo", about: "${unique}" },
      ],
      "a text inside a required member": [
        json({
          required: ["patch"],
          properties: {
            patch: { type: "object", properties: { mission: text } },
            source: text,
          },
        }),
        { patch: { mission: "${unique}" } },
      ],
      "a value of a JSON Patch, by its example": [
        {
          "application/json-patch+json": {
            schema: { type: "array" },
            example: [{ op: "replace", path: "/mission", value: "x" }],
          },
        },
        [{ op: "replace", path: "/mission", value: "${unique}" }],
      ],
      "the example without a text, if there is no place for one": [
        json(
          { required: ["size"], properties: { size: { type: "integer" } } },
          { example: { size: 3 } },
        ),
        { size: 3 },
      ],
      "no example that the schema rejects": [
        json({ required: ["name"], properties: { name: text } }, { example: { name: 7 } }),
        { name: "${unique}" },
      ],
      "nothing, if no value is found that the schema allows": [
        json({ required: ["code"], properties: { code: { ...text, pattern: "^[A-Z]+$" } } }),
        undefined,
      ],
      "nothing, if no media type is JSON": [{ "text/csv": { example: "a;b" } }, undefined],
    }),
  )("%s", (_what, [content, body]) => {
    expect(edit(content)?.body).toEqual(body);
  });

  it("is not null, although OpenAPI 3.0 allows it", () => {
    const schema = {
      properties: { name: { type: "string", nullable: true, allOf: [{ minLength: 1 }] } },
    };
    expect(edit(json(schema), { dialect: "3.0" })?.body).toEqual({ name: "${unique}" });
  });
});

describe("the media type of a write", () => {
  it.each([
    [
      ["application/xml", "application/merge-patch+json", "application/json"],
      "application/merge-patch+json",
    ],
    [["Application/JSON; charset=utf-8"], "application/json"],
    [["*/*"], "application/json"],
    [["application/xml"], undefined],
  ])("of %j is %s", (types, expected) => {
    const schema = { properties: { name: text } };
    const content = Object.fromEntries(types.map((type) => [type, { schema }]));
    expect(edit(content)?.contentType).toBe(expected);
  });
});

describe("an invalid body", () => {
  it("is the good body with a value of another type", () => {
    expect(edit(json({ properties: { name: text } }))?.invalidBody).toEqual({
      name: { conformance: 7 },
    });
  });

  it("is also made from the profile's body", () => {
    const schema = { properties: { size: { type: "integer" } } };
    const closed = edit(json(schema), { profile: { body: { size: 1, note: "${unique}" } } });
    expect(closed?.body).toEqual({ size: 1, note: "${unique}" });
    expect(closed?.invalidBody).toEqual({ size: { conformance: 7 }, note: "${unique}" });
  });

  it.each<[string, unknown, object]>([
    ["the schema allows anything", json({ properties: { name: {} } }), {}],
    ["there is no schema", { "application/json": { example: { name: "n" } } }, {}],
    [
      "the profile's body does not match the schema",
      json({ required: ["a"], properties: { b: text } }),
      { profile: { body: { b: "b" } } },
    ],
  ])("is not made if %s", (_where, content, options) => {
    expect(edit(content, options)?.invalidBody).toBeUndefined();
  });
});

describe("the profile", () => {
  it("is never overridden", () => {
    const profile = { contentType: "application/json", body: { a: 1 }, invalidBody: { a: "x" } };
    const content = json({ properties: { a: { type: "integer" }, name: text } });
    expect(edit(content, { profile })).toEqual(profile);
  });

  it("selects one of several media types", () => {
    const content = {
      "application/json": { schema: { properties: { name: text } } },
      "application/merge-patch+json": { schema: { properties: { mission: text } } },
    };
    const profile = { contentType: "application/merge-patch+json; charset=utf-8" };
    expect(edit(content, { profile })).toMatchObject({
      ...profile,
      body: { mission: "${unique}" },
    });
    expect(
      edit(content, { profile: { contentType: "application/vnd.x+json" } })?.body,
    ).toBeUndefined();
  });

  it("alone decides which operations are offered", () => {
    const target = referenceTarget({ operations: { viewOrganization: false } });
    const document = described(openapi({ "/orgs/{id}": { get: OPERATION } }));
    const { operations } = closeGaps(target, known(document, target.operations));
    expect(operations.viewOrganization).toBeUndefined();
    expect(operations.readChange).toBeDefined();
  });
});

/** Whether a list that is described so is taken for paginated. */
function list(item: Json): unknown {
  const document = described(openapi({ "/orgs": item }));
  return closeGaps(referenceTarget(), known(document)).operations.listOrganizations?.paginated;
}

describe("pagination and paths", () => {
  const parameters = ["page", "pageSize"].map((name) => ({ name, in: "query" }));

  it("a route is paginated if both parameters are declared on the operation or the path", () => {
    expect(list({ get: { ...OPERATION, parameters } })).toBe(true);
    expect(list({ get: OPERATION, parameters })).toBe(true);
    expect(list({ get: { ...OPERATION, parameters: parameters.slice(1) } })).toBeUndefined();
    const headers = parameters.map((one) => ({ ...one, in: "header" }));
    expect(list({ get: { ...OPERATION, parameters: headers } })).toBeUndefined();
  });

  it("a route is paginated if the body has both parameters", () => {
    expect(edit(json({ properties: { page: {}, pageSize: {} } }))?.paginated).toBe(true);
  });

  it("a path ends in a slash if it does so in the document", () => {
    const document = described(
      openapi({ "/orgs/": { get: OPERATION }, "/orgs/{id}": { get: OPERATION } }),
    );
    const { operations } = closeGaps(referenceTarget(), known(document));
    expect(operations.listOrganizations?.trailingSlash).toBe(true);
    expect(operations.viewOrganization?.trailingSlash).toBeUndefined();
  });
});
