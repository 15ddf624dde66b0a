import { createRequire } from "node:module";

import standalone from "ajv/dist/standalone/index.js";

const own = createRequire(import.meta.url);
const parser = createRequire(own.resolve("@apidevtools/swagger-parser"));
const WITH = "openapi-validator:";

/** Replaces the module in which the parser compiles the schemas of OpenAPI at run time. */
const VALIDATOR = `
module.exports = (api) => {
  const validate = api.openapi.startsWith("3.1") ? require("${WITH}3.1.0") : require("${WITH}3.0.0");
  if (validate(api)) return;
  throw Object.assign(new SyntaxError("the document is not valid"), { details: validate.errors });
};
`;

/** The code of the latest validator. */
let code = "";

/**
 * Saves the code of a validator when the parser would use it, with the parser's own options and
 * corrections.
 */
function writingDown(Ajv) {
  return class extends Ajv {
    constructor(options) {
      super({ ...options, code: { source: true } });
    }

    validate(schema, ...data) {
      // Compiling a schema validates it against the meta-schema.
      if (this.compiling) return super.validate(schema, ...data);
      this.compiling = true;
      code = standalone.default(this, this.compile(schema));
      return true;
    }
  };
}

for (const name of ["ajv/dist/2020.js", "ajv-draft-04"]) {
  const Ajv = parser(name);
  parser.cache[parser.resolve(name)].exports = writingDown(Ajv.default ?? Ajv);
}

const written = new Map();

/** The validator of a version of OpenAPI, as code. */
function validatorOf(openapi) {
  if (!written.has(openapi)) {
    parser("./validators/schema.js")({ openapi });
    written.set(openapi, code);
  }
  return written.get(openapi);
}

/** A plugin that compiles the schemas of OpenAPI at build time instead of in every run. */
export const openapiValidators = {
  name: "openapi-validators",
  resolveId: (id) => (id.startsWith(WITH) ? `\0${id}.cjs` : undefined),
  load(id) {
    if (/swagger-parser[/\\]lib[/\\]validators[/\\]schema\.js$/.test(id)) return VALIDATOR;
    if (!id.startsWith(`\0${WITH}`)) return undefined;
    return validatorOf(id.slice(WITH.length + 1, -".cjs".length));
  },
};
