import type { IncomingMessage } from "node:http";

import { z } from "zod";

import { OPERATION_IDS } from "../contract/operations.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { strictJson, UnreadableJson } from "../lib/strict-json.ts";
import { firstIssue } from "../lib/zod-issue.ts";
import { printable } from "../report/untrusted.ts";
import type { AllowRequest, ExportRequest, JudgeRequest, Problem, SendRequest } from "./api.ts";

/** In bytes. */
const LARGEST_BODY = 1024 * 1024;
const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/** A request of the page that is not answered, with the status of the answer. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly shown: Problem;

  constructor(status: number, problem: string, hint?: string) {
    super(problem);
    this.status = status;
    this.shown = { problem, ...(hint !== undefined && { hint }) };
  }
}

/**
 * The JSON of a POST. Other types are refused: a page of another origin can send those without asking.
 * @throws Refusal for another type, a body that is too large, and what is not JSON
 */
export async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (!JSON_TYPE.test(request.headers["content-type"] ?? "")) {
    throw new Refusal(415, "The content type must be application/json.");
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw new Refusal(413, "The request is larger than 1 MiB.");
    chunks.push(chunk);
  }
  try {
    return strictJson(Buffer.concat(chunks).toString("utf8"));
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    throw new Refusal(400, `The request is not JSON: ${printable(error.message, 200)}`);
  }
}

/** Members stay as they are: what stands in a token is the user's choice. */
const OBJECT = z.custom<JsonObject>(isObject, "must be a JSON object");
const ID = z.string().max(500);

const CREDENTIAL = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("none") }),
  z.strictObject({
    kind: z.literal("sign"),
    key: z.enum(["issuer", "other", "none"]),
    header: OBJECT,
    claims: OBJECT,
  }),
  z.strictObject({ kind: z.literal("case"), id: ID }),
  z.strictObject({ kind: z.literal("client"), name: ID }),
]);

const EDITED = z.strictObject({
  method: z.string(),
  path: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])).max(100),
  body: z.string().optional(),
  credential: CREDENTIAL,
});

const YES = z.literal(true).optional();

const SCHEMAS = {
  send: z.strictObject({ edited: EDITED, from: ID.optional(), confirmed: YES }),
  judge: z.strictObject({
    cases: z.array(ID).max(5000).optional(),
    rules: z.array(ID).max(1000).optional(),
    failed: YES,
    readsOnly: YES,
    confirmed: YES,
  }),
  export: z.strictObject({
    number: z.int().positive(),
    as: z.enum(["curl", "http", "case"]),
  }),
  allow: z.strictObject({ commands: z.literal(true) }),
} as const;

function reader<T>(schema: z.ZodType<T>): (body: unknown) => T {
  return (body) => {
    const { success, data, error } = schema.safeParse(body);
    if (success) return data;
    throw new Refusal(400, printable(firstIssue(error.issues, body), 300));
  };
}

/** Readers of what the page sends. Each throws a Refusal with the status 400. */
export const read: {
  readonly send: (body: unknown) => SendRequest;
  readonly judge: (body: unknown) => JudgeRequest;
  readonly export: (body: unknown) => ExportRequest;
  readonly allow: (body: unknown) => AllowRequest;
} = {
  send: reader(SCHEMAS.send),
  judge: reader(SCHEMAS.judge),
  export: reader(SCHEMAS.export),
  allow: reader(SCHEMAS.allow),
};

/** The operation that a query names. Throws a Refusal where there is none. */
export function operationIn(query: URLSearchParams): (typeof OPERATION_IDS)[number] {
  const id = query.get("operation");
  const found = OPERATION_IDS.find((one) => one === id);
  if (!found) throw new Refusal(400, `operation must be one of ${OPERATION_IDS.join(", ")}.`);
  return found;
}
