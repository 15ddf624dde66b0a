import { owesErrorBody } from "../probe/error-record.ts";
import { errorModelProblem } from "../probe/openapi/documented-error.ts";
import type { DocumentedErrorResponse, DocumentedOperation } from "../profile/document.ts";

/** How what a document says of an operation's errors differs from the Error body, where one is owed. */
export function errorResponses(
  documented: DocumentedOperation | undefined,
): DocumentedErrorResponse[] {
  const { responses } = documented ?? { responses: new Map() };
  return [...responses].flatMap(([code, response]) => {
    const status = statusOf(code, responses);
    return status === undefined ? [] : [{ code, problem: errorModelProblem(response, status) }];
  });
}

/** A status for which an Error body is owed; `default` is for errors where a success has its own. */
function statusOf(code: string, responses: DocumentedOperation["responses"]): number | undefined {
  if (code === "default") {
    return [...responses.keys()].some((other) => other.startsWith("2")) ? 400 : undefined;
  }
  const status = Number(code.replace("XX", "00"));
  return owesErrorBody(status) ? status : undefined;
}
