import { parseJson } from "../../lib/json.ts";
import { fails, open, type Outcome, passes, should } from "../outcome.ts";
import type { Check } from "../question.ts";

const UNIQUE = "${unique}";

/**
 * "Request body of PATCH … POST …: not shown" (Endpoints): of a body only that is known which the deployment says of it, and
 * that what is not JSON is no body of JSON. An invalid request is a BadRequest (Errors).
 */
export const content: Check = ({ known, reading: { operation }, request }): Outcome | undefined => {
  const { body } = request;
  if (!operation.writes) return body === undefined ? undefined : open("body");
  const sentence =
    operation.id === "editOrganization" ? "endpoints.edit-body" : "endpoints.submit-body";
  const { contentType = "application/json", ...own } = known.operations[operation.id] ?? {};
  const types = request.fields.flatMap(([name, value]) => (name === "content-type" ? [value] : []));
  const isOwnType = types.length === 1 && essence(types[0] ?? "") === essence(contentType);
  if (body === undefined || !isOwnType) return open("body", sentence);
  if (own.invalidBody !== undefined && isMadeOf(own.invalidBody, body)) {
    return fails("errors.kind.bad-request", "invalid body");
  }
  if (/[/+]json$/.test(essence(contentType)) && parseJson(body) === undefined) {
    return should("errors.kind.bad-request", "body not JSON");
  }
  return own.body !== undefined && types[0] === contentType && isMadeOf(own.body, body)
    ? passes(sentence)
    : open("body", sentence);
};

/** A media type without its parameters; case means nothing in it, RFC 9110 §8.3.1. */
function essence(mediaType: string): string {
  return (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

/** Whether a text is the template with one text in every place of `${unique}`. */
function isMadeOf(template: string, text: string): boolean {
  const [before = "", ...rest] = template.split(UNIQUE);
  if (rest.length === 0) return template === text;
  const length = (text.length - (template.length - rest.length * UNIQUE.length)) / rest.length;
  const unique = text.slice(before.length, before.length + length);
  return /^[\w-]+$/.test(unique) && template.replaceAll(UNIQUE, unique) === text;
}
