import type { Rule } from "../src/probe/rule.ts";
import { rule as envelope } from "./commongrants/envelope.ts";
import { rule as filters } from "./commongrants/filters.ts";
import { rule as ledger } from "./commongrants/ledger.ts";
import { rule as mergePatch } from "./commongrants/merge-patch.ts";
import { rule as provenance } from "./commongrants/provenance.ts";
import { rule as revision } from "./commongrants/revision.ts";
import { rule as submission } from "./commongrants/submission.ts";

/** The rules of the pack, each after those that it rests on. */
export const COMMONGRANTS_RULES: readonly Rule[] = [
  envelope,
  submission,
  mergePatch,
  revision,
  ledger,
  provenance,
  filters,
];
