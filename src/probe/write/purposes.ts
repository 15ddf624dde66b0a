/** Why a write is sent. */
export type WritePurpose =
  | "control"
  | "late"
  | "needed"
  | "confirming"
  | "unwanted"
  | "further"
  | "wanted";

/** What follows from the purpose of a write. */
export interface PurposeRow {
  /** Who sends such a write. */
  readonly what: string;
  /** How many accepted writes of its operation it leaves to others. */
  readonly leaves: number;
  /** How many it leaves in a case of a level below MUST, where that differs. */
  readonly leavesBelowMust?: BelowMust;
  /** One of those that it leaves is for the write that restores, so it leaves one fewer where none does. */
  readonly forRestoring: boolean;
  /** One of those that it leaves is for the `needed` write, so a case of a MUST leaves one fewer once that was accepted. */
  readonly forNeeded: boolean;
  /** It leaves room for others even where cases below MUST had writes accepted, because it can do without. */
  readonly yieldsToAll: boolean;
  /** It must be rejected. */
  readonly mustBeRejected: boolean;
  /** Accepted, it counts against its rule, which stops after a few. */
  readonly countsAgainstRule: boolean;
  /** Which other writes may be under way beside it. Where none may, such writes go one after another. */
  readonly beside: "any that must be rejected" | "none";
}

/** How many accepted writes a case of a level leaves, by whether the deployment offers a read, which can stand for a write. */
export interface BelowMust {
  readonly withReads: { readonly SHOULD: number; readonly OBSERVE: number };
  /** Cases of a MUST then need more good writes. */
  readonly withoutReads: { readonly SHOULD: number; readonly OBSERVE: number };
}

const ACCEPTED = {
  forRestoring: false,
  forNeeded: false,
  yieldsToAll: false,
  mustBeRejected: false,
  countsAgainstRule: false,
  beside: "none",
} as const;

/**
 * What each purpose means for a write. Of the writes that one leaves, one is for the write that restores what was edited, one for
 * the control that follows, one for the edit that many rules look for, and the rest for writes that must be rejected and are not.
 */
export const PURPOSES: Readonly<Record<WritePurpose, PurposeRow>> = {
  control: { ...ACCEPTED, what: "the good request of an operation, and what restores", leaves: 0 },
  needed: {
    ...ACCEPTED,
    what: "the write that many rules look for afterwards",
    leaves: 2,
    forRestoring: true,
  },
  further: {
    ...ACCEPTED,
    what: "a good write on top of the needed and the wanted ones",
    leaves: 4,
    yieldsToAll: true,
  },
  wanted: { ...ACCEPTED, what: "a request that must be accepted", leaves: 6 },
  unwanted: {
    what: "a request that must be rejected",
    leaves: 3,
    // The verdict needs what is left for the controls and the writes of the phase `state`, and for the errors of `record`.
    leavesBelowMust: {
      withReads: { SHOULD: 6, OBSERVE: 6 },
      withoutReads: { SHOULD: 6, OBSERVE: 7 },
    },
    forRestoring: true,
    forNeeded: true,
    yieldsToAll: false,
    mustBeRejected: true,
    countsAgainstRule: true,
    beside: "any that must be rejected",
  },
  confirming: {
    what: "a request that must be rejected, sent again",
    leaves: 3,
    forRestoring: true,
    forNeeded: true,
    yieldsToAll: false,
    mustBeRejected: true,
    // A violation in which time plays a part counts only if its repetition shows it too.
    countsAgainstRule: false,
    // As its case does.
    beside: "none",
  },
  late: {
    what: "a request that must be rejected, after which the run makes no edits of its own",
    leaves: 1,
    forRestoring: true,
    forNeeded: false,
    yieldsToAll: false,
    mustBeRejected: true,
    countsAgainstRule: false,
    beside: "any that must be rejected",
  },
};
