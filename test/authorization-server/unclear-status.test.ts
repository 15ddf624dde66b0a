import { expect, test } from "vitest";

import { followAuthorization } from "../../src/authorization-server/protocol/front-channel.ts";
import type { ServerAnswer } from "../../src/authorization-server/protocol/origins.ts";
import { isUnclearStatus } from "../../src/http/statuses.ts";

test.each([
  [0, true],
  [503, true],
  [520, true],
  [401, false],
  [501, false],
])("whether %i says nothing about the request: %s", (status, expected) => {
  expect(isUnclearStatus(status)).toBe(expected);
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
