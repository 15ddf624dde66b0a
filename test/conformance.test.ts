import { afterAll } from "vitest";

import { startReference } from "../src/reference/index.ts";
import { conformance } from "../src/vitest.ts";
import { BUNDLED_JWKS } from "./support/run-against.ts";

// The whole suite as vendors run it: against the profile that ORGSYNC_PROFILE names, else the
// embedded receiver.
const require = process.env["ORGSYNC_REQUIRE"] === "conformant" ? "conformant" : undefined;
const profile = process.env["ORGSYNC_PROFILE"];
if (profile === undefined) {
  const receiver = await startReference({ jwks: BUNDLED_JWKS });
  afterAll(() => receiver.close());
  await conformance(receiver.profile);
} else {
  await conformance(profile, { require, acceptIncomplete: require !== undefined });
}
