import type { Variant, Variants } from "../variant.ts";
import { ANSWER_VARIANTS } from "./answers.ts";
import { LEDGER_VARIANTS } from "./ledger.ts";
import { PROFILE_VARIANTS } from "./profile.ts";
import { ROUTE_VARIANTS } from "./routes.ts";

/** Every conforming variant of the published protocol. */
export const COMMONGRANTS_VARIANTS: readonly Variant[] = [
  ROUTE_VARIANTS,
  ANSWER_VARIANTS,
  PROFILE_VARIANTS,
  LEDGER_VARIANTS,
].flatMap((variants: Variants) =>
  Object.entries(variants).map(([name, variant]) => ({ name, ...variant })),
);
