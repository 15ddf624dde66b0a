import { readFileSync } from "node:fs";

import formats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";

import { fixturePath } from "../../src/lib/package-root.ts";

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
formats.default(ajv);
const validate = ajv.compile(
  JSON.parse(readFileSync(fixturePath("report.schema.json"), "utf8")) as object,
);

/** What is wrong with a report by its JSON Schema. */
export function reportProblems(report: unknown): string[] {
  return validate(report)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
