import { isObject, type JsonObject } from "../lib/json.ts";

/** Title and description of the document that CommonGrants publishes, in any spelling. */
const NAMED = /\bcommon[\s-]?grants\b/i;
/** Its published routes have a prefix of their own. */
const ROUTE = /(?:^|\/)common-grants\/orgs(?:\/|$)/;
const ORGANIZATIONS = /(?:^|\/)orgs(?:\/|$)/;

/**
 * Whose protocol a document says that it describes: by its title or description, or by the published routes.
 * @returns the name of the pack that judges it; `undefined` when it says nothing, or has no route of organizations
 */
export function protocolOf(root: JsonObject): string | undefined {
  const paths = isObject(root["paths"]) ? Object.keys(root["paths"]) : [];
  if (!paths.some((path) => ORGANIZATIONS.test(path))) return undefined;
  const { title, description } = isObject(root["info"]) ? root["info"] : ({} as JsonObject);
  const isNamed = [title, description].some((text) => typeof text === "string" && NAMED.test(text));
  return isNamed || paths.some((path) => ROUTE.test(path)) ? "commongrants" : undefined;
}
