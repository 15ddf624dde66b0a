import { expect, test } from "vitest";

import { REDIRECT_CHANGES } from "../../suites/authorization-server/redirect/redirect-changes.ts";

const REGISTERED = new URL("https://app.test/auth/callback");

test.each([
  ["/auth?error=invalid_request", true],
  ["/auth?code=c", true],
  // A front page, to which a server on the same host may send people after an error.
  ["/auth", false],
  ["/auth/callback?error=invalid_request", false],
])("a redirect to %s in place of /auth/callback is wrong: %s", (path, isWrong) => {
  const shorter = REDIRECT_CHANGES.find(({ id }) => id === "shorter-path");
  expect(shorter?.change(REGISTERED)).toEqual({ redirect_uri: "https://app.test/auth" });
  expect(shorter?.isWrong(new URL(path, REGISTERED), REGISTERED)).toBe(isWrong);
});

test("there is no path above the root", () => {
  const shorter = REDIRECT_CHANGES.find(({ id }) => id === "shorter-path");
  expect(shorter?.change(new URL("https://app.test/"))).toBeUndefined();
});
