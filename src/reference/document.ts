import { readFileSync } from "node:fs";

import { parse } from "yaml";

import { fixturePath } from "../package-root.ts";
import type { Receiver } from "./call.ts";

/** An OpenAPI document as an object. */
export type OpenApiObject = Readonly<Record<string, unknown>>;

/** Where the receiver serves its document, below its base URL. */
export const DOCUMENT_PATH = "/openapi.json";

let written: OpenApiObject | undefined;

/** The receiver's own OpenAPI document, with its base URL as the one server. */
export function document({ baseUrl }: Pick<Receiver, "baseUrl">): OpenApiObject {
  written ??= parse(readFileSync(fixturePath("reference.openapi.yaml"), "utf8")) as OpenApiObject;
  return { ...written, servers: [{ url: baseUrl }] };
}
