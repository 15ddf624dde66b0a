import { readFixture } from "./fixture.ts";

/** One sentence, table row or check of the contract, or of an RFC that defines a term in it. */
export interface Requirement {
  /** Dotted words. An id is never renamed and never reused. */
  readonly id: string;
  readonly source: "contract" | "rfc" | "pack";
  /** Heading path in the contract, `Authentication / Receiver checks / 3`, or `RFC 7519 section 4.1.3`. */
  readonly clause: string;
  /**
   * What it requires of a deployment. For an RFC: what this suite requires, which is less than the
   * RFC's own keyword where the contract does not rest on it. `none` requires nothing.
   */
  readonly level: "MUST" | "SHOULD" | "MAY" | "none";
  /** The contract's own words, or a paraphrase of an RFC. */
  readonly text: string;
  /** True where the contract says that something is not shown. */
  readonly gap: boolean;
  /** Which side it binds. `receiver` covers everything that is not the authorization server's. */
  readonly side: "receiver" | "authorization-server" | "both";
  /**
   * The rules that record what it leaves open, without judging it; `records` says what they record. It
   * then is in the `verifies` of no rule.
   */
  readonly observedBy: readonly string[];
  readonly records?: string | undefined;
  /** Why no rule can judge or record it. */
  readonly untestable?: string | undefined;
}

type Written = Pick<Requirement, "id" | "clause" | "level" | "text"> & Partial<Requirement>;

interface RequirementsFile {
  readonly version: string;
  readonly requirements: readonly Written[];
  readonly rfc: readonly Written[];
}

const file = readFixture("requirements.yaml") as RequirementsFile;

/** Version of the rule set, reported as `suite.requirements`. */
export const requirementsVersion: string = file.version;

/** Every requirement: the contract's in its own order, then those of the RFCs. */
export const REQUIREMENTS: readonly Requirement[] = [
  ...file.requirements.map((written) => complete(written, "contract")),
  ...file.rfc.map((written) => complete(written, "rfc")),
];

const byId = new Map(REQUIREMENTS.map((entry) => [entry.id, entry]));

/** Looks up a requirement by its id, of the contract or of a pack. Throws where there is none: a rule has a mistake. */
export function requirement(id: string): Requirement {
  const found = byId.get(id) ?? ofPacks.get(id);
  if (!found) throw new Error(`neither fixtures/requirements.yaml nor a pack has "${id}"`);
  return found;
}

/** The requirements of packs that this process knows, by their ids. */
const ofPacks = new Map<string, Requirement>();

/** A requirement as a pack states it. */
export interface PackRequirement {
  /** Dotted words, the first of which is the name of the pack. */
  readonly id: string;
  /** Where it is said. */
  readonly clause: string;
  readonly level: "MUST" | "SHOULD" | "MAY" | "none";
  readonly text: string;
  /** What conforms though it looks otherwise, and when the sentence is not judged. */
  readonly exception?: string | undefined;
  /** The rules that record it without judging it; `records` says what they record. */
  readonly observedBy?: readonly string[] | undefined;
  readonly records?: string | undefined;
  /** Why no rule can judge or record it. */
  readonly untestable?: string | undefined;
}

/**
 * Makes the requirements of a pack known, so that its rules and its reports can name them. They never take the place of the
 * contract's.
 * @param isReported whether they are those of a report, which anybody may have written: they replace none that are known
 */
export function addRequirements(added: readonly PackRequirement[], isReported = false): void {
  for (const one of added) {
    if (isReported && ofPacks.has(one.id)) continue;
    ofPacks.set(one.id, {
      gap: false,
      side: "receiver",
      ...one,
      observedBy: one.observedBy ?? [],
      source: "pack",
    });
  }
}

function complete(written: Written, source: Requirement["source"]): Requirement {
  return { gap: false, side: "receiver", observedBy: [], ...written, source };
}
