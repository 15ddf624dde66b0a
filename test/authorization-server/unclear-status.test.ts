import { expect, test } from "vitest";

import { followAuthorization } from "../../src/authorization-server/protocol/front-channel.ts";
import type { ServerAnswer } from "../../src/authorization-server/protocol/origins.ts";
import { isUnclearStatus } from "../../src/http/statuses.ts";

test.each([0, 408, 425, 429, 502, 503, 504, 520])("%i says nothing about the request", (status) => {
  expect(isUnclearStatus(status)).toBe(true);
});

test.each([200, 302, 400, 401, 403, 404, 500, 501])("%i is an answer to the request", (status) => {
  expect(isUnclearStatus(status)).toBe(false);
});

test("a 408 of the authorization endpoint is no error page", async () => {
  const reply = { exchange: { id: "one~1" } };
  const answer = { status: 408, headers: {}, body: "", reply } as unknown as ServerAnswer;
  const led = await followAuthorization(
    () => Promise.resolve(answer),
    "https://login.test/authorize",
    () => false,
  );
  expect(led).toEqual({ kind: "unclear", why: "the status 408", exchange: "one~1" });
});
