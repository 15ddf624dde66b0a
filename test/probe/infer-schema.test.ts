import { expect, test } from "vitest";

import { inferSchema } from "../../src/probe/openapi/infer-schema.ts";

test("members are described two levels deep, without values", () => {
  const body = {
    items: [
      {
        id: "3f6c1d52-8a0e-4b7d-9c41-5e2a7f90b813",
        at: "2026-01-02T03:04:05Z",
        n: 1,
        more: { a: 1 },
      },
      { id: "b81e4a07-26d9-4f35-8e6b-0c9d3a5f7214", at: null, n: 1.5 },
    ],
    ok: true,
  };
  expect(inferSchema(body)).toEqual({
    type: "object",
    properties: {
      items: {
        type: "array",
        items: {
          type: "object",
          properties: {
            id: { type: "string", format: "uuid" },
            at: { type: ["null", "string"] },
            n: { type: ["integer", "number"] },
            more: { type: "object" },
          },
        },
      },
      ok: { type: "boolean" },
    },
  });
});

test("the description of a large value is small", () => {
  const wide = Object.fromEntries(
    Array.from({ length: 500 }, (_, i) => [`${i}`.padEnd(99, "x"), i]),
  );
  const { properties = {} } = inferSchema(wide);
  expect(Object.keys(properties)).toHaveLength(20);
  for (const name of Object.keys(properties)) expect(name.length).toBeLessThanOrEqual(40);
  expect(inferSchema([])).toEqual({ type: "array", items: {} });
});
