import { readFixture } from "../contract/fixture.ts";
import type { OpenApiObject, Receiver } from "./model.ts";

/** Path of the base URL. */
export const BASE_PATH = "/common-grants";

/** Where the receiver serves its document, below its base URL. */
export const DOCUMENT_PATH = "/openapi.json";

const written = readFixture("reference.openapi.yaml") as OpenApiObject;

/** The receiver's own OpenAPI document, with its base URL as the one server. */
export function document({ baseUrl }: Pick<Receiver, "baseUrl">): OpenApiObject {
  return { ...written, servers: [{ url: baseUrl }] };
}
