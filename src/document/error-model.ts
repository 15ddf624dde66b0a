import { validateModel } from "../contract/models.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { owesErrorBody } from "../probe/errors/error-record.ts";
import type {
  DocumentedErrorResponse,
  DocumentedOperation,
  DocumentedResponse,
  DocumentedSchema,
} from "../profile/document.ts";

/** Invalid values for the members of an Error body. */
const WRONG: JsonObject = { status: "conformance", message: 7, errors: "conformance" };

/** A cache: every error of a run is compared, and a document has few responses. */
const found = new WeakMap<DocumentedResponse, Map<number, string | undefined>>();

/** A media type of JSON: `application/json`, or one with the suffix `+json` (RFC 6839 §3.1). */
export const JSON_TYPE: RegExp = /^(?:application\/json|[\w.-]+\/[\w.+-]+\+json)$/;

/**
 * How the document's error response differs from the contract's Error body, as a phrase; `undefined`
 * when it does not, or when that cannot be determined.
 * @param status the status of the response, or one of its range
 */
export function errorModelProblem(
  response: DocumentedResponse,
  status: number,
): string | undefined {
  const known = found.get(response) ?? new Map<number, string | undefined>();
  found.set(response, known);
  if (!known.has(status)) known.set(status, findProblem(response, status));
  return known.get(status);
}

function findProblem(response: DocumentedResponse, status: number): string | undefined {
  if (response.size === 0) return "has no body";
  const json = [...response].filter(([type]) => JSON_TYPE.test(type) || type.includes("*"));
  if (json.length === 0) return `has a body of ${[...response.keys()].join(", ")}, none in JSON`;
  for (const [type, { schema, examples }] of json) {
    const problem = schema ? schemaProblem(schema, examples, status) : "has a body of any shape";
    if (problem !== undefined) return json.length > 1 ? `${problem} (${type})` : problem;
  }
  return undefined;
}

/**
 * Tests the schema with values: a body that it allows must be an Error body, and it must refuse that
 * body once a member is missing or has another type.
 */
function schemaProblem(
  schema: DocumentedSchema,
  examples: readonly unknown[],
  status: number,
): string | undefined {
  if (schema.unusable !== undefined) return undefined;
  const allowed = [...examples, schema.smallest()].filter(
    (one): one is JsonObject => isObject(one) && schema.problem(one) === undefined,
  );
  const plain = { status, message: "conformance", errors: [] };
  const body = [...allowed.map((one) => ({ ...one, ...plain })), plain, ...allowed].find(
    (one) => schema.problem(one) === undefined && validateModel("Error", one).length === 0,
  );
  for (const [name, wrong] of body ? Object.entries(WRONG) : []) {
    const { [name]: _left, ...without } = body as JsonObject;
    if (schema.problem(without) === undefined) return `does not require \`${name}\``;
    if (schema.problem({ ...body, [name]: wrong }) === undefined) {
      return `allows \`${name}\` to be of another type`;
    }
  }
  // If no allowed value is known, a refused Error body proves nothing.
  const [first] = allowed.flatMap((one) => validateModel("Error", one));
  return first && `has a body in which \`${first.pointer}\` ${first.message}`;
}

/** How the documented error responses of an operation differ from the Error body, where the contract requires one. */
export function errorResponses(
  documented: DocumentedOperation | undefined,
): DocumentedErrorResponse[] {
  const { responses } = documented ?? { responses: new Map() };
  return [...responses].flatMap(([code, response]) => {
    const status = statusOf(code, responses);
    return status === undefined ? [] : [{ code, problem: errorModelProblem(response, status) }];
  });
}

/** A status that requires an Error body. `default` is one if a success has its own entry. */
function statusOf(code: string, responses: DocumentedOperation["responses"]): number | undefined {
  if (code === "default") {
    return [...responses.keys()].some((other) => other.startsWith("2")) ? 400 : undefined;
  }
  const status = Number(code.replace("XX", "00"));
  return owesErrorBody(status) ? status : undefined;
}
