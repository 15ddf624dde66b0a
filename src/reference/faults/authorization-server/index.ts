import type { Faults } from "../fault.ts";
import { ASSERTION_FAULTS } from "./assertions.ts";
import { ISSUED_CLAIM_FAULTS } from "./claims.ts";
import { CLIENT_FAULTS } from "./clients.ts";
import { CODE_FAULTS } from "./codes.ts";
import { METADATA_FAULTS } from "./metadata.ts";
import { PKCE_FAULTS } from "./pkce.ts";
import { REDIRECT_FAULTS } from "./redirect.ts";
import { RESPONSE_FAULTS } from "./responses.ts";
import { GRANT_FAULTS } from "./scope.ts";

export const AUTHORIZATION_SERVER_FAULTS: readonly Faults[] = [
  METADATA_FAULTS,
  ISSUED_CLAIM_FAULTS,
  CLIENT_FAULTS,
  ASSERTION_FAULTS,
  CODE_FAULTS,
  PKCE_FAULTS,
  REDIRECT_FAULTS,
  GRANT_FAULTS,
  RESPONSE_FAULTS,
];
