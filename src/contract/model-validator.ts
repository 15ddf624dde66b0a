import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type { Options, ValidateFunction } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";

import { compiledFixture, fixturePath } from "../lib/package-root.ts";

/** The shared models and their versions, clause "Versioning". */
export const MODEL_VERSIONS = {
  Error: "0.1.0",
  ApplicationSubmissionError: "0.2.0",
  PaginatedQueryParams: "0.1.0",
  PaginatedBodyParams: "0.1.0",
  PaginatedResultsInfo: "0.1.0",
} as const;

export type ModelName = keyof typeof MODEL_VERSIONS;

/** The file that holds the compiled validators of a build; see `scripts/compile-fixtures.mjs`. */
export const COMPILED_MODELS = "models.cjs";

/**
 * Options of the model validators. The tests check the models against their meta-schema, so it is not
 * checked again here. The only `format`, int32, repeats the bounds beside it.
 */
export const MODEL_OPTIONS: Options = {
  allErrors: true,
  verbose: true,
  validateSchema: false,
  validateFormats: false,
};

const require = createRequire(import.meta.url);
const validators = new Map<ModelName, ValidateFunction>();

/** The JSON Schema of a model, read from `fixtures/models`. */
export function modelSchema(model: ModelName): object {
  const file = fixturePath("models", `${model}.${MODEL_VERSIONS[model]}.json`);
  return JSON.parse(readFileSync(file, "utf8")) as object;
}

/** The validator of a model: precompiled in a build, otherwise compiled at first use. */
export function modelValidator(model: ModelName): ValidateFunction {
  const known = validators.get(model);
  if (known) return known;
  const built = compiledFixture(COMPILED_MODELS, import.meta.url);
  const validate = built
    ? (require(built) as Record<ModelName, ValidateFunction>)[model]
    : compile(model);
  validators.set(model, validate);
  return validate;
}

function compile(model: ModelName): ValidateFunction {
  const { Ajv2020: Ajv } = require("ajv/dist/2020.js") as { Ajv2020: typeof Ajv2020 };
  return new Ajv(MODEL_OPTIONS).compile(modelSchema(model));
}
