/**
 * The kinds of objects in OpenAPI 3.0 and 3.1, and where references may take their place. Everything else
 * in a document is data: `example`, the `value` of an Example Object, `default`, `enum`, `const`,
 * extensions.
 */
export type Kind =
  | "document"
  | "components"
  | "pathItem"
  | "operation"
  | "callback"
  | "parameter"
  | "requestBody"
  | "response"
  | "media"
  | "encoding"
  | "schema"
  | "plain";

/** The value of a member: one object, a list of objects, or a map of objects by name. */
export type Held = readonly [how: "one" | "list" | "map", kind: Kind];

interface Shape {
  /**
   * Whether a `$ref` may take the object's place (a Reference Object, or the `$ref` of a Path Item or a
   * Schema), and whether the members beside it then count. Default: `no`.
   */
  readonly reference: "no" | "alone" | "beside others";
  readonly members: Readonly<Record<string, Held>>;
  /** The value of every other member. */
  readonly others?: Kind;
}

const one = (kind: Kind): Held => ["one", kind];
const list = (kind: Kind): Held => ["list", kind];
const map = (kind: Kind): Held => ["map", kind];

/** Members of a JSON Schema 2020-12 that hold schemas; they include those of OpenAPI 3.0. */
export const SCHEMA_MEMBERS: Readonly<Record<string, Held>> = {
  ...members(
    `items additionalProperties not if then else contains propertyNames
     unevaluatedItems unevaluatedProperties`,
    one("schema"),
  ),
  ...members("allOf anyOf oneOf prefixItems", list("schema")),
  ...members("properties patternProperties dependentSchemas $defs definitions", map("schema")),
};

/** The objects of OpenAPI 3.1, https://spec.openapis.org/oas/v3.1.1#schema-0, and so of 3.0. */
export const SHAPES: Readonly<Record<Kind, Shape>> = {
  document: {
    reference: "no",
    members: {
      paths: map("pathItem"),
      webhooks: map("pathItem"),
      components: one("components"),
    },
  },
  components: {
    reference: "no",
    members: {
      schemas: map("schema"),
      responses: map("response"),
      parameters: map("parameter"),
      headers: map("parameter"),
      requestBodies: map("requestBody"),
      callbacks: map("callback"),
      pathItems: map("pathItem"),
      ...members("examples securitySchemes links", map("plain")),
    },
  },
  pathItem: {
    reference: "beside others",
    members: {
      parameters: list("parameter"),
      ...members("get put post delete options head patch trace", one("operation")),
    },
  },
  operation: {
    reference: "no",
    members: {
      parameters: list("parameter"),
      requestBody: one("requestBody"),
      responses: map("response"),
      callbacks: map("callback"),
    },
  },
  callback: { reference: "alone", members: {}, others: "pathItem" },
  parameter: {
    reference: "alone",
    members: { schema: one("schema"), content: map("media"), examples: map("plain") },
  },
  requestBody: { reference: "alone", members: { content: map("media") } },
  response: {
    reference: "alone",
    members: { headers: map("parameter"), content: map("media"), links: map("plain") },
  },
  media: {
    reference: "no",
    members: { schema: one("schema"), examples: map("plain"), encoding: map("encoding") },
  },
  encoding: { reference: "no", members: { headers: map("parameter") } },
  schema: { reference: "beside others", members: SCHEMA_MEMBERS },
  plain: { reference: "alone", members: {} },
};

function members(names: string, held: Held): Record<string, Held> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, held]));
}
