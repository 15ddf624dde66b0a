import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import { isObject } from "../lib/json.ts";
import type { DocumentedOperation } from "../profile/document.ts";
import type { OperationProfile } from "../profile/operation.ts";
import { goodBody, refusedBody } from "./bodies.ts";
import { bareType } from "./describe.ts";
import { JSON_TYPE } from "./error-model.ts";

/** Ranges of media types that include JSON. */
const ANY_JSON = /^(?:\*\/\*|application\/\*|application\/\*\+json)$/;

/** The gaps of an operation's profile that a document fills. */
export function toldOf(
  id: OperationId,
  profile: OperationProfile,
  documented: DocumentedOperation,
): OperationProfile {
  return {
    ...(documented.path.endsWith("/") && { trailingSlash: true }),
    ...(isPaginated(documented) && { paginated: true }),
    ...(OPERATIONS[id].writes && toldOfBody(profile, documented)),
  };
}

/** Whether it has pagination parameters in the query or in the body. */
function isPaginated({ query, body }: DocumentedOperation): boolean {
  const bodies = [...body.values()].map(({ schema }) => schema?.merged["properties"]);
  return [query, ...bodies.map((one) => new Map(Object.entries(isObject(one) ? one : {})))].some(
    (names) => names.has("page") && names.has("pageSize"),
  );
}

function toldOfBody(profile: OperationProfile, { body }: DocumentedOperation): OperationProfile {
  const own = profile.contentType === undefined ? undefined : bareType(profile.contentType);
  const found = [...body].find(([type]) =>
    own === undefined ? JSON_TYPE.test(type) || ANY_JSON.test(type) : type === own,
  );
  if (!found) return {};
  const [type, media] = found;
  const contentType = ANY_JSON.test(type) ? "application/json" : type;
  const good = profile.body ?? goodBody(media);
  const refused = profile.invalidBody ?? refusedBody(good, media);
  return {
    contentType,
    ...(good !== undefined && { body: good }),
    ...(refused !== undefined && { invalidBody: refused }),
  };
}
