import { owesErrorBody } from "../probe/errors/error-record.ts";
import type { DocumentedErrorResponse, DocumentedOperation } from "../profile/document.ts";
import { errorModelProblem } from "./error-model.ts";

/**
 * How the documented error responses of an operation differ from the Error body, where the contract
 * requires one.
 */
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
