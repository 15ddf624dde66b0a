import { type KnownFaults, type Signature, TOGETHER } from "./signatures.ts";

/** A library, and the known faults of a receiver that uses it with its defaults. */
interface Library {
  readonly name: string;
  /** Names as in `docs/proof.md`. */
  readonly faults: readonly string[];
}

/** Measured in receivers that follow the libraries' documentation: `docs/stacks/measured.md`. */
const LIBRARIES: readonly Library[] = [
  {
    name: "jsonwebtoken",
    faults: ["crit-ignored", "b64-false-ignored", "payload-text-accepted"],
  },
];

/**
 * The combined signatures of libraries, one for each rule of which a library has several faults.
 * @param signatures of single faults
 */
export function togetherInLibraries(signatures: KnownFaults["signatures"]): Signature[] {
  return LIBRARIES.flatMap((library) => {
    const known = signatures.filter(({ fault }) => library.faults.includes(fault));
    const rules = [...new Set(known.map(({ rule }) => rule))];
    return rules.flatMap((rule) => {
      const members = known.filter((one) => one.rule === rule);
      return members.length > 1 ? [joined(library, rule, members)] : [];
    });
  });
}

function joined({ name }: Library, rule: string, members: readonly Signature[]): Signature {
  const union = (of: "fail" | "warn" | "open"): string[] => [
    ...new Set(members.flatMap((member) => member[of] ?? [])),
  ];
  const fail = union("fail");
  const warn = union("warn").filter((id) => !fail.includes(id));
  const shown = new Set([...fail, ...warn]);
  return {
    fault: members.map(({ fault }) => fault).join(TOGETHER),
    rule,
    library: name,
    behaves: `uses ${name} with its defaults: ${members.map(({ behaves }) => behaves).join("; ")}`,
    look: `Refuse such tokens before or after the call of ${name}, which accepts them.`,
    fail,
    warn,
    open: union("open").filter((id) => !shown.has(id)),
  };
}
