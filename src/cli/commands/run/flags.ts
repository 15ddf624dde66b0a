import type { GateFlags } from "../../gate.ts";
import type { TargetFlags } from "../../options.ts";

/** What is given to `run`, as its options are read. */
export interface RunFlags extends TargetFlags, GateFlags {
  readonly out: string;
  readonly rule?: readonly string[];
  /** Names or files of packs. */
  readonly pack?: readonly string[];
  readonly failed?: boolean;
  readonly bail?: boolean;
  readonly seed?: number;
  /** In seconds. */
  readonly explore?: number;
  readonly exploreRequests?: number;
  readonly exploreOnly?: boolean;
  readonly concurrency?: number;
  /** In seconds. */
  readonly timeout?: number;
  readonly baseline?: string;
  /** True when no file is named. */
  readonly writeBaseline?: string | true;
  readonly dryRun?: boolean;
  readonly verbose?: boolean;
  readonly report?: readonly string[];
  readonly reportMode?: number;
}
