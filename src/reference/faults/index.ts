import { ANSWER_FAULTS } from "./answers.ts";
import { AUTHORIZATION_FAULTS } from "./authorization.ts";
import type { Fault } from "./fault.ts";
import { TOKEN_FAULTS } from "./tokens.ts";

/** Every fault that the reference receiver can be started with. */
export const FAULTS: readonly Fault[] = [
  ...TOKEN_FAULTS,
  ...AUTHORIZATION_FAULTS,
  ...ANSWER_FAULTS,
];
