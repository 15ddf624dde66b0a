import { judgeErrorBody, owesErrorBody } from "../probe/errors/error-record.ts";
import type {
  ComparedAnswer,
  DocumentedAnswer,
  DocumentedMedia,
  DocumentedOperation,
  DocumentedResponse,
} from "../profile/document.ts";
import { bareType } from "./describe.ts";
import { errorModelProblem, JSON_TYPE } from "./error-model.ts";

/**
 * Compares an answer with the document: a success status must be declared, and media type and body
 * must match the declaration.
 * @returns `undefined` where there is nothing to compare, or where the rules about errors already
 * report the answer or the document
 */
export function compareWithDocument(
  documented: DocumentedOperation,
  reply: ComparedAnswer,
): DocumentedAnswer | undefined {
  const { status } = reply;
  const success = status >= 200 && status < 300;
  if (reply.cut || !(success || owesErrorBody(status))) return undefined;
  const response = documentedResponse(documented, status);
  if (!response) {
    return success
      ? { part: "success", problem: `${status} is not among ${declared(documented)}` }
      : { part: "undeclared", problem: String(status) };
  }
  if (!success) {
    const { problems, bodyStatus } = judgeErrorBody(reply);
    if (problems.length > 0 || bodyStatus !== status || !JSON_TYPE.test(typeOf(reply))) {
      return undefined;
    }
    if (errorModelProblem(response, status) !== undefined) return undefined;
  }
  const problem = response.size === 0 ? undefined : contentProblem(response, reply);
  const schema = mediaOf(response, typeOf(reply))?.schema;
  const { unusable, unjudged = [] } = schema ?? {};
  return {
    part: success ? "success" : "error",
    problem: problem === undefined ? undefined : `${status}: ${problem}`,
    unusable: unusable === undefined ? undefined : `${status}: ${unusable}`,
    unjudged: unjudged.length === 0 ? undefined : unjudged,
  };
}

function contentProblem(content: DocumentedResponse, reply: ComparedAnswer): string | undefined {
  const types = [...content.keys()].join(", ");
  if (!reply.hasBody) {
    return reply.status === 204 || reply.status === 205 ? undefined : `no body, not ${types}`;
  }
  const type = typeOf(reply);
  const media = mediaOf(content, type);
  if (!media) return `\`Content-Type\` is ${type.slice(0, 80) || "missing"}, not ${types}`;
  if (!JSON_TYPE.test(type)) return undefined;
  const body = reply.json();
  return body === undefined ? "the body is not JSON" : media.schema?.problem(body);
}

function mediaOf(content: DocumentedResponse, type: string): DocumentedMedia | undefined {
  return content.get(type) ?? content.get(type.replace(/\/.*/, "/*")) ?? content.get("*/*");
}

function typeOf({ headers }: Pick<ComparedAnswer, "headers">): string {
  return bareType(headers["content-type"] ?? "");
}

function declared({ responses }: DocumentedOperation): string {
  return [...responses.keys()].join(", ") || "none";
}

/** The document's response for a status: the exact status, then its range, then the default. */
function documentedResponse(
  { responses }: DocumentedOperation,
  status: number,
): DocumentedResponse | undefined {
  return (
    responses.get(String(status)) ??
    responses.get(`${Math.floor(status / 100)}XX`) ??
    responses.get("default")
  );
}
