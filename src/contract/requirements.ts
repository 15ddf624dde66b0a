import { readFixture } from "./fixture.ts";

/** One sentence, table row or check of the contract, or of an RFC that defines a term in it. */
export interface Requirement {
  /** Dotted words; never renamed, never used again for something else. */
  readonly id: string;
  readonly source: "contract" | "rfc";
  /** Heading path in the contract, `Authentication / Receiver checks / 3`, or `RFC 7519 section 4.1.3`. */
  readonly clause: string;
  /**
   * What it demands of a deployment. For an RFC: what this suite holds a deployment to, which is less
   * than the RFC's own keyword where the contract does not rest on it. `none` demands nothing.
   */
  readonly level: "MUST" | "SHOULD" | "MAY" | "none";
  /** The contract's own words; a paraphrase where the source is an RFC. */
  readonly text: string;
  /** True where the contract says that something is not shown. */
  readonly gap: boolean;
  /** Whom it binds. `receiver` stands for what is no matter of the authorization server. */
  readonly side: "receiver" | "authorization-server" | "both";
  /** The rules that record it without judging, and what they record. */
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

const file = (await readFixture("requirements.yaml")) as RequirementsFile;

/** Version of the rule set, reported as `suite.requirements`. */
export const requirementsVersion: string = file.version;

/** Every requirement: the contract's in its own order, then those of the RFCs. */
export const REQUIREMENTS: readonly Requirement[] = [
  ...file.requirements.map((written) => complete(written, "contract")),
  ...file.rfc.map((written) => complete(written, "rfc")),
];

const byId = new Map(REQUIREMENTS.map((entry) => [entry.id, entry]));

/** The requirement of that id. Throws where there is none, which is a mistake in a rule. */
export function requirement(id: string): Requirement {
  const found = byId.get(id);
  if (!found) throw new Error(`fixtures/requirements.yaml has no requirement "${id}"`);
  return found;
}

function complete(written: Written, source: Requirement["source"]): Requirement {
  return { gap: false, side: "receiver", observedBy: [], ...written, source };
}
