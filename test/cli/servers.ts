import { createServer, type RequestListener } from "node:http";

import { onTestFinished } from "vitest";

import {
  type ReferenceOptions,
  type RunningReference,
  startReference,
} from "../../src/reference/index.ts";
import { listening } from "../support/listening.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";

/** A server that lives as long as the test, and the methods of the requests it has had. */
export async function listen(
  answer: RequestListener,
): Promise<{ baseUrl: string; methods: string[] }> {
  const methods: string[] = [];
  const server = createServer((request, response) => {
    methods.push(request.method ?? "");
    answer(request, response);
  });
  return { baseUrl: `${await listening(server)}/base`, methods };
}

/** A reference receiver that lives as long as the test. */
export async function documentedReceiver(
  options: Omit<ReferenceOptions, "jwks"> = {},
): Promise<RunningReference> {
  const reference = await startReference({ jwks: BUNDLED_JWKS, ...options });
  onTestFinished(() => reference.close());
  return reference;
}

/** The same, but its profile names no document, because reading one takes a worker thread. */
export async function receiver(
  options: Omit<ReferenceOptions, "jwks"> = {},
): Promise<Pick<RunningReference, "baseUrl" | "profile" | "close">> {
  const reference = await documentedReceiver(options);
  const { openapi: _document, ...profile } = reference.profile;
  return { baseUrl: reference.baseUrl, profile, close: () => reference.close() };
}
