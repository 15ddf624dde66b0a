import type { Given } from "../../../init/gather.ts";

/** What is given to `init`, as its options are read. */
export interface InitFlags extends Omit<Given, "packs"> {
  /** False for `--no-pack`. */
  readonly pack?: readonly string[] | false;
  readonly profile: string;
  readonly keys: string;
  readonly ticket?: string;
  readonly yes?: boolean;
  readonly force?: boolean;
}
