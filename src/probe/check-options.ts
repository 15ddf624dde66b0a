import type { Finding } from "./finding.ts";
import type { Attempt, Probe } from "./probe.ts";

export type RejectOptions = NonNullable<Parameters<Probe["rejects"]>[1]>;

/** Where and how a mutation for one receiver check is judged, known before the run. */
export interface CheckOptions extends Pick<RejectOptions, "bound" | "status"> {
  /** Whether the mutation takes effect on the denied organization. Default: false. */
  readonly onDenied?: boolean;
  /** Why an answer proves nothing; see `Probe.rejects`. */
  readonly doubt?: (probe: Probe, attempt: Attempt) => Promise<Finding | undefined>;
}

/** The options of a check as `Probe.rejects` takes them: `onDenied` becomes the denied organization of the profile. */
export function rejectOptions(
  probe: Probe,
  { onDenied = false, doubt, ...options }: CheckOptions,
): RejectOptions {
  return {
    ...options,
    ...(onDenied && { organization: probe.target.denied?.organization }),
    ...(doubt && { doubt: (attempt) => doubt(probe, attempt) }),
  };
}
