// Writes files beside the built code that would take long to compute at every start: the YAML fixtures as
// JSON, the validators of the models, and the digest of rules and cases.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { parse } from "yaml";

import {
  COMPILED_MODELS,
  MODEL_OPTIONS,
  MODEL_VERSIONS,
  modelSchema,
} from "../dist/src/contract/model-validator.js";
import { BUILT_DIGEST, computeDigest } from "../dist/src/engine/rules-digest.js";
import { RULES } from "../dist/suites/index.js";

const fixtures = new URL("../fixtures/", import.meta.url);
const compiled = new URL("../dist/fixtures/", import.meta.url);
for (const folder of ["", "packs/"]) mkdirSync(new URL(folder, compiled), { recursive: true });
const names = ["", "packs/"].flatMap((folder) =>
  readdirSync(new URL(folder, fixtures)).map((file) => `${folder}${file}`),
);
for (const name of names.filter((file) => file.endsWith(".yaml"))) {
  const content = parse(readFileSync(new URL(name, fixtures), "utf8"));
  writeFileSync(new URL(`${name}.json`, compiled), JSON.stringify(content));
}
// What the command imports of them.
copyFileSync(new URL("consent.mjs", fixtures), new URL("consent.mjs", compiled));

const ajv = new Ajv2020({ ...MODEL_OPTIONS, code: { source: true } });
const models = Object.keys(MODEL_VERSIONS);
for (const model of models) ajv.addSchema(modelSchema(model), model);
const code = standalone.default(ajv, Object.fromEntries(models.map((model) => [model, model])));
writeFileSync(new URL(COMPILED_MODELS, compiled), code);
writeFileSync(new URL(BUILT_DIGEST, compiled), JSON.stringify(computeDigest(RULES)));
